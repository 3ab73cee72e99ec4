#include "attend/text/moses/moses.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "attend/core/files/lines.h"
#include "attend/core/strings/unicode.h"
#include "attend/text/preparation.h"
#include "text/moses_goldens.h"

namespace attend {
namespace {

TEST(Moses, TokenizesAsSacremosesDoes) {
  for (const goldens::Moses& one : goldens::all_moses())
    EXPECT_EQ(moses_tokenize(one.text, moses_language(one.language, "language")), one.tokens)
        << one.language << ": " << one.text;
}

TEST(Moses, DetokenizesAsSacremosesDoes) {
  for (const goldens::Moses& one : goldens::all_moses()) {
    const MosesLanguage language = moses_language(one.language, "language");
    EXPECT_EQ(moses_detokenize(one.tokens, language), one.detokenized)
        << one.language << ": " << one.tokens;
    EXPECT_EQ(moses_detokenize(one.text, language), one.text_detokenized)
        << one.language << ": " << one.text;
  }
}

TEST(Moses, NormalizesPunctuationAsSacremosesDoes) {
  for (const goldens::Moses& one : goldens::all_moses())
    EXPECT_EQ(moses_normalize(one.text, moses_language(one.language, "language")), one.normalized)
        << one.language << ": " << one.text;
}

TEST(Moses, UndoesWhatItDidToPlainSentences) {
  for (const char* text :
       {"Mr. Smith's dog didn't bark, did it?", "It costs $5,300 (or 10%).", "\"Yes,\" he said."})
    EXPECT_EQ(moses_detokenize(moses_tokenize(text, MosesLanguage::en), MosesLanguage::en), text);
  const std::string french = "L'homme qu'il a vu n'est pas là.";
  EXPECT_EQ(moses_detokenize(moses_tokenize(french, MosesLanguage::fr), MosesLanguage::fr), french);
}

TEST(Moses, TakesAnyBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const auto language : {MosesLanguage::en, MosesLanguage::de, MosesLanguage::fr}) {
    EXPECT_FALSE(moses_tokenize(all, language).empty());
    EXPECT_FALSE(moses_normalize(all, language).empty());
    EXPECT_FALSE(moses_detokenize(all, language).empty());
    EXPECT_EQ(moses_tokenize("", language) + moses_normalize(" ", language) +
                  moses_detokenize("", language),
              "");
  }
}

std::filesystem::path moses_data(const std::string& name) {
  const char* folder = std::getenv("ATTEND_DATA");
  return std::filesystem::path(folder == nullptr ? ATTEND_SOURCE_DIR "/../shared/data" : folder) /
         name;
}

TEST(MosesOnRealText, GivesTheChecksumsOfSacremoses) {
  if (!std::filesystem::exists(moses_data("multi30k")))
    GTEST_SKIP() << "no data at " << moses_data("");
  const auto add = [](std::uint64_t sum, const std::string& line) {
    for (const char c : line + "\n") sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return sum;
  };
  for (const goldens::RealMoses& one : goldens::kRealMoses) {
    const MosesLanguage language = moses_language(one.language, "language");
    constexpr std::uint64_t kBegin = 0xCBF29CE484222325u;
    std::uint64_t normalized = kBegin, tokens = kBegin, detokenized = kBegin;
    LineReader lines(moses_data(one.file).string());
    std::string line;
    for (std::size_t i = 0; i < one.lines && lines.next(line); ++i) {
      const std::string tokenized = moses_tokenize(line, language);
      normalized = add(normalized, moses_normalize(line, language));
      tokens = add(tokens, tokenized);
      detokenized = add(detokenized, moses_detokenize(tokenized, language));
    }
    EXPECT_EQ(normalized, one.normalized) << one.file;
    EXPECT_EQ(tokens, one.tokens) << one.file;
    EXPECT_EQ(detokenized, one.detokenized) << one.file;
  }
}

// The text on which the BLEU of Multi30k is published is the raw text lower-cased, normalized and
// tokenized, by the scripts in Perl. These see the line feed, so that a period before a last
// quotation mark moves after it in German: seven of the 29,000 lines.
TEST(MosesOnRealText, MakesThePublishedTextOfMulti30kOfTheRawOne) {
  if (!std::filesystem::exists(moses_data("multi30k/tok")))
    GTEST_SKIP() << "no data at " << moses_data("");
  const TextPreparation options{
      .lowercase = true, .normalize_punctuation = true, .tokenize = WordSplitting::moses};
  for (const std::string language : {"en", "de"}) {
    for (const std::string part : {"train", "val", "test_2016_flickr"}) {
      const std::vector<std::string>
          raw = read_lines(moses_data("multi30k/" + part + "." + language).string()),
          published =
              read_lines(moses_data("multi30k/tok/" + part + ".lc.norm.tok." + language).string());
      ASSERT_EQ(raw.size(), published.size());
      int different = 0;
      for (std::size_t i = 0; i < raw.size(); ++i)
        different +=
            prepared(raw[i], options, moses_language(language, "language")) != published[i];
      EXPECT_LE(different * 1000, std::ssize(raw)) << part << "." << language;
    }
  }
}

}  // namespace
}  // namespace attend
