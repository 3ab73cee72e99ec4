#include "attend/documents/marks/aligned_words.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// Chinese, Japanese, Thai, Lao, Burmese and Khmer.
bool is_of_script_without_spaces(char32_t c) {
  return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) ||
         (c >= 0x1780 && c < 0x1800) || (c >= 0x3040 && c < 0x3100) ||
         (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0x20000 && c < 0x40000);
}

bool is_of_word(char32_t c) { return !unicode::is_punctuation(c) && !unicode::is_symbol(c); }

SentenceWord word_at(std::string_view text, TextSpan span) {
  SentenceWord word{span, span.end, span.begin, 0};
  for (std::size_t at = span.begin; at < span.end;) {
    const std::size_t begin = at;
    if (!is_of_word(next_code_point(text, at))) continue;
    word.core_begin = std::min(word.core_begin, begin);
    word.core_end = at;
  }
  if (word.core_begin >= word.core_end) {
    word.core_begin = span.begin;
    word.core_end = span.end;
  }
  return word;
}

}  // namespace

std::vector<SentenceWord> words_of_sentence(std::string_view text, TextSpan sentence) {
  std::vector<SentenceWord> words;
  std::size_t begin = sentence.begin, number = 0;
  const auto add = [&](std::size_t end) {
    if (end <= begin) return;
    words.push_back(word_at(text, {begin, end}));
    words.back().between_spaces = number;
  };
  bool cuts = false;  // whether the word so far ends with a character that is a word
  for (std::size_t at = sentence.begin; at < sentence.end;) {
    const std::size_t before = at;
    const char32_t c = next_code_point(text, at);
    const bool is_space = is_white_space(c), is_word = is_of_script_without_spaces(c);
    // Accents and punctuation stay with what is before them.
    if (is_space || (is_word && !unicode::is_mark(c)) ||
        (cuts && is_of_word(c) && !unicode::is_mark(c))) {
      add(before);
      if (is_space && before > begin) ++number;
      begin = is_space ? at : before;
      cuts = false;
    }
    cuts = cuts || is_word;
  }
  add(sentence.end);
  return words;
}

namespace {

std::vector<std::size_t> alignment_of_words(const std::vector<std::pair<int, int>>& pairs,
                                            const std::vector<SentenceWord>& from,
                                            const std::vector<SentenceWord>& to) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // The only word of each number between spaces.
  const auto numbers = [kNone](const std::vector<SentenceWord>& words) {
    std::vector<std::size_t> only(words.back().between_spaces + 1, kNone);
    std::vector<bool> seen(only.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t number = words[i].between_spaces;
      only[number] = seen[number] ? kNone : i;
      seen[number] = true;
    }
    return only;
  };
  std::vector<std::size_t> aligned(to.size());
  for (std::size_t t = 0; t < to.size(); ++t)
    aligned[t] = (2 * t + 1) * from.size() / (2 * to.size());
  const std::vector<std::size_t> sources = numbers(from), targets = numbers(to);
  for (const auto& [s, t] : pairs) {
    const auto source = static_cast<std::size_t>(s), target = static_cast<std::size_t>(t);
    if (source < sources.size() && target < targets.size() && sources[source] != kNone &&
        targets[target] != kNone)
      aligned[targets[target]] = sources[source];
  }
  return aligned;
}

// The characters of a text that are not white space.
class Characters {
 public:
  explicit Characters(const WordsOfText& text) {
    for (std::size_t at = text.span.begin; at < text.span.end;) {
      const std::size_t before = at;
      if (!is_white_space(next_code_point(text.text, at))) begins_.push_back(before);
    }
  }
  std::size_t size() const { return begins_.size(); }
  std::size_t byte_of(std::size_t number) const { return begins_[number]; }
  std::size_t number_of(std::size_t byte) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), byte);
    return next == begins_.begin() ? 0 : static_cast<std::size_t>(next - begins_.begin()) - 1;
  }

 private:
  std::vector<std::size_t> begins_;
};

std::size_t letters_of_token(std::string_view token) {
  constexpr char32_t kSpaceOfPieces = 0x2581;
  std::size_t letters = 0;
  for (std::size_t at = 0; at < token.size();) {
    const char32_t c = next_code_point(token, at);
    if (c != kSpaceOfPieces && !is_white_space(c)) ++letters;
  }
  return letters;
}

// Where each of the tokens of a text begins among its `characters`, and where the last one ends.
// Tokens of other characters than the text, as after normalization, have their relative places.
std::vector<double> places_of_tokens(const std::vector<std::string>& tokens,
                                     std::size_t characters) {
  std::vector<double> places{0};
  for (const std::string& token : tokens)
    places.push_back(places.back() + static_cast<double>(letters_of_token(token)));
  if (places.back() > 0)
    for (double& place : places) place *= static_cast<double>(characters) / places.back();
  return places;
}

std::size_t word_with_byte(const std::vector<SentenceWord>& words, std::size_t byte) {
  const auto next =
      std::upper_bound(words.begin(), words.end(), byte,
                       [](std::size_t b, const SentenceWord& word) { return b < word.span.begin; });
  return next == words.begin() ? 0 : static_cast<std::size_t>(next - words.begin()) - 1;
}

// The same by the tokens: a character of a token goes with the one at the same place of its source
// token.
std::vector<std::size_t> alignment_by_tokens(const WordsOfText& source,
                                             const std::vector<std::string>& source_tokens,
                                             const WordsOfText& target,
                                             const TranslationCandidate& translation) {
  const Characters from(source), to(target);
  const std::vector<double> sources = places_of_tokens(source_tokens, from.size()),
                            targets = places_of_tokens(translation.tokens, to.size());
  std::vector<std::size_t> aligned;
  for (const SentenceWord& word : target.words) {
    const auto middle = static_cast<double>(to.number_of(word.core_begin)) + 0.5;
    const auto next = std::upper_bound(targets.begin(), targets.end() - 1, middle);
    const auto token = static_cast<std::size_t>(next - targets.begin()) - 1;
    const double width = targets[token + 1] - targets[token],
                 share = width > 0 ? std::clamp((middle - targets[token]) / width, 0.0, 1.0) : 0;
    const auto of_source = static_cast<std::size_t>(translation.token_alignment[token]);
    const double place = sources[of_source] + share * (sources[of_source + 1] - sources[of_source]);
    const std::size_t number = std::min(static_cast<std::size_t>(place), from.size() - 1);
    aligned.push_back(word_with_byte(source.words, from.byte_of(number)));
  }
  return aligned;
}

// Whether some words have no spaces between them.
bool have_no_spaces(const std::vector<SentenceWord>& words) {
  return words.size() > words.back().between_spaces + 1;
}

bool has_tokens(const TranslationCandidate& translation, std::size_t source_tokens) {
  const std::vector<int>& aligned = translation.token_alignment;
  return !aligned.empty() && aligned.size() == translation.tokens.size() &&
         std::all_of(aligned.begin(), aligned.end(), [&](int token) {
           return token >= 0 && static_cast<std::size_t>(token) < source_tokens;
         });
}

}  // namespace

std::vector<std::size_t> aligned_words(const WordsOfText& source,
                                       const std::vector<std::string>& source_tokens,
                                       const WordsOfText& target,
                                       const TranslationCandidate& translation) {
  if ((have_no_spaces(source.words) || have_no_spaces(target.words)) &&
      has_tokens(translation, source_tokens.size()))
    return alignment_by_tokens(source, source_tokens, target, translation);
  return alignment_of_words(translation.alignment, source.words, target.words);
}

}  // namespace attend
