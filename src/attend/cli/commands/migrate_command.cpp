#include <fmt/format.h>

#include <memory>
#include <string>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/standard_input.h"
#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "attend/interchange/migration/migrated_file.h"

namespace attend {
namespace {

struct MigrateOptions {
  MigrationSource from = MigrationSource::automatic;
};

template <class Visitor>
void fields(MigrateOptions& o, Visitor&& visit) {
  visit("from", o.from,
        "the program whose options are in the file: marian, fairseq or opennmt; auto: found out");
}

struct MigrateArguments {
  std::string file;
  MigrateOptions options;
};

constexpr std::size_t kMostConfigurationBytes = std::size_t{1} << 20;

std::string read_configuration(const std::string& path) {
  LineReader reader = path == "-" ? standard_input() : LineReader(path);
  std::string text;
  for (std::string line; reader.next(line);) {
    text += line + '\n';
    if (text.size() > kMostConfigurationBytes)
      throw DataError(fmt::format("{}: expected a configuration of at most {} MiB, got more",
                                  reader.where(), kMostConfigurationBytes >> 20));
  }
  return text;
}

void run_migrate(const MigrateArguments& a) {
  const std::string where = a.file == "-" ? "standard input" : shown_path(a.file);
  const MigratedFile file = migrate(read_configuration(a.file), where, a.options.from);
  const std::string& command = file.migrations.front().recipe().command();
  answer("# attend {} --config recipe.toml {}\n", command,
         command.starts_with("train") ? "--out run" : "MODEL < in.txt > out.txt");
  answer("{}", migrated_text(file, where));
}

}  // namespace

void add_migrate_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "migrate", "Translate a configuration of Marian, fairseq or OpenNMT-py to a recipe");
  const auto arguments = std::make_shared<MigrateArguments>();
  add_argument(
      command, arguments->file,
      {.name = "file",
       .type = "FILE",
       .help =
           "YAML of Marian or OpenNMT-py, for training or decoding, or a shell script that calls "
           "fairseq or Marian; -: standard input"});
  OptionBinding binding(command);
  binding.add(arguments->options);
  on_command(command, [arguments] { run_migrate(*arguments); });
}

}  // namespace attend
