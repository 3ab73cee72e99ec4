// Corpora of OPUS, in its formats Moses (a zip archive with one file for each language) and TMX.
#include <fmt/format.h>

#include <array>
#include <set>

#include "attend/core/options/option_error.h"
#include "attend/data/public_sets/downloads.h"
#include "attend/data/public_sets/side_files.h"
#include "attend/data/public_sets/tmx.h"
#include "attend/error.h"

namespace attend {
namespace {

bool is_tmx(const ArchiveReader& file) { return file.name().ends_with(".tmx"); }

[[noreturn]] void ask_for_languages(const std::string& where, const std::set<std::string>& found) {
  throw OptionError<DataError>("{}: expected two languages, found {}; choose with {} and {}", where,
                               fmt::format("{}", fmt::join(found, ", ")), as_flag("src-lang"),
                               as_flag("tgt-lang"));
}

// The languages of a corpus that has no others: of the names of its files, or the first unit.
SetLanguages languages_in(std::span<const std::string> downloads) {
  std::set<std::string> found;
  std::string where;
  visit_files(downloads, [&](ArchiveReader& file) {
    std::set<std::string> here;
    if (const auto name = side_name(file.name()); name && name->side != "tsv")
      here = {name->languages.src, name->languages.tgt};
    if (is_tmx(file)) {
      read_tmx(file, [&](const TranslationUnit& unit) {
        for (const auto& [tag, text] : unit.texts) here.insert(tag.substr(0, tag.find('-')));
        return false;
      });
    }
    if (!here.empty()) where = file.where();
    found.insert(here.begin(), here.end());
  });
  if (found.empty())
    refuse_missing_part("opus", "a .tmx file, and files such as Books.de-en.de and Books.de-en.en");
  if (found.size() != 2) ask_for_languages(where, found);
  return {*found.begin(), *std::next(found.begin())};
}

void prepare_opus(std::span<const std::string> downloads, const PublicSetOptions& options,
                  SetFolder& out) {
  SetLanguages languages{options.src_lang, options.tgt_lang};
  if (languages.src.empty() != languages.tgt.empty())
    throw OptionError<ConfigError>("expected both {} and {}, or neither", as_flag("src-lang"),
                                   as_flag("tgt-lang"));
  if (languages.src.empty()) languages = languages_in(downloads);
  SplitPairs pairs(out, languages, options, options.valid_pairs);
  SideFiles sides(out, languages);
  visit_files(downloads, [&](ArchiveReader& file) {
    if (!is_tmx(file)) return sides.take(file, pairs);
    read_tmx(file, [&](const TranslationUnit& unit) {
      pairs.add(text_in(unit, languages.src), text_in(unit, languages.tgt));
      return true;
    });
  });
  sides.finish(pairs);
  pairs.finish();
}

constexpr std::array<std::string_view, 4> kOpusOptions{"src-lang", "tgt-lang", "valid-pairs",
                                                       "seed"};

}  // namespace

constinit const PublicSet kOpus{
    .name = "opus",
    .about = "any corpus of OPUS, as Moses or TMX: pairs, and some set aside for validation",
    .size = "any",
    .license = "that of the corpus",
    .page = "https://opus.nlpl.eu",
    .downloads = {},
    .published = {},
    .options = kOpusOptions,
    .prepare = prepare_opus};

}  // namespace attend
