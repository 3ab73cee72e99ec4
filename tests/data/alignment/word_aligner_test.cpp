#include "attend/data/alignment/word_aligner.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;
constexpr std::int32_t kNone = WordAligner::kNone;

EncodedPairs pairs_of(const std::vector<std::pair<Tokens, Tokens>>& all) {
  RaggedBuilder src, tgt;
  for (const auto& [source, target] : all) {
    src.add(source);
    tgt.add(target);
  }
  EncodedPairs pairs;
  pairs.src = src.build();
  pairs.tgt = tgt.build();
  return pairs;
}

// Adjectives 0 to 19 before nouns 20 to 39, each with each.
EncodedPairs phrases(const std::function<Tokens(std::int32_t, std::int32_t)>& translated) {
  std::vector<std::pair<Tokens, Tokens>> all;
  for (std::int32_t adjective = 0; adjective < 20; ++adjective)
    for (std::int32_t noun = 20; noun < 40; ++noun)
      all.push_back({{adjective, noun}, translated(adjective, noun)});
  return pairs_of(all);
}

EncodedPairs alike() {
  return phrases([](auto adjective, auto noun) { return Tokens{adjective, noun}; });
}

TEST(WordAligner, LinksWhatTranslatesWhat) {
  const WordAligner aligner(alike(), 40, 40);
  EXPECT_EQ(aligner.links(Tokens{3, 27}, Tokens{3, 27}), (Tokens{0, 1}));
  EXPECT_EQ(aligner.links(Tokens{0, 28, 3, 27}, Tokens{0, 28, 3, 27}), (Tokens{0, 1, 2, 3}));
}

TEST(WordAligner, FollowsAnotherOrder) {
  const WordAligner aligner(phrases([](auto adjective, auto noun) {
                              return Tokens{noun, adjective};
                            }),
                            40, 40);
  EXPECT_EQ(aligner.links(Tokens{0, 29}, Tokens{29, 0}), (Tokens{1, 0}));
}

TEST(WordAligner, ChoosesTheNearerOfEqualWords) {
  const WordAligner aligner(alike(), 40, 40);
  EXPECT_EQ(aligner.links(Tokens{0, 27, 0, 28}, Tokens{0, 27, 0, 28}), (Tokens{0, 1, 2, 3}));
}

TEST(WordAligner, LetsTokensOfAWordJoinItsLink) {
  const WordAligner aligner(phrases([](auto adjective, auto noun) {
                              return Tokens{adjective, noun, noun + 20};
                            }),
                            40, 60);
  EXPECT_EQ(aligner.links(Tokens{2, 27}, Tokens{2, 27, 47}), (Tokens{0, 1, 1}));
}

TEST(WordAligner, LinksOnlyWhatBothSidesChoose) {
  // Either of the equal words comes from the one of the source, which chooses the nearer.
  const WordAligner aligner(alike(), 42, 42);
  EXPECT_EQ(aligner.links(Tokens{27}, Tokens{27, 41, 27}), (Tokens{kNone, kNone, 0}));
}

TEST(WordAligner, LeavesUnknownTokensAlone) {
  const WordAligner aligner(alike(), 42, 42);
  EXPECT_EQ(aligner.links(Tokens{40, 27}, Tokens{3, 27, 41}), (Tokens{kNone, 1, kNone}));
  EXPECT_EQ(aligner.links(Tokens{}, Tokens{27}), (Tokens{kNone}));
  EXPECT_TRUE(aligner.links(Tokens{27}, Tokens{}).empty());
}

}  // namespace
}  // namespace attend
