#include "attend/text/protection/span_patterns.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

using Kind = ProtectedSpan::Kind;

struct CommonPattern {
  std::string_view pattern;
  std::string_view signs;
  Kind kind = Kind::text;
};

// Formats of numbers in C and Python: "%10i", but not "10%ige".
#define ATTEND_NUMBER                                           \
  R"(%(?:\(\w+\)|\d+\$)?[-+#0',]*(?:\d+|\*)?(?:\.(?:\d+|\*))?)" \
  R"((?:hh|h|ll|l|z|j|t|q|L)?[diouxXeEfFgGaA])"
// Formats of anything else, of C, Python, Objective-C and of dates.
#define ATTEND_FORMAT R"(%(?:\(\w+\)|\d+\$)?[-+#0',]*\d*(?:\.\d+)?l?[A-Za-z@])"
// Behind a letter or a digit, a format ends its word.
#define ATTEND_OF_WORD(format) "(?<!\\w)" format "(?!\\p{Ll}\\p{Ll})|" format "(?!\\w)"

constexpr std::array<CommonPattern, 10> kCommon{{
    {R"(``.+?``|`[^`\n]+`)", "`"},
    {R"(</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>|<!--.*?-->)", "<", Kind::tag},
    {R"((?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|mailto:)[^\s<>"]*[^\s<>".,;:!?)\]}'’”»])", ":."},
    {R"([\w.+-]+@[\w-]+(?:\.[\w-]+)+)", "@"},
    {R"(\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}|<%[^%\n]*%>)", "{<"},
    {R"([$#%]?\{[\w.$:!,\[\]'"#@+*/<>=^-]*\})", "{"},
    {R"(\$[A-Za-z_]\w*)", "$"},
    {ATTEND_OF_WORD(ATTEND_NUMBER), "%", Kind::number},
    {ATTEND_OF_WORD(ATTEND_FORMAT) R"(|(?<!\w)%L?\d{1,2}(?!\w)|%%)", "%"},
    {R"(&(?:[A-Za-z]\w*|#\d+|#[xX][0-9A-Fa-f]+);)", "&"},
}};

#undef ATTEND_NUMBER
#undef ATTEND_FORMAT
#undef ATTEND_OF_WORD

// Whether it is of an alphabet whose words have spaces between them.
bool continues_word(char32_t c) {
  return c < 0x0600 && (unicode::is_letter(c) || unicode::is_digit(c) || c == U'_');
}

// A span with the letters and digits around it.
ProtectedSpan with_its_word(std::string_view text, ProtectedSpan span) {
  while (span.begin > 0) {
    const std::size_t before = begin_of_character_before(text, span.begin);
    std::size_t at = before;
    if (!continues_word(next_code_point(text, at))) break;
    span.begin = before;
  }
  while (span.end < text.size()) {
    std::size_t at = span.end;
    if (!continues_word(next_code_point(text, at))) break;
    span.end = at;
  }
  return span;
}

bool is_punctuation_only(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (!unicode::is_punctuation(c) && !unicode::is_symbol(c)) return false;
  }
  return true;
}

bool is_of_text(const ProtectedSpan& span) { return span.kind != Kind::tag; }

}  // namespace

SpanPatterns::SpanPatterns(std::span<const std::string> patterns) {
  if (patterns.size() == 1 && patterns.front() == "none") return;
  for (const std::string& pattern : patterns) {
    if (pattern == "none")
      throw OptionError<ConfigError>("{}: none stands alone", as_key("protect"));
    if (pattern == "common") {
      static const std::vector<Pattern> common = [] {
        std::vector<Pattern> all;
        for (const CommonPattern& one : kCommon)
          all.push_back({detail::SplitPattern(one.pattern), one.signs, one.kind});
        return all;
      }();
      patterns_.insert(patterns_.end(), common.begin(), common.end());
      continue;
    }
    try {
      patterns_.push_back({detail::SplitPattern(pattern), {}});
    } catch (const DataError& error) {
      throw OptionError<ConfigError>("{}: {}", as_key("protect"), error.what());
    }
  }
}

std::vector<ProtectedSpan> SpanPatterns::find(std::string_view text) const {
  std::vector<ProtectedSpan> found;
  if (patterns_.empty() || !is_utf8(text)) return found;  // patterns match UTF-8 alone
  for (const Pattern& one : patterns_) {
    if (!one.signs.empty() && text.find_first_of(one.signs) == text.npos) continue;
    std::size_t covered = 0;  // bytes up to the end of the last span
    for (const TokenSpan match : one.pattern.matches(text)) {
      ProtectedSpan span{match.begin, match.end, one.kind};
      if (span.end <= covered) continue;  // of a word that was looked at, which may be long
      if (is_blank(text.substr(span.begin, span.end - span.begin))) continue;
      if (is_of_text(span)) {
        const ProtectedSpan whole = with_its_word(text, span);
        if (whole != span) span = {whole.begin, whole.end, Kind::text};
      }
      found.push_back(span);
      covered = span.end;
    }
  }
  // The longest of those that begin together is first.
  std::sort(found.begin(), found.end(), [](const ProtectedSpan& a, const ProtectedSpan& b) {
    return std::tuple(a.begin, b.end, a.kind == Kind::text) <
           std::tuple(b.begin, a.end, b.kind == Kind::text);
  });
  std::vector<ProtectedSpan> spans;
  for (const ProtectedSpan& span : found) {
    if (spans.empty()) {
      spans.push_back(span);
      continue;
    }
    ProtectedSpan& last = spans.back();
    if (span.end <= last.end) continue;  // within it
    const bool overlaps = span.begin < last.end;
    const bool touches = is_of_text(span) && is_of_text(last) && !overlaps &&
                         is_punctuation_only(text.substr(last.end, span.begin - last.end));
    if (overlaps || touches) {
      last = {last.begin, span.end, is_of_text(last) ? Kind::text : last.kind};
    } else {
      spans.push_back(span);
    }
  }
  return spans;
}

}  // namespace attend
