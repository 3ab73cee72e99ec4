#include "attend/tasks/translation/trust/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/tasks/translation/trust/numbers.h"
#include "attend/text/language/language_tag.h"
#include "attend/text/repetition.h"
#include "attend/text/text_measures.h"
#include "attend/text/words.h"

namespace attend {

namespace {

// How much more likely another language must be before a text counts as one in it, and before a
// copy of the source counts as one that should not be.
constexpr double kOtherLanguage = 1000, kCopyLanguage = 10;
// A shorter text says too little of its language.
constexpr std::int64_t kLettersOfLanguage = 40;

std::optional<LanguageCheck> language_check(const std::string& language, double odds) {
  if (language.empty()) return std::nullopt;
  try {
    return LanguageCheck(language, odds, "language");
  } catch (const ConfigError&) {
    return std::nullopt;  // not known here
  }
}

// Letters and digits; one of a script without spaces says as much as three others.
double length_of(std::string_view text) {
  constexpr double kOfCharacter = 3;
  double length = 0;
  for (const TextWord& word : words_of_text(text))
    length += word.is_character ? kOfCharacter : static_cast<double>(count_code_points(word.text));
  return length;
}

std::string length_difference(std::string_view source, std::string_view translation) {
  constexpr double kTimes = 3, kBeside = 40;
  const double src = length_of(source), tgt = length_of(translation);
  if (tgt > kTimes * src + kBeside) return "the translation is much longer than the source";
  if (src > kTimes * tgt + kBeside) return "the translation is much shorter than the source";
  return "";
}

// The longest part that both have, as [begin, end) of `b`.
std::pair<std::size_t, std::size_t> longest_common_part(std::span<const TextWord> a,
                                                        std::span<const TextWord> b) {
  std::vector<std::size_t> before(b.size() + 1), now(b.size() + 1);
  std::pair<std::size_t, std::size_t> longest{0, 0};
  for (const TextWord& word : a) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      now[i + 1] = word == b[i] ? before[i] + 1 : 0;
      if (now[i + 1] > longest.second - longest.first) longest = {i + 1 - now[i + 1], i + 1};
    }
    std::swap(before, now);
  }
  return longest;
}

// Words that are no names: they begin with a small letter.
std::size_t count_small(std::span<const TextWord> words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(),
      [](const TextWord& word) { return word.text.size() > 1 && is_small_word(word.text); }));
}

std::string listed(const std::vector<std::string>& texts) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) shown.push_back(printable(text, 60));
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string number_reason(const NumberDifference& numbers) {
  std::string reason;
  if (!numbers.missing.empty()) reason = listed(numbers.missing) + " is missing";
  if (numbers.added.empty()) return reason;
  return fmt::format("{}{}{} is not in the source", reason, reason.empty() ? "" : "; ",
                     listed(numbers.added));
}

std::vector<std::string> missing_spans(const SpanPatterns& patterns, std::string_view source,
                                       std::string_view translation) {
  std::vector<std::string> missing;
  for (const ProtectedSpan& span : patterns.find(source)) {
    const std::string_view text = source.substr(span.begin, span.end - span.begin);
    if (translation.find(text) == translation.npos) missing.emplace_back(text);
  }
  return missing;
}

SpanPatterns common_patterns() {
  const std::array<std::string, 1> common{"common"};
  return SpanPatterns(common);
}

}  // namespace

TextFlags::TextFlags(const LanguagePair& languages)
    : target_(languages.target),
      may_be_equal_(!languages.target.empty() &&
                    language_tag(languages.source) == language_tag(languages.target)),
      is_target_(language_check(languages.target, kOtherLanguage)),
      is_clearly_target_(language_check(languages.target, kCopyLanguage)),
      common_(common_patterns()) {}

bool TextFlags::is_copy(std::string_view source, std::string_view translation) const {
  constexpr std::size_t kFewest = 3, kFewestOfPart = 6;  // words that begin with a small letter
  if (may_be_equal_ || (is_clearly_target_ && is_clearly_target_->passes(translation)))
    return false;
  const std::vector<TextWord> src = words_of_text(source), tgt = words_of_text(translation);
  const auto [begin, end] = longest_common_part(src, tgt);
  const auto part = std::span(tgt).subspan(begin, end - begin);
  if (part.size() == src.size() && part.size() == tgt.size()) return count_small(part) >= kFewest;
  return count_small(part) >= kFewestOfPart && 2 * part.size() >= tgt.size();
}

std::vector<TranslationFlag> TextFlags::of(std::string_view source,
                                           std::string_view translation) const {
  std::vector<TranslationFlag> flags;
  const TextMeasures src = measure_text(source), tgt = measure_text(translation);
  if (src.letters + src.digits == 0) return flags;
  if (tgt.letters + tgt.digits == 0) return {{"empty", "there is no translation"}};
  const auto add = [&](const char* name, std::string reason) {
    if (!reason.empty()) flags.push_back({name, std::move(reason)});
  };
  add("length", length_difference(source, translation));
  const bool copied = is_copy(source, translation);
  add("copy", copied ? "a part of the source is not translated" : "");
  if (!copied && !may_be_equal_ && is_target_ && tgt.letters >= kLettersOfLanguage &&
      !is_target_->passes(translation))
    add("language", fmt::format("the translation is not in {}", printable(target_, 20)));
  if (const std::string part = repeated_part(source, translation); !part.empty())
    add("repetition", printable(part, 60) + " is repeated");
  add("numbers", number_reason(number_difference(source, translation)));
  if (const auto missing = missing_spans(common_, source, translation); !missing.empty())
    add("verbatim", listed(missing) + " is missing");
  return flags;
}

}  // namespace attend
