#include "attend/data/context.h"

#include <gtest/gtest.h>

#include "data/ids.h"

namespace attend {
namespace {

constexpr std::int32_t kEnd = 1000;

// Pairs whose sources are the letters of words, as ids; "" is an empty line.
EncodedPairs pairs_of(const std::vector<std::string>& words) {
  EncodedPairs pairs;
  RaggedBuilder src, tgt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    src.add(TokenIds(words[i].begin(), words[i].end()));
    tgt.add(TokenIds{1});
    pairs.origin.push_back(static_cast<std::int32_t>(i));
  }
  pairs.src = src.build();
  pairs.tgt = tgt.build();
  return pairs;
}

// The sources with their context; the separator is a bar.
std::vector<std::string> sources(const std::vector<std::string>& words, SourceContext context,
                                 ContextUse use = ContextUse::always,
                                 const std::vector<std::int64_t>& files = {0}) {
  context.separator = kEnd;
  ParallelText text;
  for (const std::int64_t first : files) text.origins.push_back({"file", first});
  const EncodedPairs pairs = with_context(pairs_of(words), text, context, use);
  EXPECT_EQ(pairs.tgt.sequences(), pairs.src.sequences());
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) {
    std::string& one = all.emplace_back();
    for (const std::int32_t id : pairs.src[i]) one += id == kEnd ? '|' : static_cast<char>(id);
  }
  return all;
}

using Strings = std::vector<std::string>;

TEST(Context, IsTheSentencesBeforeOfTheSameDocument) {
  EXPECT_EQ(sources({"a", "b", "c", "d", "", "e", "f"}, {.sentences = 2, .tokens = 100}),
            (Strings{"a", "a|b", "a|b|c", "b|c|d", "e", "e|f"}));
  EXPECT_EQ(
      sources({"a", "b", "c", "d"}, {.sentences = 9, .tokens = 100}, ContextUse::always, {0, 2, 3}),
      (Strings{"a", "a|b", "c", "d"}))
      << "a file ends a document";
}

TEST(Context, IsAsMuchAsThereIsRoomFor) {
  EXPECT_EQ(sources({"aa", "b", "ccc", "d"}, {.sentences = 3, .tokens = 6}),
            (Strings{"aa", "aa|b", "b|ccc", "ccc|d"}));
  EXPECT_EQ(sources({"aaaaaaa", "b"}, {.sentences = 3, .tokens = 6}), (Strings{"aaaaaaa", "b"}));
}

TEST(Context, IsLeftOutOfOneSentenceInFive) {
  EXPECT_EQ(sources({"a", "b", "c", "d", "e", "f", "g"}, {.sentences = 1, .tokens = 100},
                    ContextUse::mostly),
            (Strings{"a", "a|b", "b|c", "c|d", "d|e", "f", "f|g"}));
}

}  // namespace
}  // namespace attend
