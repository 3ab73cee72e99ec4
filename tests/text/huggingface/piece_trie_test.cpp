#include "attend/text/huggingface/piece_trie.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace attend::detail {
namespace {

using FoundPieces = std::vector<std::pair<std::int32_t, std::size_t>>;

FoundPieces prefixes_of(const PieceTrie& trie, std::string_view text) {
  FoundPieces found;
  trie.prefixes(text,
                [&](std::int32_t value, std::size_t length) { found.emplace_back(value, length); });
  return found;
}

TEST(PieceTrie, FindsAllPrefixesTheShortestFirst) {
  const PieceTrie trie({{"abc", 2}, {"a", 0}, {"ab", 1}, {"b", 3}, {"abd", 4}});
  EXPECT_EQ(prefixes_of(trie, "abcd"), (FoundPieces{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(prefixes_of(trie, "abx"), (FoundPieces{{0, 1}, {1, 2}}));
  EXPECT_EQ(prefixes_of(trie, "ba"), (FoundPieces{{3, 1}}));
}

TEST(PieceTrie, FindsNothingWhereNothingBegins) {
  EXPECT_EQ(prefixes_of(PieceTrie(), "a"), FoundPieces{});
  const PieceTrie trie({{"bc", 0}});
  for (const char* text : {"", "a", "b", "ba"})
    EXPECT_EQ(prefixes_of(trie, text), FoundPieces{}) << text;
}

TEST(PieceTrie, HasAllBytes) {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(2, static_cast<char>(byte));
  std::vector<std::pair<std::string_view, std::int32_t>> entries;
  for (std::size_t i = 0; i < texts.size(); ++i)
    entries.emplace_back(texts[i], static_cast<std::int32_t>(i));
  const PieceTrie trie(entries);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(prefixes_of(trie, texts[i] + texts[i]),
              (FoundPieces{{static_cast<std::int32_t>(i), 2}}));
}

TEST(PieceTrie, TakesPiecesOfAnyLength) {
  const std::string text(5000, 'x');
  const PieceTrie trie({{text, 7}, {std::string_view(text).substr(0, 2500), 8}});
  EXPECT_EQ(prefixes_of(trie, text + "y"), (FoundPieces{{8, 2500}, {7, 5000}}));
}

}  // namespace
}  // namespace attend::detail
