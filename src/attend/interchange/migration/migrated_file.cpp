#include "attend/interchange/migration/migrated_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "attend/error.h"
#include "attend/interchange/migration/fairseq/fairseq.h"
#include "attend/interchange/migration/marian/marian.h"
#include "attend/interchange/migration/opennmt/opennmt.h"
#include "attend/interchange/migration/shell_calls.h"

namespace attend {

namespace {

enum class CallKind { preparing, training, decoding };

struct KnownProgram {
  std::string_view name;
  MigrationSource source;
  CallKind kind;
};

constexpr KnownProgram kPrograms[] = {
    {"fairseq-preprocess", MigrationSource::fairseq, CallKind::preparing},
    {"fairseq-train", MigrationSource::fairseq, CallKind::training},
    {"fairseq-generate", MigrationSource::fairseq, CallKind::decoding},
    {"fairseq-interactive", MigrationSource::fairseq, CallKind::decoding},
    {"marian", MigrationSource::marian, CallKind::training},
    {"marian-train", MigrationSource::marian, CallKind::training},
    {"marian-decoder", MigrationSource::marian, CallKind::decoding},
    {"marian-server", MigrationSource::marian, CallKind::decoding},
};

const KnownProgram* find_program(std::string_view name) {
  const auto found = std::find_if(std::begin(kPrograms), std::end(kPrograms),
                                  [&](const KnownProgram& one) { return one.name == name; });
  return found == std::end(kPrograms) ? nullptr : &*found;
}

std::vector<ShellCall> calls_of(std::string_view text, const std::string& where,
                                MigrationSource source) {
  return read_shell_calls(text, where, [source](std::string_view name) {
    const KnownProgram* const program = find_program(name);
    return program != nullptr &&
           (source == MigrationSource::automatic || program->source == source);
  });
}

bool mentions_program(std::string_view text) {
  return text.find("fairseq-") != text.npos || text.find("fairseq_cli") != text.npos ||
         text.find("marian-") != text.npos;
}

// The calls in a script; none if the text is no script.
std::vector<ShellCall> calls_if_any(std::string_view text, const std::string& where,
                                    MigrationSource source) {
  const bool is_yaml = where.ends_with(".yml") || where.ends_with(".yaml");
  if (source == MigrationSource::opennmt) return {};
  if (is_yaml && source != MigrationSource::fairseq) return {};
  try {
    return calls_of(text, where, source);
  } catch (const DataError&) {
    if (source == MigrationSource::fairseq || mentions_program(text)) throw;
    return {};
  }
}

bool has_option(const std::vector<ForeignOption>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [name](const ForeignOption& option) { return option.name == name; });
}

// How many of the options have a rule.
std::int64_t count_known(const std::vector<ForeignOption>& options, MigrationTables training,
                         MigrationTables decoding) {
  return std::count_if(options.begin(), options.end(), [&](const ForeignOption& option) {
    return find_rule(training, option.name) != nullptr ||
           find_rule(decoding, option.name) != nullptr;
  });
}

MigratedFile migrate_yaml(std::string_view text, const std::string& where, MigrationSource source) {
  std::vector<ForeignOption> options = read_yaml_options(text, where);
  const std::int64_t of_marian =
                         count_known(options, marian_training_tables(), marian_decoding_tables()),
                     of_opennmt =
                         count_known(options, opennmt_training_tables(), opennmt_decoding_tables());
  if (of_marian + of_opennmt == 0)
    throw DataError(fmt::format(
        "{}: expected options of Marian or OpenNMT-py, or calls of fairseq or Marian, found none",
        where));
  if (source == MigrationSource::opennmt ||
      (source == MigrationSource::automatic && of_opennmt > of_marian)) {
    MigratedFile file{"OpenNMT-py"};
    file.migrations.push_back(has_option(options, "src")
                                  ? migrate_opennmt_decoding(std::move(options), where)
                                  : migrate_opennmt_training(std::move(options), where));
    return file;
  }
  MigratedFile file{"Marian"};
  file.migrations.push_back(
      has_option(options, "models")
          ? migrate_marian_decoding(std::move(options), OptionStyle::yaml, where)
          : migrate_marian_training(std::move(options), OptionStyle::yaml, where));
  return file;
}

CallSyntax syntax_of(const KnownProgram& program) {
  const bool decodes = program.kind == CallKind::decoding;
  if (program.source == MigrationSource::fairseq)
    return {decodes ? fairseq_decoding_tables() : fairseq_training_tables(), fairseq_letters(),
            "data"};
  return {decodes ? marian_decoding_tables() : marian_training_tables(),
          decodes ? marian_decoding_letters() : marian_training_letters(), "arguments"};
}

// The options of the calls of some kinds in one list.
std::vector<ForeignOption> options_of(std::span<const ShellCall> calls,
                                      std::initializer_list<CallKind> kinds,
                                      const std::string& where) {
  std::vector<ForeignOption> options;
  for (const CallKind kind : kinds) {
    const ShellCall* found = nullptr;
    for (const ShellCall& call : calls) {
      if (find_program(call.program)->kind != kind) continue;
      if (found != nullptr)
        throw ConfigError(fmt::format(
            "{}: expected one call of {}, found others on lines {} and {}; give each a file", where,
            call.program, found->line, call.line));
      found = &call;
    }
    if (found == nullptr) continue;
    for (ForeignOption& option :
         read_call_options(*found, syntax_of(*find_program(found->program)), where)) {
      const auto other =
          std::find_if(options.begin(), options.end(),
                       [&](const ForeignOption& one) { return one.name == option.name; });
      if (other == options.end()) {
        options.push_back(std::move(option));
      } else if (other->values != option.values) {
        throw ConfigError(fmt::format("{}: {} has different values in two calls", where,
                                      spelled_name(option, OptionStyle::command_line)));
      }
    }
  }
  return options;
}

bool has_kind(std::span<const ShellCall> calls, CallKind kind) {
  return std::any_of(calls.begin(), calls.end(), [kind](const ShellCall& call) {
    return find_program(call.program)->kind == kind;
  });
}

MigratedFile migrate_calls(std::span<const ShellCall> calls, const std::string& where) {
  const MigrationSource source = find_program(calls.front().program)->source;
  if (std::any_of(calls.begin(), calls.end(), [source](const ShellCall& call) {
        return find_program(call.program)->source != source;
      }))
    throw ConfigError(
        fmt::format("{}: expected calls of one program, found those of fairseq and Marian", where));
  const bool is_fairseq = source == MigrationSource::fairseq;
  const bool trains = has_kind(calls, CallKind::training),
             prepares = has_kind(calls, CallKind::preparing),
             decodes = has_kind(calls, CallKind::decoding);
  MigratedFile file{is_fairseq ? "fairseq" : "Marian"};
  if (trains || prepares) {
    std::vector<ForeignOption> options =
        options_of(calls, {CallKind::preparing, CallKind::training}, where);
    file.migrations.push_back(
        is_fairseq ? migrate_fairseq_training(std::move(options), trains, where)
                   : migrate_marian_training(std::move(options), OptionStyle::command_line, where));
  }
  if (decodes) {
    std::vector<ForeignOption> options = options_of(calls, {CallKind::decoding}, where);
    file.migrations.push_back(
        is_fairseq ? migrate_fairseq_decoding(std::move(options), where)
                   : migrate_marian_decoding(std::move(options), OptionStyle::command_line, where));
  }
  return file;
}

std::string as_comment(const std::string& text) {
  std::istringstream lines(text);
  std::string comment;
  for (std::string line; std::getline(lines, line);)
    comment +=
        line.starts_with('#') ? line + "\n" : fmt::format("#{}{}\n", line.empty() ? "" : " ", line);
  return comment;
}

}  // namespace

MigratedFile migrate(std::string_view text, const std::string& where, MigrationSource source) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw DataError(fmt::format("{}: expected options, found an empty file", where));
  const std::vector<ShellCall> calls = calls_if_any(text, where, source);
  if (!calls.empty()) return migrate_calls(calls, where);
  if (source == MigrationSource::fairseq)
    throw DataError(
        fmt::format("{}: expected a call of fairseq-train, fairseq-preprocess, fairseq-generate or "
                    "fairseq-interactive, found none",
                    where));
  return migrate_yaml(text, where, source);
}

std::string migrated_text(const MigratedFile& file, std::string_view where) {
  std::string text = migration_text(file.migrations.front(), file.program, where);
  for (std::size_t i = 1; i < file.migrations.size(); ++i)
    text += "\n" + as_comment(migration_text(file.migrations[i], file.program, where));
  return text;
}

}  // namespace attend
