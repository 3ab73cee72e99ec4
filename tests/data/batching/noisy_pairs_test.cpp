#include "attend/data/batching/noisy_pairs.h"

#include <gtest/gtest.h>

#include "core/scoped_threads.h"

namespace attend {
namespace {

class NoisyTrainingPairs : public testing::Test {
 protected:
  NoisyTrainingPairs() {
    for (int i = 0; i < 300; ++i) {
      text_.src.push_back(i % 2 == 0 ? "The old dog sees the cat." : "A cat eats, too.");
      text_.tgt.push_back("Der Hund.");
    }
  }
  static Tokenizer tokenizer() {
    TokenizerOptions options;
    options.type = TokenizerType::chars;
    options.vocab_size = 90;
    return Tokenizer::train(
        std::vector<std::string>{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ .,"},
        options);
  }
  EncodedPairs encoded() const {
    const Tokenizer t = tokenizer();
    ReadReport report;
    return encode_parallel(text_, t, t, {}, report);
  }
  NoisyPairs noisy(float share, std::uint64_t seed = 1, std::int64_t longest = 256) const {
    return {encoded(), tokenizer(), share, seed, longest};
  }
  // How many sources of an epoch differ from the text.
  int changed(const NoisyPairs& pairs, std::int64_t epoch) const {
    const auto all = pairs.pairs(epoch);
    const Tokenizer t = tokenizer();
    int count = 0;
    for (std::int64_t i = 0; i < all->src.sequences(); ++i)
      count += t.decode(all->src[i]) == text_.src[static_cast<std::size_t>(i)] ? 0 : 1;
    return count;
  }

  ParallelText text_;
};

TEST_F(NoisyTrainingPairs, ChangeThatShareOfTheSources) {
  EXPECT_EQ(changed(noisy(0), 0), 0);
  const int half = changed(noisy(0.5f), 0), all = changed(noisy(1), 0);
  EXPECT_GT(half, 90);
  EXPECT_LT(half, 170);
  EXPECT_GT(all, 220);
}

TEST_F(NoisyTrainingPairs, LeaveTheTargetsAlone) {
  const NoisyPairs pairs = noisy(1);
  EXPECT_EQ(pairs.pairs(3)->tgt.ids, encoded().tgt.ids);
}

TEST_F(NoisyTrainingPairs, AreOthersInEveryEpochAndOfEverySeed) {
  const auto ids = [](const NoisyPairs& pairs, std::int64_t epoch) {
    const auto span = *pairs.pairs(epoch)->src.ids;
    return std::vector<std::int32_t>(span.begin(), span.end());
  };
  const NoisyPairs one = noisy(1), same = noisy(1), other = noisy(1, 2);
  EXPECT_NE(ids(one, 0), ids(one, 1));
  EXPECT_NE(ids(one, 0), ids(other, 0));
  std::vector<std::int32_t> alone;
  {
    const ScopedThreads threads(1);
    alone = ids(same, 0);
  }
  EXPECT_EQ(ids(one, 0), alone) << "with any number of threads";
}

TEST_F(NoisyTrainingPairs, StayWithinTheLongestLength) {
  const EncodedPairs plain = encoded();
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < plain.src.sequences(); ++i)
    longest = std::max<std::int64_t>(longest, plain.src.length(i) + 1);
  const auto pairs = noisy(1, 1, longest).pairs(0);
  for (std::int64_t i = 0; i < pairs->src.sequences(); ++i) {
    EXPECT_LT(pairs->src.length(i), longest);
    EXPECT_GT(pairs->src.length(i), 0);
  }
}

}  // namespace
}  // namespace attend
