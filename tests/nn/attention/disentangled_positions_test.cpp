#include "attend/nn/attention/disentangled_positions.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/error.h"
#include "ops/operands.h"

namespace attend {
namespace {

std::vector<std::int32_t> buckets_of(const RelativeOptions& options,
                                     const std::vector<int>& distances) {
  std::vector<std::int32_t> found;
  for (const int one : distances) found.push_back(disentangled_bucket(one, options));
  return found;
}

// What make_log_bucket_position of transformers gives, with the clamp of the model.
TEST(DisentangledBuckets, AreThoseOfTransformers) {
  using Row = std::vector<std::int32_t>;
  EXPECT_EQ(buckets_of({.buckets = 12, .distance = 60},
                       {-700, -59, -20, -8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 8, 20, 59, 700}),
            (Row{0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 11, 11}));
  EXPECT_EQ(buckets_of({.buckets = 512, .distance = 512},
                       {-512, -511, -510, -300, -200, -130, -129, -128, -127, 0,   1,
                        127,  128,  129,  130,  200,  300,  510,  511,  512,  5000}),
            (Row{0,   1,   1,   49,  87,  126, 127, 128, 129, 256, 257,
                 383, 384, 385, 386, 425, 463, 511, 511, 511, 511}));
  const auto checksum = [](const RelativeOptions& options) {
    std::int64_t sum = 0;
    for (int distance = -600; distance <= 600; ++distance)
      sum += std::int64_t{disentangled_bucket(distance, options)} * (distance + 601);
    return sum;
  };
  EXPECT_EQ(checksum({.buckets = 12, .distance = 60}), 5986993);
  EXPECT_EQ(checksum({.buckets = 64, .distance = 128}), 34112849);
  EXPECT_EQ(checksum({.buckets = 512, .distance = 512}), 264928317);
}

double product(const Tensor& x, std::int64_t i, const Tensor& y, std::int64_t j, std::int64_t begin,
               std::int64_t width) {
  double sum = 0;
  for (std::int64_t k = begin; k < begin + width; ++k) sum += double{x.row(i)[k]} * y.row(j)[k];
  return sum;
}

// By the formula, pair after pair.
TEST(DisentangledPositions, AddTheProductsWithTheBucketOfThePair) {
  constexpr int kHeads = 2, kWidth = 3;
  const RelativeOptions relative{.buckets = 8, .distance = 16};
  ParameterSet parameters;
  const DisentangledPositions positions(
      parameters, "positions", {.width = kHeads * kWidth, .relative = relative, .norm = {}});
  parameters.allocate(1);
  Pass pass = Pass::inference();
  AttentionLayout layout;
  layout.query_offsets = layout.key_offsets = Ids{0, 5, 7};
  layout.heads = kHeads;
  const Variable table = positions.of_length(5, pass);
  const std::int32_t first = disentangled_bucket(-4, relative);
  EXPECT_EQ(table.dim(0), disentangled_bucket(4, relative) - first + 1);
  Random random({1, 2});
  const Tensor q = normal_tensor({7, kHeads * kWidth}, random),
               k = normal_tensor(q.shape(), random), pq = normal_tensor(table.shape(), random),
               pk = normal_tensor(table.shape(), random);
  const std::vector<float> found =
      positions.scores({Variable(q), Variable(k), Variable(pq), Variable(pk)}, layout, 5)
          .value()
          .to_vector();
  std::size_t pair = 0;
  for (const auto& [begin, end] : {std::pair{0, 5}, {5, 7}}) {
    for (int head = 0; head < kHeads; ++head) {
      for (int i = begin; i < end; ++i) {
        for (int j = begin; j < end; ++j, ++pair) {
          const std::int64_t bucket = disentangled_bucket(i - j, relative) - first;
          const double expected = product(q, i, pk, bucket, head * kWidth, kWidth) +
                                  product(k, j, pq, bucket, head * kWidth, kWidth);
          ASSERT_NEAR(found.at(pair), expected, 1e-5) << head << " " << i << " " << j;
        }
      }
    }
  }
  EXPECT_EQ(found.size(), pair);
}

TEST(DisentangledPositions, NeedMoreDistancesThanBuckets) {
  ParameterSet parameters;
  EXPECT_THROW(
      DisentangledPositions(parameters, "positions",
                            {.width = 4, .relative = {.buckets = 32, .distance = 9}, .norm = {}}),
      ConfigError);
}

}  // namespace
}  // namespace attend
