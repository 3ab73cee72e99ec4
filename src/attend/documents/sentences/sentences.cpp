#include "attend/documents/sentences/sentences.h"

#include <array>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/periods.h"
#include "attend/documents/sentences/sentence_marks.h"
#include "attend/documents/sentences/sentence_rules.h"

namespace attend {
namespace {

// Spaces between a stop and the » that closes the quote, as French has them.
constexpr int kMostSpacesBeforeQuote = 2;
// Bytes of a title in 《》, in which no sentence ends.
constexpr std::size_t kMostOfTitle = 200;

// The bytes that stops and line ends begin with.
constexpr std::array<bool, 256> first_bytes_of_marks() {
  std::array<bool, 256> is_first{};
  for (const unsigned char byte : {'.', '!', '?', ';', ':', '"', '\t', '\n', '\v', '\f', '\r'})
    is_first[byte] = true;
  for (const int byte :
       {0xC2, 0xCD, 0xD6, 0xD8, 0xDB, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEA, 0xEF})
    is_first[static_cast<std::size_t>(byte)] = true;
  return is_first;
}
constexpr std::array<bool, 256> kBeginsMark = first_bytes_of_marks();

// Marks that may end a sentence, in bytes: the marks, then quotes and brackets that they close.
struct Stop {
  std::size_t begin, after, end;
  char32_t first, last;
  bool is_one;  // no mark follows the first
  bool closes_quote;
};

class SentenceFinder {
 public:
  SentenceFinder(std::string_view text, const SentenceRules& rules) : text_(text), rules_(rules) {}

  std::vector<TextSpan> find() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!kBeginsMark[static_cast<unsigned char>(text_[at])]) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      const char32_t c = next_code_point(text_, at);
      if (is_line_end(c)) {
        cut(at);
        is_quoted_ = false;
        title_end_ = 0;
      } else if (c == U'"') {
        is_quoted_ = !is_quoted_;
      } else if (c == U'《') {
        title_end_ = at + kMostOfTitle;
      } else if (stops(c)) {
        const Stop stop = read_stop(begin);
        if (ends_sentence(stop)) cut(stop.end);
        at = stop.end;
      }
    }
    cut(text_.size());
    return std::move(spans_);
  }

 private:
  bool stops(char32_t c) const { return is_stop(c) || rules_.has_stop(c); }

  // The character at byte `at`, which moves behind it; 0 at the end of the text.
  char32_t next(std::size_t& at) const {
    return at < text_.size() ? next_code_point(text_, at) : 0;
  }
  char32_t character_at(std::size_t at) const { return next(at); }
  char32_t character_before(std::size_t at) const {
    return at > 0 ? attend::character_before(text_, at).character : 0;
  }

  Stop read_stop(std::size_t begin) {
    Stop stop{begin, begin, begin, character_at(begin), 0, true, false};
    for (std::size_t at = begin; stops(character_at(at)); stop.after = at) {
      stop.is_one = at == begin;
      stop.last = next(at);
    }
    stop.end = stop.after;
    for (std::size_t at = stop.end; at < text_.size(); stop.end = at) {
      const char32_t c = next(at);
      if (!closes_after(stop, c) && !closes_bracket(c) && !is_invisible(c)) break;
      stop.closes_quote = stop.closes_quote || closes_quote(c);
      if (c == U'"') is_quoted_ = !is_quoted_;
    }
    stop.end = after_references(after_distant_quote(stop.end));
    return stop;
  }

  // Where no space is needed, what can open a quote does not close one.
  bool closes_after(const Stop& stop, char32_t c) const {
    const bool is_free = is_free_stop(stop.last);
    if (c == U'"' && is_free) return is_quoted_;
    return closes_quote(c) && !(is_free && (c == U'“' || c == U'‘' || c == U'«'));
  }

  // Behind a » that closes a quote after a space; `at` if there is none.
  std::size_t after_distant_quote(std::size_t at) {
    std::size_t end = after_spaces(at, kMostSpacesBeforeQuote);
    const char32_t c = next(end);
    const bool is_closing = c == U'»' || c == U'›' || c == U'”' || (c == U'"' && is_quoted_);
    if (!is_closing || !is_end_or_space(end)) return at;
    if (c == U'"') is_quoted_ = false;
    return end;
  }

  // Behind at most so many spaces.
  std::size_t after_spaces(std::size_t at, int most) const {
    for (int spaces = 0; spaces < most; ++spaces) {
      const char32_t c = character_at(at);
      if (!is_white_space(c) || is_line_end(c)) break;
      next(at);
    }
    return at;
  }
  bool is_end_or_space(std::size_t at) const {
    return at == text_.size() || is_white_space(character_at(at));
  }

  // Behind the numbers of footnotes, as "[12][13]"; `at` if there are none.
  std::size_t after_references(std::size_t at) const {
    for (std::size_t end = after_reference(at); end != at; end = after_reference(at)) at = end;
    return at;
  }
  std::size_t after_reference(std::size_t at) const {
    std::size_t end = after_spaces(at, 1);
    if (next(end) != U'[') return at;
    for (int digits = 0; digits < 4; ++digits) {
      const char32_t c = next(end);
      if (c == U']' && digits > 0)
        return is_end_or_space(end) || character_at(end) == U'[' ? end : at;
      if (!unicode::is_digit(c)) break;
    }
    return at;
  }

  bool ends_sentence(const Stop& stop) {
    if (!has_text_before(stop.begin)) return false;
    const char32_t before = character_before(stop.begin), after = character_at(stop.end);
    if (opens_bracket(before) && stop.end > stop.after) return false;  // "(?)"
    if (is_free_stop(stop.last)) return ends_freely(stop, before, after);
    if (after != 0 && !is_white_space(after))
      return stop.is_one && stop.last != U'…' && is_written_without_spaces(before) &&
             is_written_without_spaces(after);
    return ends_before_space(stop);
  }

  // Whether a sentence ends after marks that need no space after them.
  bool ends_freely(const Stop& stop, char32_t before, char32_t after) {
    if (goes_on(after) || stops(after) || is_in_title(stop)) return false;
    if (stop.first == U'．' || stop.first == U'۔') {
      if (unicode::is_digit(before) && unicode::is_digit(after)) return false;
      if (stop.is_one && stop.end == stop.after && is_white_space(after))
        return !belongs_to_word(period(stop), rules_);
    }
    // 「行く。」と言った。
    const bool is_particle =
        std::u32string_view(U"とっなにのをがもでへやは").find(after) != std::u32string_view::npos;
    return !(stop.closes_quote && is_particle);
  }

  // "《去吧！爸爸》": whether 》 follows a 《 before the stop.
  bool is_in_title(const Stop& stop) const {
    if (stop.begin >= title_end_) return false;
    const std::size_t opening = title_end_ - kMostOfTitle;
    const std::string_view title = text_.substr(opening, kMostOfTitle);
    const std::size_t closing = title.find("》");
    return closing != title.npos && opening + closing >= stop.begin;
  }

  // Whether a sentence ends after marks that a space follows.
  bool ends_before_space(const Stop& stop) {
    const Period at = period(stop);
    const char32_t c = character_at(at.next);
    if (c == 0) return true;
    if (stops(c)) return begins_with_stops(at.next);
    if (goes_on(c)) return false;
    if (is_small(c) && !has_capital_within(at.next) && !begins_small()) return false;
    if (stop.first != U'.' || !stop.is_one) return true;
    if (!rules_.has_periods()) return false;
    return stop.closes_quote ? !ends_enumerator(at) : !belongs_to_word(at, rules_);
  }

  Period period(const Stop& stop) const { return {text_, stop.begin, seen_, next_word(stop.end)}; }

  // Where the next word begins; the end of the text if there is none.
  std::size_t next_word(std::size_t begin) const {
    for (std::size_t at = begin; at < text_.size(); begin = at) {
      const char32_t c = next(at);
      if (!is_white_space(c) && !stands_before_sentence(c)) return begin;
    }
    return text_.size();
  }

  // "...And" begins a sentence, but not ". . ." or "...and".
  bool begins_with_stops(std::size_t at) const {
    while (stops(character_at(at))) next(at);
    const char32_t c = character_at(at);
    return unicode::is_letter(c) && !is_small(c);
  }

  // Who writes "hello. how are you?" has no capitals.
  bool begins_small() const { return is_small(character_at(seen_)); }

  // "iPhone" begins a sentence.
  bool has_capital_within(std::size_t at) const {
    for (int letters = 0; letters < 4; ++letters) {
      const char32_t c = next(at);
      if (is_capital(c)) return true;
      if (!unicode::is_letter(c)) return false;
    }
    return false;
  }

  // Whether the sentence has a letter or a digit before byte `end`; seen_ is the first one.
  bool has_text_before(std::size_t end) {
    while (seen_ < end) {
      const char32_t c = character_at(seen_);
      if (unicode::is_letter(c) || unicode::is_number(c)) return true;
      next(seen_);
    }
    return false;
  }

  // Ends the sentence before byte `end`; the next one begins there.
  void cut(std::size_t end) {
    const std::size_t after = end;
    while (begin_ < end && is_white_space(character_at(begin_))) next(begin_);
    while (end > begin_ && is_white_space(character_before(end)))
      end = attend::character_before(text_, end).begin;
    if (begin_ < end) spans_.push_back({begin_, end});
    begin_ = seen_ = after;
  }

  std::string_view text_;
  const SentenceRules& rules_;
  std::size_t begin_ = 0;      // of the sentence
  std::size_t seen_ = 0;       // no letter or digit stands between begin_ and it
  bool is_quoted_ = false;     // a " of this line is open
  std::size_t title_end_ = 0;  // kMostOfTitle behind the last 《 of this line
  std::vector<TextSpan> spans_;
};

}  // namespace

std::vector<TextSpan> find_sentences(std::string_view text, std::string_view language) {
  return SentenceFinder(text, SentenceRules::of(language, text)).find();
}

}  // namespace attend
