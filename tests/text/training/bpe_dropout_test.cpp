#include "attend/text/training/bpe_dropout.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <optional>
#include <set>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

const std::vector<std::string> kSentences{"the lowest tower is lower than the newest tower",
                                          "new towers are lower",
                                          "the lowest news",
                                          "wider and newer, wider and lower",
                                          "über den Wolken",
                                          "a zebra"};

Tokenizer tokenizer(bool byte_fallback = false) {
  TokenizerOptions options;
  options.vocab_size = byte_fallback ? 330 : 70;
  options.byte_fallback = byte_fallback;
  return Tokenizer::train(kSentences, options);
}

std::vector<std::int32_t> sample(const Tokenizer& tokenizer, float probability,
                                 const std::string& text, std::uint64_t seed) {
  Random random(RandomKey{seed, 0});
  return BpeDropout(tokenizer, probability).sample(tokenizer.encode(text), random);
}

// Their names are made of letters that the vocabulary may have.
TEST(BpeDropout, LeavesSpecialPiecesWhole) {
  TokenizerOptions options;
  options.byte_fallback = true;
  options.vocab_size = 4 + 256 + 24;
  const Tokenizer t =
      Tokenizer::train(std::vector<std::string>{"< u n k > s / p a d", "0 x 4 1 A B C",
                                                "<unk> <s> </s> <pad> <0x41>"},
                       options);
  Random random({1, 1});
  const std::vector<std::int32_t> special{t.unk_id(), t.eos_id(), t.id("<0x41>"), t.pad_id()};
  EXPECT_EQ(BpeDropout(t, 0.0f).sample(special, random), special);
  EXPECT_EQ(BpeDropout(t, 0.5f).sample(special, random), special);
}

TEST(BpeDropout, WithoutDropoutCutsAsTheTokenizerDoes) {
  for (const bool byte_fallback : {false, true}) {
    const Tokenizer t = tokenizer(byte_fallback);
    for (const std::string text :
         {"the lowest tower", "newer and wider, über", "a zebra quacks 京 loudly", "", "lower"}) {
      EXPECT_EQ(sample(t, 0.0f, text, 1), t.encode(text)) << text;
    }
  }
}

// Runs of one letter: the same merge fits in several places.
TEST(BpeDropout, MakesTheFirstOfEqualMerges) {
  TokenizerOptions options;
  options.vocab_size = 20;
  const Tokenizer t =
      Tokenizer::train(std::vector<std::string>{"aa baa caa aab baac", "aaa aa baaab"}, options);
  ASSERT_NE(t.id("aa"), t.unk_id());
  for (const std::string text : {"aaa", "baaa", "aaaaa", "caaaaaaab aaab"})
    EXPECT_EQ(sample(t, 0.0f, text, 1), t.encode(text)) << text;
}

TEST(BpeDropout, KeepsTheText) {
  const Tokenizer t = tokenizer();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::string& text : kSentences)
      EXPECT_EQ(t.decode(sample(t, 0.5f, text, seed)), text);
  }
}

TEST(BpeDropout, CutsOneWordInManyWays) {
  const Tokenizer t = tokenizer();
  std::set<std::vector<std::int32_t>> ways;
  for (std::uint64_t seed = 0; seed < 50; ++seed) ways.insert(sample(t, 0.3f, "lowest", seed));
  EXPECT_GT(ways.size(), 4u);
}

TEST(BpeDropout, LeavesMoreOutWithAHigherProbability) {
  const Tokenizer t = tokenizer();
  const auto pieces = [&](float probability) {
    std::size_t count = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      count += sample(t, probability, kSentences[0], seed).size();
    return count;
  };
  EXPECT_LT(pieces(0.0f), pieces(0.1f));
  EXPECT_LT(pieces(0.1f), pieces(0.5f));
}

TEST(BpeDropout, RepeatsItselfForEqualSeeds) {
  const Tokenizer t = tokenizer();
  EXPECT_EQ(sample(t, 0.3f, kSentences[0], 7), sample(t, 0.3f, kSentences[0], 7));
}

// The definition, in words: before each merge every possible one, from left to right, draws a
// number and is left out if it is below the probability; of those that stay the one with the
// highest score is applied, of equals the first.
std::vector<std::int32_t> plain_sample(const Tokenizer& t, float probability, std::string_view word,
                                       Random& random) {
  std::vector<std::string> symbols;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    next_code_point(word, at);
    symbols.emplace_back(word.substr(begin, at - begin));
  }
  for (;;) {
    std::optional<std::size_t> best;
    float best_score = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const std::int32_t id = t.id(symbols[i] + symbols[i + 1]);
      if (id == t.unk_id() || random.uniform() < probability) continue;
      if (!best || t.score(id) > best_score) {
        best = i;
        best_score = t.score(id);
      }
    }
    if (!best) break;
    symbols[*best] += symbols[*best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
  std::vector<std::int32_t> ids;
  for (const std::string& symbol : symbols) ids.push_back(t.id(symbol));
  return ids;
}

TEST(BpeDropout, DrawsANumberForEveryMergeAndAppliesTheFirstOfTheBest) {
  const Tokenizer t = tokenizer();
  for (const float probability : {0.05f, 0.3f, 0.8f}) {
    for (const std::string word :
         {"lower", "newestlowesttower", "towertowertowertower", "weweweweweloweloweln"}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(RandomKey{seed, 0}), plain(RandomKey{seed, 0});
        const auto expected = plain_sample(t, probability, "▁" + word, plain);
        EXPECT_EQ(BpeDropout(t, probability).sample(t.encode(word), random), expected)
            << word << " with seed " << seed;
        EXPECT_EQ(random.next(), plain.next()) << "other numbers are left for the next word";
      }
    }
  }
}

TEST(BpeDropout, CutsAWordOfManyCharactersInTimeThatGrowsWithIt) {
  const Tokenizer t = tokenizer();
  std::string word;
  for (int i = 0; i < 40'000; ++i) word += "lower";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(t.decode(sample(t, 0.1f, word, 1)), word);
  EXPECT_LT(std::clock() - begin,
            10 * CLOCKS_PER_SEC);  // one scan for each merge would take minutes
}

TEST(BpeDropout, RefusesWhatIsNoProbability) {
  for (const float probability : {-0.1f, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THROW(BpeDropout(tokenizer(), probability), ConfigError);
  }
}

}  // namespace
}  // namespace attend
