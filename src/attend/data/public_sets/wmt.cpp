// The news translation tasks of WMT: News Commentary, Europarl, Common Crawl, and the test sets of
// each year.
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "attend/core/files/atomic_lines.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/side_files.h"

namespace attend {
namespace {

// A file of one side of a test set: "newstest2014-deen-src.de.sgm", "newstest2013.de".
struct TestSide {
  std::string set;        // "newstest2014"
  std::string direction;  // "deen"; empty: not named
  std::string language;
  bool is_sgm = false;
};

std::optional<TestSide> test_side(std::string_view path) {
  std::string_view name = last_name(path);
  TestSide side;
  side.is_sgm = name.ends_with(".sgm");
  if (side.is_sgm) name.remove_suffix(4);
  const std::size_t dot = name.rfind('.');
  if (!name.starts_with("news") || dot == name.npos) return std::nullopt;
  side.language = name.substr(dot + 1);
  name = name.substr(0, dot);
  if (side.is_sgm) {
    if (!name.ends_with("-src") && !name.ends_with("-ref")) return std::nullopt;
    name.remove_suffix(4);
  }
  const std::size_t dash = name.find('-');
  side.set = name.substr(0, dash);
  if (dash != name.npos) side.direction = name.substr(dash + 1);
  // News Commentary and the like are training text.
  if (side.set == "news" || (!side.is_sgm && dash != name.npos)) return std::nullopt;
  return side;
}

// The text of "<seg id="1">...</seg>", one on each line, as sacreBLEU reads it: escapes stay.
void copy_segments(ArchiveReader& file, const std::filesystem::path& to) {
  LineReader lines = file.lines();
  AtomicLines segments(to);
  for (std::string line; lines.next(line);) {
    const std::size_t tag = line.find("<seg");
    const std::size_t begin = tag == line.npos ? tag : line.find('>', tag);
    const std::size_t end = line.rfind("</seg>");
    if (begin == line.npos || end == line.npos || end <= begin) continue;
    segments.add(one_line(std::string_view(line).substr(begin + 1, end - begin - 1)));
    segments.end_line();
  }
  segments.commit();
}

// The test sets, until both sides are there.
class TestSets {
 public:
  TestSets(SetFolder& folder, SetLanguages languages)
      : folder_(folder), languages_(std::move(languages)) {}

  void take(ArchiveReader& file) {
    const std::optional<TestSide> side = test_side(file.name());
    if (!side || (side->language != languages_.src && side->language != languages_.tgt)) return;
    auto& paths = sets_[side->set][side->direction];
    if (paths.contains(side->language)) return;  // a source that is also a reference
    const std::filesystem::path copy =
        folder_.scratch(fmt::format("{}-{}.{}", side->set, side->direction, side->language));
    side->is_sgm ? copy_segments(file, copy) : copy_entry(file, copy);
    paths[side->language] = copy;
  }

  // Writes one of several directions: that of the languages.
  void finish() {
    for (const auto& [set, directions] : sets_) {
      for (const std::string& direction :
           {languages_.src + languages_.tgt, languages_.tgt + languages_.src, std::string()}) {
        const auto found = directions.find(direction);
        if (found == directions.end() || found->second.size() != 2) continue;
        write(set, found->second);
        break;
      }
    }
  }
  bool is_empty() const { return sets_.empty(); }

 private:
  void write(const std::string& set, const std::map<std::string, std::filesystem::path>& paths) {
    ParallelLines lines(paths.at(languages_.src), paths.at(languages_.tgt));
    for (SentencePair pair; lines.next(pair);) {
      folder_.file(fmt::format("{}.{}", set, languages_.src)).add_line(pair.first);
      folder_.file(fmt::format("{}.{}", set, languages_.tgt)).add_line(pair.second);
    }
  }

  SetFolder& folder_;
  SetLanguages languages_;
  std::map<std::string, std::map<std::string, std::map<std::string, std::filesystem::path>>> sets_;
};

void prepare_wmt(std::span<const std::string> downloads, const PublicSetOptions& options,
                 SetFolder& out) {
  const SetLanguages languages = languages_or(options, {"en", "de"});
  SplitPairs pairs(out, languages, options, /*valid_pairs=*/0);
  SideFiles sides(out, languages);
  TestSets tests(out, languages);
  bool has_text = false;
  visit_files(downloads, [&](ArchiveReader& file) {
    const auto name = side_name(file.name());
    has_text = has_text || (name && are_same(name->languages, languages));
    name ? sides.take(file, pairs) : tests.take(file);
  });
  if (!has_text && tests.is_empty())
    refuse_missing_part(
        "wmt", fmt::format("text in the languages {} and {}", languages.src, languages.tgt));
  sides.finish(pairs);
  if (has_text) pairs.finish();
  tests.finish();
}

constexpr std::string_view kOf13 = "https://www.statmt.org/wmt13/";
constexpr std::string_view kNews14 = "https://data.statmt.org/news-commentary/v14/training/";
constexpr std::string_view kEuroparl9 = "https://www.statmt.org/europarl/v9/training/";

constexpr std::array<SetDownload, 8> kWmtDownloads{{
    {"https://data.statmt.org/wmt18/translation-task/", "training-parallel-nc-v13.tgz",
     "17992b7e919cfb754c60f4e754148bc23b80706ad0ed7b34150831a554b40c91"},
    {"https://data.statmt.org/wmt19/translation-task/", "dev.tgz",
     "7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7"},
    {"https://www.statmt.org/wmt14/", "training-parallel-nc-v9.tgz",
     "cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485", true},
    {kNews14, "news-commentary-v14.de-en.tsv.gz",
     "8aaa98a77d38bd39dcbdbcb775f3b6c633700e4c10fd915cf3dc6b9bfd0f2dca", true},
    {kOf13, "training-parallel-europarl-v7.tgz",
     "0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7", true},
    {kEuroparl9, "europarl-v9.de-en.tsv.gz",
     "c2aef75d81bf06b22e4a9237319c1d53ba9668a13cb155c6b1361182cd3abc84", true},
    {kOf13, "training-parallel-commoncrawl.tgz",
     "c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5", true},
    {"https://www.statmt.org/wmt14/", "test-full.tgz", "", true},
}};
constexpr std::array<PublishedFile, 1> kWmtPublished{{{"newstest2013.en", 3000}}};
constexpr std::array<std::string_view, 2> kWmtOptions{"src-lang", "tgt-lang"};

}  // namespace

constinit const PublicSet kWmt{
    .name = "wmt",
    .about = "news commentaries, parliament debates and test sets of news (WMT)",
    .size = "0.3 to 5 million pairs",
    .license = "for research",
    .page = "https://www.statmt.org/wmt19/translation-task.html",
    .downloads = kWmtDownloads,
    .published = kWmtPublished,
    .options = kWmtOptions,
    .prepare = prepare_wmt};

}  // namespace attend
