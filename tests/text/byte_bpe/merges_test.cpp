#include "attend/text/byte_bpe/merges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "attend/error.h"

namespace attend::detail {
namespace {

using Word = std::vector<std::int32_t>;

// The definition (Sennrich et al. 2016): the earliest merge of any two neighbors, at its first
// place, until there is none.
Word merged_step_by_step(Word word, const std::vector<Merges::Merge>& merges) {
  for (;;) {
    std::size_t best = merges.size(), at = 0;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      for (std::size_t m = 0; m < best; ++m)
        if (merges[m].left == word[i] && merges[m].right == word[i + 1]) best = m, at = i;
    }
    if (best == merges.size()) return word;
    word[at] = merges[best].id;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

// Every pair of the first ids, some of them, and of what they make, in a random order.
std::vector<Merges::Merge> random_merges(std::mt19937& random) {
  constexpr std::int32_t kLetters = 4;
  std::vector<Merges::Merge> merges;
  std::int32_t next = kLetters;
  for (std::int32_t left = 0; left < 9; ++left) {
    for (std::int32_t right = 0; right < 9; ++right)
      if (random() % 3 == 0) merges.push_back({left, right, next++});
  }
  std::shuffle(merges.begin(), merges.end(), random);
  return merges;
}

Word random_word(std::mt19937& random, std::size_t size) {
  Word word(size);
  for (std::int32_t& id : word) id = static_cast<std::int32_t>(random() % 4);
  return word;
}

TEST(Merges, MakeTheEarliestMergeAtItsFirstPlaceInWordsOfAnyLength) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<Merges::Merge> list = random_merges(random);
    const Merges merges(list);
    for (const std::size_t size : {0, 1, 2, 7, 23, 24, 40, 200}) {
      const Word word = random_word(random, size);
      Word merged = word;
      merges.apply(merged);
      ASSERT_EQ(merged, merged_step_by_step(word, list)) << "trial " << trial << ", size " << size;
    }
  }
}

TEST(Merges, OfTheSamePiecesAreRefused) {
  const std::vector<Merges::Merge> twice{{0, 1, 2}, {0, 1, 3}};
  EXPECT_THROW(Merges{twice}, DataError);
}

}  // namespace
}  // namespace attend::detail
