#include "attend/data/terms/side_words.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {

namespace {

constexpr std::size_t kSameBeginning = 3;

bool is_of_word(char32_t c) { return unicode::is_letter(c) || unicode::is_digit(c); }

// A letter without its marks, e for é; others are as they are.
char32_t without_marks(char32_t c) {
  std::array<utf8proc_int32_t, 8> codes{};
  int boundary = UTF8PROC_BOUNDCLASS_START;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), codes.data(),
                                            codes.size(), UTF8PROC_DECOMPOSE, &boundary);
  const bool has_mark = size > 1 && unicode::is_mark(static_cast<char32_t>(codes[1]));
  return has_mark ? static_cast<char32_t>(codes[0]) : c;
}

// How often each spelling is within lines.
using Spellings = std::unordered_map<std::string, std::int64_t>;

Spellings spellings_within(std::span<const std::string> lines) {
  Spellings counts;
  for (const std::string& line : lines) {
    bool is_first = true;
    for (const PlainWord& word : plain_words(line)) {
      if (!is_first) ++counts[std::string(word.text)];
      is_first = false;
    }
  }
  return counts;
}

// The first word of a line as it is written within lines: in small letters if it mostly is.
std::string within_lines(std::string_view first, const Spellings& counts) {
  std::string own(first), small = unicode::lowercase(first);
  const auto count = [&](const std::string& word) {
    const auto found = counts.find(word);
    return found == counts.end() ? 0 : found->second;
  };
  return count(small) > count(own) ? small : own;
}

}  // namespace

std::vector<PlainWord> plain_words(std::string_view text) {
  std::vector<PlainWord> words;
  std::size_t begin = 0, end = 0;  // of the word that is being read
  const auto finish = [&] {
    if (end > begin) {
      const std::size_t before =
          words.empty() ? 0
                        : static_cast<std::size_t>(words.back().text.data() - text.data()) +
                              words.back().text.size();
      words.push_back({text.substr(begin, end - begin),
                       !words.empty() && text.substr(before, begin - before) != " "});
    }
    begin = end = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_code_point(text, at);
    if (is_of_word(c)) {
      if (end == begin) begin = from;
      end = at;
    } else if (c != U'-' || end != from || end == begin) {
      finish();
    } else if (std::size_t next = at;
               at == text.size() || !is_of_word(next_code_point(text, next))) {
      finish();
    } else {
      end = at;
    }
  }
  finish();
  return words;
}

std::u32string small_letters(std::string_view word) {
  return unicode::decode(unicode::lowercase(word));
}

std::u32string bare_letters(std::u32string_view small) {
  std::u32string bare;
  for (const char32_t c : small) bare += without_marks(c);
  return bare;
}

SideWords::SideWords(std::span<const std::string> lines) {
  const Spellings counts = spellings_within(lines);
  std::unordered_map<std::string, std::int32_t> numbers;
  RaggedBuilder builder;
  std::int32_t number = 0;
  for (const std::string& line : lines) {
    bool is_first = true;
    for (const auto& [text, break_before] : plain_words(line)) {
      std::string written = is_first ? within_lines(text, counts) : std::string(text);
      is_first = false;
      const auto [known, is_new] =
          numbers.try_emplace(written, static_cast<std::int32_t>(words_.size()));
      if (is_new) add_word(std::move(written), counts);
      std::vector<std::int32_t>& own = words_[static_cast<std::size_t>(known->second)].lines;
      if (own.empty() || own.back() != number) own.push_back(number);
      if (break_before) builder.append(kBreak);
      builder.append(known->second);
    }
    builder.end_sequence();
    ++number;
  }
  lines_ = builder.build();
}

void SideWords::add_word(std::string written, const Spellings& counts) {
  Word word;
  word.small = small_letters(written);
  word.bare = bare_letters(word.small);
  std::size_t at = 0;
  if (counts.contains(written))
    word.begins = unicode::is_upper(next_code_point(written, at)) ? Case::capital : Case::small;
  word.written = std::move(written);
  by_beginning_[word.bare.substr(0, kSameBeginning)].push_back(
      static_cast<std::int32_t>(words_.size()));
  words_.push_back(std::move(word));
}

std::span<const std::int32_t> SideWords::beginning_like(std::u32string_view bare) const {
  const auto found = by_beginning_.find(std::u32string(bare.substr(0, kSameBeginning)));
  return found == by_beginning_.end() ? std::span<const std::int32_t>() : found->second;
}

}  // namespace attend
