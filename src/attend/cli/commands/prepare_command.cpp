#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/counted.h"
#include "attend/tasks/language/preparation.h"
#include "attend/tasks/translation/preparation.h"

namespace attend {

namespace {

struct PrepareOutput {
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(PrepareOutput& o, Visitor&& visit) {
  visit("format", o.format, "text for people, json for programs: what was read and written");
  fields(o.threads, visit);
}

struct Totals {
  std::int64_t ids = 0, bytes = 0;
};

Totals totals_of(const PreparedManifest& m) {
  Totals totals;
  for (const ShardEntry& shard : m.shards) {
    totals.ids += shard.ids;
    totals.bytes += shard.ids * m.format.id_bytes + shard.samples * m.format.entry_bytes();
  }
  return totals;
}

std::string text_summary(const PreparedManifest& m) {
  return m.format.sequences == 2 ? m.pairs.summary() : m.lines.summary(totals_of(m).ids - 1);
}

nlohmann::ordered_json counts_of(const PreparedManifest& m) {
  if (m.format.sequences == 2)
    return {{"pairs", m.pairs.pairs},
            {"kept", m.pairs.kept},
            {"empty_source", m.pairs.empty_src},
            {"empty_target", m.pairs.empty_tgt},
            {"over_long", m.pairs.over_long},
            {"truncated", m.pairs.truncated}};
  return {{"lines", m.lines.lines},
          {"empty_lines", m.lines.empty_lines},
          {"characters", m.lines.characters},
          {"words", m.lines.words}};
}

void print(const PreparationResult& result, const std::string& out, OutputFormat format) {
  const PreparedManifest& m = result.manifest;
  const Totals totals = totals_of(m);
  if (format == OutputFormat::json) {
    nlohmann::ordered_json json{{"folder", out}, {"task", m.task}};
    json.update(counts_of(m));
    json.update({{"tokens", totals.ids},
                 {"bytes", totals.bytes},
                 {"shards", m.shards.size()},
                 {"vocabulary_learned_from", result.learned_from}});
    return answer("{}\n", json_text(json));
  }
  answer("{}\n", text_summary(m));
  if (result.learned_from > 0)
    answer("the vocabulary was learned from {} of them\n", readable_count(result.learned_from));
  answer("{}: {} in {}, {:.1f} MiB; train with: attend train {} --prepared {}\n", shown_path(out),
         counted(totals.ids, "token"), counted(std::ssize(m.shards), "shard"),
         static_cast<double>(totals.bytes) / (1 << 20), m.task, shown_path(out));
}

template <class Preparation>
struct PrepareArguments {
  Preparation preparation;
  PrepareOutput output;
};

template <class Preparation>
void run_prepare(PrepareArguments<Preparation>& a, const OptionBinding& binding) {
  if constexpr (requires(const IsSet& is_set) { settle_defaults(a.preparation, is_set); })
    settle_defaults(a.preparation, [&](const std::string& name) { return binding.is_set(name); });
  const PreparedFolderOptions& options = a.preparation.preparation;
  if (!options.tokenizer_from.empty())
    binding.refuse_beside("--tokenizer-from",
                          {"tokenizer", "vocab-size", "character-coverage", "byte-fallback",
                           "normalization", "joint-vocabulary", "sample-lines", "seed"});
  const RuntimeScope runtime = enter_runtime(a.output.threads);
  ProgressLine progress("", "lines", progress_on_standard_error(false));
  const PreparationResult result =
      prepare_text(a.preparation, [&progress](std::int64_t lines) { progress.add(lines); });
  progress.end();
  print(result, options.out, a.output.format);
}

template <class Preparation>
void add_preparation(CLI::App& prepare, const std::string& name, const std::string& help) {
  CLI::App& command = add_command(prepare, name, help);
  const auto arguments = std::make_shared<PrepareArguments<Preparation>>();
  OptionBinding binding(command);
  binding.add(arguments->output, "output");
  for (const OptionGroup& group : option_groups(arguments->preparation))
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments] { run_prepare(*arguments, binding); });
}

}  // namespace

void add_prepare_command(CLI::App& app) {
  CLI::App& prepare = add_command_group(
      app, "prepare",
      "Encode training text that does not fit into memory, for attend train --prepared");
  add_preparation<TranslationPreparation>(prepare, "translation",
                                          "Encode sentence pairs to train a translator on");
  add_preparation<LanguagePreparation>(prepare, "lm", "Encode text to train a language model on");
}

}  // namespace attend
