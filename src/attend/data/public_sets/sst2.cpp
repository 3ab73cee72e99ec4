// Sentences from film reviews, positive or negative: the trees of Socher et al. (2013), or the
// phrases of GLUE.
#include <fmt/format.h>

#include <array>

#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/set_folder.h"
#include "attend/data/public_sets/split_pairs.h"
#include "attend/error.h"

namespace attend {
namespace {

[[noreturn]] void refuse_line(const LineReader& lines, std::string_view expected) {
  throw DataError(fmt::format("{}: expected {}", lines.where(), expected));
}

std::string without_code(const std::string& word) {
  if (word == "-LRB-") return "(";
  return word == "-RRB-" ? ")" : word;
}

// The words of "(3 (2 The) (4 Rock))": what is between the label of a leaf and its bracket.
std::string words_of(std::string_view tree) {
  std::string words;
  for (std::size_t close = tree.find(')'); close != tree.npos; close = tree.find(')', close + 1)) {
    const std::size_t open = tree.find_last_of("()", close == 0 ? 0 : close - 1);
    if (open == tree.npos || tree[open] != '(') continue;
    const std::string_view leaf = tree.substr(open + 1, close - open - 1);
    const std::size_t blank = leaf.find(' ');
    if (blank == leaf.npos) continue;
    if (!words.empty()) words += ' ';
    words += without_code(std::string(leaf.substr(blank + 1)));
  }
  return words;
}

// Labels 0 and 1 are negative, 3 and 4 positive; sentences with 2, neutral, are left out.
void add_trees(LineReader lines, SetFile& out) {
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    if (line.size() < 2 || line[0] != '(' || line[1] < '0' || line[1] > '4')
      refuse_line(lines, "a tree such as (3 (2 A) (4 gem))");
    if (line[1] != '2') out.add_line(fmt::format("{}\t{}", line[1] > '2' ? 1 : 0, words_of(line)));
  }
}

// A heading, then sentence TAB label.
void add_table(LineReader lines, SetFile& out) {
  std::string line;
  if (!lines.next(line) || line != "sentence\tlabel")
    refuse_line(lines, "the heading sentence TAB label");
  while (lines.next(line)) {
    const std::size_t tab = line.rfind('\t');
    if (tab == line.npos || (line.substr(tab + 1) != "0" && line.substr(tab + 1) != "1"))
      refuse_line(lines, "a sentence, a tab, and the label 0 or 1");
    out.add_line(fmt::format("{}\t{}", line.substr(tab + 1), one_line(line.substr(0, tab))));
  }
}

void prepare_sst2(std::span<const std::string> downloads, const PublicSetOptions&, SetFolder& out) {
  std::array<bool, 2> found{};
  visit_files(downloads, [&](ArchiveReader& file) {
    const std::string_view name = last_name(file.name());
    const bool is_tree = name.ends_with(".txt");
    for (const std::string part : {"train", "dev", "test"}) {
      if (name != part + (is_tree ? ".txt" : ".tsv")) continue;
      if (part == "test" && !is_tree) continue;  // GLUE's has no labels
      if (part != "test" && std::exchange(found[part == "dev"], true))
        throw DataError(
            fmt::format("{}: expected one file for {}, found a second", file.where(), part));
      SetFile& table = out.file(part + ".tsv");
      is_tree ? add_trees(file.lines(), table) : add_table(file.lines(), table);
    }
  });
  if (!found[0]) refuse_missing_part("sst2", "trees/train.txt");
  if (!found[1]) refuse_missing_part("sst2", "trees/dev.txt");
}

constexpr std::array<SetDownload, 2> kSstDownloads{{
    {"https://nlp.stanford.edu/sentiment/", "trainDevTestTrees_PTB.zip",
     "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc"},
    {"https://dl.fbaipublicfiles.com/glue/data/", "SST-2.zip",
     "d67e16fb55739c1b32cdce9877596db1c127dc322d93c082281f64057c16deaa", true},
}};
constexpr std::array<PublishedFile, 4> kSstPublished{
    {{"train.tsv", 67349}, {"train.tsv", 6920}, {"dev.tsv", 872}, {"test.tsv", 1821}}};

}  // namespace

constinit const PublicSet kSst2{
    .name = "sst2",
    .about = "sentences from film reviews, good or bad (Socher et al. 2013)",
    .size = "9,613 sentences",
    .license = "for research",
    .page = "https://nlp.stanford.edu/sentiment/",
    .downloads = kSstDownloads,
    .published = kSstPublished,
    .options = {},
    .prepare = prepare_sst2};

}  // namespace attend
