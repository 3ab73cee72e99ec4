#include "attend/documents/sentences/clauses.h"

#include <algorithm>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// Bytes of a part of a sentence: no model reads as many.
constexpr std::size_t kLongestPart = 16 << 10;

bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

// Where a text can be cut, as bytes in ascending order; its end is the last of each.
struct Cuts {
  std::vector<std::size_t> after_clauses, after_words, after_letters;

  explicit Cuts(std::string_view text) {
    char32_t before = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const char32_t c = next_code_point(text, at);
      const bool is_space = is_white_space(c);
      if (begin > 0) {
        after_letters.push_back(begin);
        if (is_space && !is_white_space(before)) after_words.push_back(begin);
        if (is_one_of(before, U"、，；：") || (is_space && is_one_of(before, U",;:،؛፣፤၊")))
          after_clauses.push_back(begin);
      }
      before = c;
    }
    for (auto* cuts : {&after_clauses, &after_words, &after_letters}) cuts->push_back(text.size());
  }
};

// The end of the longest part from `begin` that fits, at one of the `cuts` (bytes, ascending);
// `begin` if none does. Looks at twice as many cuts each time, then between the last two: a long
// text must not be looked at to its end for every part of it.
std::size_t last_that_fits(std::string_view text, std::size_t begin,
                           const std::vector<std::size_t>& cuts,
                           const std::function<bool(std::string_view)>& fits) {
  const auto first = std::upper_bound(cuts.begin(), cuts.end(), begin);
  const auto last = std::upper_bound(first, cuts.end(), begin + kLongestPart);
  const auto cut_fits = [&](std::size_t cut) { return fits(text.substr(begin, cut - begin)); };
  std::ptrdiff_t fitting = 0, more = 1;
  while (fitting + more <= last - first && cut_fits(first[fitting + more - 1])) {
    fitting += more;
    more *= 2;
  }
  const auto end = std::partition_point(first + fitting,
                                        first + std::min(fitting + more, last - first), cut_fits);
  return end == first ? begin : *(end - 1);
}

}  // namespace

std::vector<TextSpan> cut_at_clauses(std::string_view text, TextSpan sentence,
                                     const std::function<bool(std::string_view)>& fits) {
  const std::string_view whole = sentence.of(text);
  if (whole.size() <= kLongestPart && fits(whole)) return {sentence};
  const Cuts all(whole);
  std::vector<TextSpan> parts;
  for (std::size_t begin = 0; begin < whole.size();) {
    std::size_t end = begin;
    for (const auto* cuts : {&all.after_clauses, &all.after_words, &all.after_letters})
      if (end == begin) end = last_that_fits(whole, begin, *cuts, fits);
    // One character at least, even if nothing fits.
    if (end == begin)
      end = *std::upper_bound(all.after_letters.begin(), all.after_letters.end(), begin);
    parts.push_back({sentence.begin + begin, sentence.begin + end});
    begin = end;
    while (begin < whole.size()) {
      std::size_t after = begin;
      if (!is_white_space(next_code_point(whole, after))) break;
      begin = after;
    }
  }
  return parts;
}

}  // namespace attend
