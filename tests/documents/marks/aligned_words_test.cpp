#include "attend/documents/marks/aligned_words.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Strings = std::vector<std::string>;

WordsOfText words_of(const std::string& text) {
  return {text, {0, text.size()}, words_of_sentence(text, {0, text.size()})};
}

TEST(AlignedWords, AreBetweenSpacesOrLettersOfAScriptWithoutSpaces) {
  const auto words = [](const std::string& text) {
    Strings all;
    for (const SentenceWord& word : words_of(text).words) all.emplace_back(word.span.of(text));
    return all;
  };
  EXPECT_EQ(words("a big dog."), (Strings{"a", "big", "dog."}));
  EXPECT_EQ(words("我有狗。"), (Strings{"我", "有", "狗。"}));
  EXPECT_EQ(words("我用GPU跑"), (Strings{"我", "用", "GPU", "跑"}));
}

// The source word of each word of the translation.
Strings aligned(const std::string& source, const Strings& source_tokens, const std::string& target,
                const Strings& tokens, const std::vector<int>& token_alignment) {
  TranslationCandidate translation;
  translation.text = target;
  translation.tokens = tokens;
  translation.token_alignment = token_alignment;
  const WordsOfText from = words_of(source);
  Strings all;
  for (const std::size_t word : aligned_words(from, source_tokens, words_of(target), translation))
    all.emplace_back(from.words[word].span.of(source));
  return all;
}

TEST(AlignedWords, GoByTokensIntoAScriptWithoutSpaces) {
  EXPECT_EQ(aligned("the dog sees me", {"▁the", "▁dog", "▁see", "s", "▁me"}, "见我狗",
                    {"▁见", "我", "狗"}, {2, 4, 1}),
            (Strings{"sees", "me", "dog"}));
  EXPECT_EQ(aligned("the dog sees me", {"▁the", "▁dog", "▁see", "s", "▁me"}, "见我。狗",
                    {"▁见", "我。", "狗"}, {3, 4, 1}),
            (Strings{"sees", "me", "dog"}));
}

TEST(AlignedWords, GoByTokensOutOfAScriptWithoutSpaces) {
  EXPECT_EQ(aligned("我看见狗", {"▁我", "看见", "狗"}, "the dog sees me",
                    {"▁the", "▁dog", "▁sees", "▁me"}, {2, 2, 1, 0}),
            (Strings{"狗", "狗", "看", "我"}));
  EXPECT_EQ(
      aligned("我看见狗", {"▁我", "看见", "狗"}, "狗看見我", {"▁狗", "看見", "我"}, {2, 1, 0}),
      (Strings{"狗", "看", "见", "我"}))
      << "letters of a token go with those of its source token";
}

TEST(AlignedWords, GoByRelativePlacesOfTokensThatAreOtherCharacters) {
  EXPECT_EQ(aligned("ＡＢ我狗", {"▁", "ab", "<0xE6>", "<0x88>", "<0x91>", "▁狗"}, "狗我",
                    {"▁狗", "我"}, {5, 3})
                .size(),
            2u);
  EXPECT_EQ(aligned("a dog", {"▁a", "▁dog"}, "狗一", {}, {}), (Strings{"a", "dog"}))
      << "unknown tokens";
  EXPECT_EQ(aligned("a dog", {"▁a", "▁dog"}, "狗一", {"▁狗", "一"}, {1, 2}), (Strings{"a", "dog"}))
      << "a token that does not exist";
  EXPECT_EQ(aligned("a dog", {"▁a", "▁dog"}, "狗一", {"▁", ""}, {1, 0}).size(), 2u);
}

TEST(AlignedWords, GoByTheWordsOfScriptsWithSpaces) {
  EXPECT_EQ(aligned("a dog", {"▁a", "▁dog"}, "Hund ein", {"▁Hund", "▁ein"}, {1, 0}),
            (Strings{"a", "dog"}))
      << "their alignment, which is not given, and not that of the tokens";
}

}  // namespace
}  // namespace attend
