// Image captions in several languages (Elliott et al. 2016), raw and as the published scores use
// them: lower-cased, normalized and tokenized.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "attend/core/strings/counted.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/multi30k_files.h"
#include "attend/data/public_sets/published_tokens.h"
#include "attend/data/public_sets/split_pairs.h"
#include "attend/error.h"

namespace attend {
namespace {

// The lines of each part ("train") and language.
using Captions = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

constexpr std::array<std::string_view, 6> kParts{
    "train", "val", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco", "test_2018_flickr"};

// The archives of 2016 call it "test" or "test2016".
std::optional<std::string> part_of(std::string_view name) {
  if (name == "test" || name == "test2016") return "test_2016_flickr";
  if (std::find(kParts.begin(), kParts.end(), name) == kParts.end()) return std::nullopt;
  return std::string(name);
}

// The archives of 2016 end with an empty line.
std::vector<std::string> captions_of(LineReader lines) {
  std::vector<std::string> captions;
  for (std::string line; lines.next(line);) captions.push_back(line);
  while (!captions.empty() && is_blank(captions.back())) captions.pop_back();
  return captions;
}

Captions read_captions(std::span<const std::string> downloads) {
  constexpr std::array<std::string_view, 4> kLanguages{"en", "de", "fr", "cs"};
  Captions captions;
  visit_files(downloads, [&](ArchiveReader& file) {
    const std::string_view name = last_name(unpacked_name(file.name()));
    const std::size_t dot = name.rfind('.');
    const std::string_view language = dot == name.npos ? "" : name.substr(dot + 1);
    if (std::find(kLanguages.begin(), kLanguages.end(), language) == kLanguages.end()) return;
    if (const auto part = part_of(name.substr(0, dot)))
      captions[*part].try_emplace(std::string(language), captions_of(file.lines()));
  });
  return captions;
}

void require_parts(const Captions& captions, const SetLanguages& languages) {
  for (const std::string part : {"train", "val"}) {
    for (const std::string& language : {languages.src, languages.tgt}) {
      const auto found = captions.find(part);
      if (found == captions.end() || !found->second.contains(language))
        refuse_missing_part("multi30k", fmt::format("{}.{}", part, language));
    }
  }
}

void require_same_size(const std::string& part,
                       const std::map<std::string, std::vector<std::string>>& by_language) {
  const auto& [first_language, first] = *by_language.begin();
  for (const auto& [language, lines] : by_language)
    if (lines.size() != first.size())
      throw DataError(
          fmt::format("expected as many lines in {0}.{1} as in {0}.{2}, found {3} and "
                      "{4}",
                      part, language, first_language, readable_count(std::ssize(lines)),
                      readable_count(std::ssize(first))));
}

void prepare_multi30k(std::span<const std::string> downloads, const PublicSetOptions& options,
                      SetFolder& out) {
  const Captions captions = read_captions(downloads);
  require_parts(captions, languages_or(options, {"en", "de"}));
  for (const auto& [part, by_language] : captions) {
    require_same_size(part, by_language);
    for (const auto& [language, lines] : by_language) {
      for (const std::string& line : lines)
        out.file(fmt::format("{}.{}", part, language)).add_line(line);
      if (!has_moses_rules(language)) continue;
      SetFile& tokens = out.file(fmt::format("tok/{}.lc.norm.tok.{}", part, language));
      for (const std::string& line : lines) tokens.add_line(moses_line(line, language));
    }
  }
}

constexpr std::array<std::string_view, 2> kMulti30kOptions{"src-lang", "tgt-lang"};

}  // namespace

constinit const PublicSet kMulti30k{
    .name = "multi30k",
    .about = "image captions in English, German, French and Czech (Elliott et al. 2016)",
    .size = "31,014 pairs",
    .license = "CC BY-NC-SA 4.0",
    .page = "https://github.com/multi30k/dataset",
    .downloads = multi30k::kDownloads,
    .published = multi30k::kPublished,
    .options = kMulti30kOptions,
    .prepare = prepare_multi30k};

}  // namespace attend
