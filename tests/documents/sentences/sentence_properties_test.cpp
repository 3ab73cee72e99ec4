// What holds for any text in any language: sentences are its parts, in order, without the white
// space around them.
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "attend/core/files/embedded_file.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/sentences.h"

namespace attend {

std::span<const EmbeddedFile> sentence_rule_files();

namespace {

const std::vector<std::string> kSentenceParts{
    // Spaces and line ends.
    " ", " ", " ", " ", "  ", "\u00a0", "\u202f", "\u3000", "\u200b", "\ufeff", "\n", "\r\n", "\t",
    "\u2028", "\u0085", "\f",
    // Stops.
    ".", ".", ".", "!", "?", "…", "...", "?!", "!!!", "。", "！", "？", "｡", "．", "؟", "۔", "।",
    "॥", "։", ":", ";", "\u037e", "።", "፧", "។", "៕", "။", "།", "༎", "‼", "⁇",
    // Quotes, brackets, dashes, marks without a shape.
    "\"", "'", "“", "”", "„", "‘", "’", "«", "»", "‹", "›", "(", ")", "[", "]", "[1]", "「", "」",
    "『", "』", "（", "）", "-", "–", "— ", "¿", "¡", ",", "、", "\u200f", "\u200e", "\u0301",
    "\u094d", "\ufe0f", "\u00ad",
    // Words.
    "Dr", "z", "B", "U.S", "e.g", "etc", "No", "Nr", "J", "A", "I", "1", "23", "2001", "1.2", "3.",
    "Mai", "May", "The", "Der", "the", "der", "iPhone", "dog", "Größe", "IV", "X", "г", "г.",
    "т. е", "Он", "дом", "Ο", "είναι", "Հայ", "თბილისი", "אב", "צה\"ל", "د", "كتاب", "یہ", "डॉ",
    "ए", "यह", "ড", "எம்", "ดร", "กข", "ລາວ", "ខ្មែរ", "မြန်", "བོད", "አማ", "漢字", "と", "です",
    "한국", "A.B@c.de", "http://a.b/c.", "😀", "\xff", "\xe2\x80", "\xc3"};

std::string random_text(std::mt19937_64& random) {
  std::string text;
  for (std::size_t parts = random() % 60; parts > 0; --parts)
    text += kSentenceParts[random() % kSentenceParts.size()];
  return text;
}

bool is_white_at_ends(std::string_view text) {
  std::size_t at = 0;
  const char32_t first = next_code_point(text, at);
  const std::vector<std::string_view> all = characters_of(text);
  at = 0;
  return is_white_space(first) || is_white_space(next_code_point(all.back(), at));
}

// Empty if the sentences are as they must be; else what is wrong.
std::string fault_in(std::string_view text, const std::vector<TextSpan>& sentences) {
  std::size_t end = 0;
  for (const TextSpan span : sentences) {
    if (span.begin < end || span.end <= span.begin || span.end > text.size()) return "order";
    if (!is_blank(text.substr(end, span.begin - end))) return "lost text";
    if (is_white_at_ends(span.of(text))) return "white space at an end";
    if (span.of(text).find('\n') != std::string_view::npos) return "two lines";
    end = span.end;
  }
  return is_blank(text.substr(end)) ? "" : "lost end";
}

TEST(SentenceProperties, HoldForAnyTextInAnyLanguage) {
  std::mt19937_64 random(7);
  for (const EmbeddedFile& file : sentence_rule_files()) {
    const std::string language(file.name.substr(0, file.name.size() - 4));
    for (int k = 0; k < 100; ++k) {
      const std::string text = random_text(random);
      EXPECT_EQ(fault_in(text, find_sentences(text, language)), "") << language << ": " << text;
    }
  }
}

// What is within a sentence is one, if it is cut alone, but for what follows it.
TEST(SentenceProperties, LinesAreCutAlone) {
  std::mt19937_64 random(8);
  for (int k = 0; k < 500; ++k) {
    const std::string one = random_text(random), other = random_text(random);
    const std::string both = one + "\n" + other;
    std::vector<TextSpan> expected = find_sentences(one, "de");
    for (const TextSpan span : find_sentences(other, "de"))
      expected.push_back({span.begin + one.size() + 1, span.end + one.size() + 1});
    EXPECT_EQ(find_sentences(both, "de"), expected) << both;
  }
}

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

// Work that grows with the square of the length would take hours.
TEST(SentenceProperties, LongLinesTakeLinearTime) {
  constexpr std::size_t kLine = 10'000'000;
  for (const char* part : {".", "\"", "a"})
    EXPECT_EQ(find_sentences(repeated(part, kLine), "en").size(), 1u) << part;
  for (const char* part :
       {". ",     "a.",   "A. ",     "!",    "! ",   ". (",   ".\" ", "\" ", "z. B. ",
        "1. ",    "- ",   ". - ",    "a. «", "x.) ", "。",    "。」", "…",   "\u0301",
        "\x80. ", "\x80", ".\u200f", "[1]",  ". [1", "Dr. a", "и. ",  "ए. "})
    for (const char* language : {"en", "de", "hi"})
      EXPECT_FALSE(find_sentences("A" + repeated(part, kLine / 100), language).empty()) << part;
  EXPECT_EQ(find_sentences("A." + repeated(" ", kLine) + "B.", "en").size(), 1u);
}

}  // namespace
}  // namespace attend
