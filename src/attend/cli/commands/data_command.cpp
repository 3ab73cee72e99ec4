#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/public_sets.h"

namespace attend {
namespace {

struct DataFiles {
  std::vector<std::string> from;
  std::string out;
};

template <class Visitor>
void fields(DataFiles& a, Visitor&& visit) {
  visit("from", a.from,
        "downloaded files, or folders with such files; archives need not be unpacked");
  visit("out", a.out, "folder to write, which must not exist: the files that the recipes read");
}

struct DataArguments {
  std::string name;
  DataFiles files;
  PublicSetOptions set;
};

void list_sets() {
  for (const PublicSet* const set : public_sets())
    answer("{:<16} {}\n{:<16} {}, {}; {}\n", set->name, set->about, "", set->size, set->license,
           set->page);
  answer("\nattend data NAME says what to download and how to go on.\n");
}

void print_downloads(const PublicSet& set, bool optional) {
  for (const SetDownload& download : set.downloads) {
    if (download.optional != optional) continue;
    answer("  {}\n    {}\n", address_of(download),
           download.sha256.empty() ? "no checksum is known"
                                   : fmt::format("sha256 {}", download.sha256));
  }
}

void describe(const PublicSet& set) {
  answer("{}: {}\n{}, {}; {}\n", set.name, set.about, set.size, set.license, set.page);
  const auto is_optional = [](const SetDownload& one) { return one.optional; };
  if (set.downloads.empty()) answer("\ndownload a corpus of two languages from that page\n");
  if (!set.downloads.empty()) answer("\ndownload\n");
  print_downloads(set, /*optional=*/false);
  if (std::any_of(set.downloads.begin(), set.downloads.end(), is_optional))
    answer("\nmore of it, or the same in other files\n");
  print_downloads(set, /*optional=*/true);
  answer("\nthen\n  attend data {} --from FILE... --out DIR\n", set.name);
}

void refuse_without_effect(const PublicSet& set, const OptionBinding& binding) {
  for (const std::string name : {"src-lang", "tgt-lang", "valid-pairs", "seed"}) {
    const bool has_effect =
        std::find(set.options.begin(), set.options.end(), name) != set.options.end();
    if (binding.is_set(name) && !has_effect)
      throw OptionError<ConfigError>("{} has no effect on {}", as_flag(name), set.name);
  }
}

void print(const PreparedSet& prepared, bool has_sums) {
  for (const CheckedDownload& download : prepared.downloads)
    answer("{}: {}\n", shown_path(download.path),
           download.known ? "the published checksum"
           : has_sums     ? "not a file whose checksum is known"
                          : "no checksum is known");
  for (const WrittenFile& file : prepared.files)
    answer("{:<40} {:>18}{}\n", file.name, counted(file.lines, "line"),
           file.published ? "  as published" : "");
  for (const std::string& note : prepared.notes) answer("{}\n", note);
}

void run_data(const DataArguments& a, const OptionBinding& binding) {
  if (a.name.empty()) {
    binding.refuse_without(
        "a name", {"from", "out", "src-lang", "tgt-lang", "valid-pairs", "seed", "any-version"});
    return list_sets();
  }
  const PublicSet& set = public_set(a.name);
  refuse_without_effect(set, binding);
  if (a.files.from.empty()) {
    binding.refuse_without("--from",
                           {"out", "src-lang", "tgt-lang", "valid-pairs", "seed", "any-version"});
    return describe(set);
  }
  if (a.files.out.empty()) throw ConfigError("--out: expected the folder to write, got none");
  const bool has_sums = std::any_of(set.downloads.begin(), set.downloads.end(),
                                    [](const SetDownload& one) { return !one.sha256.empty(); });
  print(prepare_public_set(set, a.files.from, a.files.out, a.set), has_sums);
}

}  // namespace

void add_data_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "data", "Prepare public data sets from the files that people download");
  const auto arguments = std::make_shared<DataArguments>();
  add_argument(command, arguments->name,
               {.name = "name",
                .type = "NAME",
                .help = "the set: multi30k, tatoeba, wmt, opus, imdb, sst2, wikitext-2 or "
                        "tinyshakespeare; without a name, all are listed",
                .required = false});
  OptionBinding binding(command);
  binding.add(arguments->files, "Files");
  binding.add(arguments->set);
  on_command(command, [arguments, binding] { run_data(*arguments, binding); });
}

}  // namespace attend
