// What holds for any text in any language: sentences are its parts, in order, without the white
// space around them.
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "attend/core/files/embedded_file.h"
#include "attend/documents/sentences/sentences.h"
#include "documents/sentence_faults.h"

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
