#include "attend/nn/attention/kv_cache.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/tensor/allocator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Rows = std::vector<std::int32_t>;

// Keys and values of new positions, one column each: the key's number, and its negative as the
// value.
Tensor block(const std::vector<float>& keys) {
  const Tensor x = Tensor::empty({static_cast<std::int64_t>(keys.size()), 2});
  for (std::size_t r = 0; r < keys.size(); ++r) {
    x.row(static_cast<std::int64_t>(r))[0] = keys[r];
    x.row(static_cast<std::int64_t>(r))[1] = -keys[r];
  }
  return x;
}

template <class T = float>
const T* key_of(const KeyRows& keys, std::int32_t index) {
  const std::int32_t page = keys.slots[2 * index], row = keys.slots[2 * index + 1];
  return keys.pages[static_cast<std::size_t>(page)].row<T>(row);
}

// What each new position sees, checked to carry its value beside it.
std::vector<std::vector<float>> seen(KVCache& cache, int layer, std::int64_t window = 0) {
  const KeyRows view = cache.view(layer, window);
  std::vector<std::vector<float>> result;
  for (std::int64_t r = 0; r + 1 < view.offsets.size(); ++r) {
    auto& keys = result.emplace_back();
    for (std::int32_t i = view.offsets[r]; i < view.offsets[r + 1]; ++i) {
      const float* key = key_of(view, i);
      EXPECT_EQ(key[1], -key[0]);
      keys.push_back(key[0]);
    }
  }
  return result;
}

using Seen = std::vector<std::vector<float>>;

TEST(KVCache, GrowsByOneRowForEachHypothesis) {
  KVCache cache(1, 2);
  EXPECT_EQ(cache.hypotheses(), 2);
  EXPECT_EQ(seen(cache, 0), Seen{});
  for (const float step : {1.0f, 2.0f, 3.0f}) {
    cache.extend(Rows{1, 1});
    cache.append(0, block({10 + step, 20 + step}));
  }
  EXPECT_EQ(seen(cache, 0), (Seen{{11, 12, 13}, {21, 22, 23}}));
}

TEST(KVCache, KeepsBytesAsTheyAre) {
  const Tensor bytes = Tensor::empty({2, 3}, DType::i8);
  for (std::int64_t i = 0; i < 6; ++i)
    bytes.data<std::int8_t>()[i] = static_cast<std::int8_t>(i - 3);
  KVCache cache(1, 2);
  cache.extend(Rows{1, 1});
  cache.append(0, bytes.slice_columns(1, 3));
  const KeyRows view = cache.view(0);
  EXPECT_EQ(view.dtype(), DType::i8);
  for (std::int32_t r = 0; r < 2; ++r) {
    const auto* row = key_of<std::int8_t>(view, r);
    EXPECT_EQ(row[0], -2 + 3 * r);
    EXPECT_EQ(row[1], -1 + 3 * r);
  }
}

TEST(KVCache, GoesOnInAnotherPageWhenOneIsFull) {
  KVCache cache(2, 2);
  Seen expected(2);
  for (int step = 0; step < 40; ++step) {
    const auto number = static_cast<float>(step);
    cache.extend(Rows{1, 1});
    for (const int layer : {0, 1}) cache.append(layer, block({100 + number, 200 + number}));
    expected[0].push_back(100 + number);
    expected[1].push_back(200 + number);
  }
  EXPECT_EQ(seen(cache, 0), expected);
  EXPECT_EQ(seen(cache, 1), expected);
}

// Each page takes time at every step, and a new one the search for what is free.
TEST(KVCache, HasFewPagesForALongText) {
  constexpr std::int64_t kWidth = 64, kSteps = 4000;
  KVCache cache(1, 1);
  const std::int64_t before = memory_statistics().bytes_in_use;
  for (int step = 0; step < kSteps; ++step) {
    cache.reorder(Rows{0});
    cache.extend(Rows{1});
    cache.append(0, Tensor::zeros({1, kWidth}));
  }
  EXPECT_EQ(cache.view(0).size(), kSteps);
  EXPECT_LT(cache.view(0).pages.size(), 60u);
  const std::int64_t row_bytes = kWidth * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(memory_statistics().bytes_in_use - before, 6 * kSteps / 5 * row_bytes);
}

// As long as one hypothesis lives on and three others fall behind it at every step, four rows are
// new and three become free.
TEST(KVCache, UsesTheRowsOfDroppedHypothesesAgain) {
  constexpr std::int64_t kWidth = 1024, kSteps = 400;
  KVCache cache(1, 4);
  Seen expected(4);
  const std::int64_t before = memory_statistics().bytes_in_use;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    cache.reorder(Rows{2, 2, 2, 2});
    cache.extend(Rows{1, 1, 1, 1});
    const Tensor rows = Tensor::zeros({4, kWidth});
    for (std::int64_t r = 0; r < 4; ++r)
      rows.row(r)[0] = static_cast<float>(10 * step + r), rows.row(r)[1] = -rows.row(r)[0];
    cache.append(0, rows);
    const std::vector<float> survivor = expected[2];
    for (std::size_t r = 0; r < 4; ++r) {
      expected[r] = survivor;
      expected[r].push_back(static_cast<float>(10 * step) + static_cast<float>(r));
    }
    ASSERT_EQ(seen(cache, 0), expected) << "step " << step;
  }
  const std::int64_t row_bytes = kWidth * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(memory_statistics().bytes_in_use - before,
            3 * kSteps / 2 * row_bytes);  // of 4 * kSteps that were appended
}

// Against a copy of everything, with hypotheses that branch and end at random.
TEST(KVCache, ShowsEveryNewPositionItsHypothesisUpToItself) {
  Random random(RandomKey{1, 2});
  KVCache cache(1, 3);
  Seen expected(3);
  float next = 1;
  for (int step = 0; step < 300; ++step) {
    Rows parents, counts;
    Seen reordered, of_new;
    const std::uint64_t hypotheses = 1 + random.below(6);
    std::vector<float> keys;
    for (std::uint64_t r = 0; r < hypotheses; ++r) {
      parents.push_back(static_cast<std::int32_t>(random.below(expected.size())));
      counts.push_back(static_cast<std::int32_t>(random.below(3)));
      reordered.push_back(expected[static_cast<std::size_t>(parents.back())]);
      for (std::int32_t i = 0; i < counts.back(); ++i) {
        keys.push_back(next);
        reordered.back().push_back(next++);
        of_new.push_back(reordered.back());
      }
    }
    cache.reorder(parents);
    cache.extend(counts);
    if (!keys.empty()) cache.append(0, block(keys));
    expected = reordered;
    ASSERT_EQ(seen(cache, 0), of_new) << "step " << step;
  }
}

TEST(KVCache, TakesSeveralPositionsOfAHypothesisAtOnce) {
  KVCache cache(1, 3);
  cache.extend(Rows{3, 0, 1});
  cache.append(0, block({11, 12, 13, 31}));
  EXPECT_EQ(seen(cache, 0), (Seen{{11}, {11, 12}, {11, 12, 13}, {31}}));
  cache.extend(Rows{1, 1, 1});
  cache.append(0, block({14, 21, 32}));
  EXPECT_EQ(seen(cache, 0), (Seen{{11, 12, 13, 14}, {21}, {31, 32}}));
}

TEST(KVCache, KeepsTheLayersApart) {
  KVCache cache(2, 1);
  cache.extend(Rows{1});
  cache.append(0, block({1}));
  cache.append(1, block({100}));
  EXPECT_EQ(seen(cache, 0), (Seen{{1}}));
  EXPECT_EQ(seen(cache, 1), (Seen{{100}}));
}

TEST(KVCache, ShowsTheLastPositionsInAWindow) {
  KVCache cache(2, 2);
  cache.extend(Rows{3, 1});
  for (const int layer : {0, 1}) cache.append(layer, block({1, 2, 3, 11}));
  EXPECT_EQ(seen(cache, 0, 2), (Seen{{1}, {1, 2}, {2, 3}, {11}}));
  EXPECT_EQ(seen(cache, 1), (Seen{{1}, {1, 2}, {1, 2, 3}, {11}}));
  EXPECT_EQ(seen(cache, 1, 1), (Seen{{1}, {2}, {3}, {11}}));
  cache.reorder(Rows{0, 0});
  cache.extend(Rows{1, 0});
  cache.append(0, block({4}));
  EXPECT_EQ(seen(cache, 0, 2), (Seen{{3, 4}}));
  EXPECT_EQ(seen(cache, 0, 9), (Seen{{1, 2, 3, 4}}));
}

TEST(KVCache, LetsHypothesesBranchSwapAndEnd) {
  KVCache cache(1, 2);
  cache.extend(Rows{1, 1});
  cache.append(0, block({1, 2}));
  cache.reorder(Rows{1, 0, 1});  // swapped, and the second twice
  EXPECT_EQ(cache.hypotheses(), 3);
  cache.extend(Rows{1, 1, 1});
  cache.append(0, block({21, 11, 22}));
  EXPECT_EQ(seen(cache, 0), (Seen{{2, 21}, {1, 11}, {2, 22}}));
  cache.reorder(Rows{2});
  cache.extend(Rows{1});
  cache.append(0, block({221}));
  EXPECT_EQ(seen(cache, 0), (Seen{{2, 22, 221}}));
  cache.reorder(Rows{});
  EXPECT_EQ(cache.hypotheses(), 0);
  EXPECT_EQ(seen(cache, 0), Seen{});
}

TEST(KVCache, TakesInHypothesesAndForgetsWhatOneHasSeen) {
  KVCache cache(1, 1);
  cache.extend(Rows{1});
  cache.append(0, block({11}));
  cache.join(2);
  EXPECT_EQ(cache.hypotheses(), 3);
  cache.extend(Rows{1, 1, 0});
  cache.append(0, block({12, 21}));
  EXPECT_EQ(seen(cache, 0), (Seen{{11, 12}, {21}}));
  cache.forget(0);
  cache.extend(Rows{1, 1, 1});
  cache.append(0, block({13, 22, 31}));
  EXPECT_EQ(seen(cache, 0), (Seen{{13}, {21, 22}, {31}}));
  expect_error<ShapeError>([&] { cache.forget(3); }, {"[kv_cache]", "3 hypotheses", "got 3"});
}

TEST(KVCache, ShowsARecurrenceTheLastRowOfEveryHypothesis) {
  KVCache cache(1, 2);
  const auto last = [&](const Rows& rows) {
    cache.extend(rows);
    std::vector<float> keys;
    const Tensor found = cache.last_rows(0, 2);
    for (std::int64_t r = 0; found.defined() && r < found.rows(); ++r)
      keys.push_back(found.row(r)[0]);
    return keys;
  };
  EXPECT_EQ(last({1, 1}), std::vector<float>{}) << "all are new";
  cache.append(0, block({1, 2}));
  EXPECT_EQ(last({2, 0}), std::vector<float>{1});
  EXPECT_EQ(cache.new_offsets().size(), 2) << "one hypothesis has new rows";
  cache.append(0, block({3, 4}));
  cache.reorder(Rows{1, 0, 0});
  EXPECT_EQ(last({1, 1, 1}), (std::vector<float>{2, 4, 4}));
  cache.append(0, block({5, 6, 7}));
  cache.forget(1);
  EXPECT_EQ(last({1, 1, 1}), (std::vector<float>{5, 0, 7}));
}

TEST(KVCache, RefusesParentsAndRowsThatDoNotExist) {
  KVCache cache(1, 2);
  expect_error<ShapeError>(
      [&] {
        cache.reorder(Rows{0, 2});
      },
      {"[kv_cache]", "2 hypotheses", "got 2"});
  expect_error<ShapeError>([&] { cache.reorder(Rows{-1}); }, {"[kv_cache]", "got -1"});
  expect_error<ShapeError>([&] { cache.extend(Rows{1}); }, {"[kv_cache]", "2 hypotheses", "got 1"});
  EXPECT_EQ(cache.hypotheses(), 2);
  cache.extend(Rows{1, 1});
  expect_error<ShapeError>([&] { cache.append(0, block({1})); },
                           {"[kv_cache]", "2 new positions", "[1, 2]"});
}

}  // namespace
}  // namespace attend
