#include "attend/data/filter/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/repetition.h"

namespace attend {
namespace {

void require_ratio(std::string_view option, double ratio) {
  if (ratio > 0 && ratio < 1)
    throw OptionError<ConfigError>(
        "{}: expected 0, or 1 or more, because no pair has a smaller ratio; got {}",
        as_flag(option), ratio);
}

std::string_view without_outer_spaces(std::string_view text) {
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = at;
    if (is_white_space(next_code_point(text, at))) continue;
    begin = std::min(begin, first);
    end = at;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

// Whether one says again what the other says once.
bool repeats(std::string_view a, std::string_view b) {
  return !repeated_part(a, b).empty() || !repeated_part(b, a).empty();
}

// At most `most` times as many on one side as on the other; 0: any.
bool is_within(double most, std::int64_t a, std::int64_t b) {
  return most == 0 ||
         static_cast<double>(std::max(a, b)) <= most * static_cast<double>(std::min(a, b));
}

}  // namespace

PairRules::PairRules(const FilterOptions& options, bool in_pairs)
    : lines_(options.lines), pairs_(options.pairs), in_pairs_(in_pairs) {
  check_options(lines_);
  check_options(pairs_);
  check_options(options.languages);
  require_ratio("max-length-ratio", pairs_.max_length_ratio);
  require_ratio("max-character-ratio", pairs_.max_character_ratio);
  const LanguageFilterOptions& languages = options.languages;
  if (languages.language_odds == 0) return;
  if (!languages.src_lang.empty())
    src_language_.emplace(languages.src_lang, languages.language_odds, "src-lang");
  if (in_pairs && !languages.tgt_lang.empty())
    tgt_language_.emplace(languages.tgt_lang, languages.language_odds, "tgt-lang");
}

std::vector<FilterRule> PairRules::rules() const {
  std::vector<FilterRule> rules{FilterRule::not_text, FilterRule::empty};
  const auto add = [&rules](FilterRule rule, bool is_on) {
    if (is_on) rules.push_back(rule);
  };
  add(FilterRule::min_words, lines_.min_words > 1);
  add(FilterRule::max_words, lines_.max_words > 0);
  add(FilterRule::min_characters, lines_.min_characters > 1);
  add(FilterRule::max_characters, lines_.max_characters > 0);
  add(FilterRule::max_word_length, lines_.max_word_length > 0);
  add(FilterRule::min_letters, lines_.min_letters > 0);
  add(FilterRule::max_digits, lines_.max_digits < 1);
  add(FilterRule::max_punctuation, lines_.max_punctuation < 1);
  add(FilterRule::max_length_ratio, in_pairs_ && pairs_.max_length_ratio > 0);
  add(FilterRule::max_character_ratio, in_pairs_ && pairs_.max_character_ratio > 0);
  add(FilterRule::drop_identical, in_pairs_ && pairs_.drop_identical);
  add(FilterRule::drop_repeating, in_pairs_ && pairs_.drop_repeating);
  add(FilterRule::src_lang, src_language_.has_value());
  add(FilterRule::tgt_lang, tgt_language_.has_value());
  return rules;
}

std::optional<FilterRule> PairRules::broken_by(const TextPair& pair) const {
  if (!pair.fault.empty()) return FilterRule::not_text;
  const TextMeasures src = measure_text(pair.src);
  const TextMeasures tgt = in_pairs_ ? measure_text(pair.tgt) : src;
  if (src.visible == 0 || tgt.visible == 0) return FilterRule::empty;
  const auto either = [&](auto rule) {
    const std::optional<FilterRule> broken = (this->*rule)(src);
    return broken || !in_pairs_ ? broken : (this->*rule)(tgt);
  };
  if (const auto broken = either(&PairRules::broken_lengths)) return broken;
  if (const auto broken = either(&PairRules::broken_shares)) return broken;
  if (in_pairs_) {
    if (const auto broken = broken_ratios(src, tgt)) return broken;
    if (pairs_.drop_identical && without_outer_spaces(pair.src) == without_outer_spaces(pair.tgt))
      return FilterRule::drop_identical;
    if (pairs_.drop_repeating && repeats(pair.src, pair.tgt)) return FilterRule::drop_repeating;
  }
  return broken_languages(pair);
}

std::optional<FilterRule> PairRules::broken_lengths(const TextMeasures& line) const {
  const auto exceeds = [](std::int64_t count, int most) { return most > 0 && count > most; };
  if (line.words < lines_.min_words) return FilterRule::min_words;
  if (exceeds(line.words, lines_.max_words)) return FilterRule::max_words;
  if (line.characters < lines_.min_characters) return FilterRule::min_characters;
  if (exceeds(line.characters, lines_.max_characters)) return FilterRule::max_characters;
  if (exceeds(line.longest_word, lines_.max_word_length)) return FilterRule::max_word_length;
  return std::nullopt;
}

std::optional<FilterRule> PairRules::broken_shares(const TextMeasures& line) const {
  if (line.letter_share() < lines_.min_letters) return FilterRule::min_letters;
  if (line.digit_share() > lines_.max_digits) return FilterRule::max_digits;
  if (line.punctuation_share() > lines_.max_punctuation) return FilterRule::max_punctuation;
  return std::nullopt;
}

std::optional<FilterRule> PairRules::broken_ratios(const TextMeasures& src,
                                                   const TextMeasures& tgt) const {
  if (!is_within(pairs_.max_length_ratio, src.words, tgt.words))
    return FilterRule::max_length_ratio;
  if (!is_within(pairs_.max_character_ratio, src.characters, tgt.characters))
    return FilterRule::max_character_ratio;
  return std::nullopt;
}

std::optional<FilterRule> PairRules::broken_languages(const TextPair& pair) const {
  if (src_language_ && !src_language_->passes(pair.src)) return FilterRule::src_lang;
  if (tgt_language_ && !tgt_language_->passes(pair.tgt)) return FilterRule::tgt_lang;
  return std::nullopt;
}

}  // namespace attend
