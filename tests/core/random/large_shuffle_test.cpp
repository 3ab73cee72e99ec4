#include "attend/core/random/large_shuffle.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace attend {
namespace {

TEST(LargeShuffle, GivesTheSameOrderAsTheShuffleOfFewElements) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 34u, 1000u, 100001u}) {
    std::vector<std::int32_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    std::vector<std::int32_t> order = expected;
    Random one({5, size}), other({5, size});
    shuffle(expected, one);
    shuffle_large(std::span(order), other);
    EXPECT_EQ(order, expected) << size;
    EXPECT_EQ(other.next(), one.next()) << "as many numbers are drawn: " << size;
  }
}

}  // namespace
}  // namespace attend
