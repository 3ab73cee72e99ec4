// Every kernel that drops elements draws the mask that RandomKey::bits16 defines, bit for bit.
#include <gtest/gtest.h>

#include <vector>

#include "backend/backend_test.h"
#include "backend/operands.h"

namespace attend {
namespace {

using DropoutMask = EachBackend;
INSTANTIATE_TEST_SUITE_P(On, DropoutMask, ::testing::Values(&reference_backend, &fast_backend),
                         backend_name);

constexpr std::int64_t kMaskedRows = 37;
constexpr std::int64_t kMaskedColumns = 45;

std::vector<Dropout> dropouts() {
  return {{.p = 0.1f, .key = {1, 2}},
          {.p = 0.5f, .key = {0xfedcba9876543210u, 0x0123456789abcdefu}},
          {.p = 0.0001f, .key = {3, 4}},
          {.p = 0.97f, .key = {5, 6}}};
}

bool kept(const Dropout& dropout, std::int64_t row, std::int64_t column) {
  return dropout.key.bits16(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)) >=
         dropout.threshold();
}

// `y` is what became of ones.
void expect_mask(const Tensor& y, const Dropout& dropout) {
  for (std::int64_t r = 0; r < y.rows(); ++r) {
    for (std::int64_t c = 0; c < y.cols(); ++c)
      ASSERT_EQ(y.row(r)[c], kept(dropout, r, c) ? dropout.scale() : 0.0f)
          << "(" << r << ", " << c << "), p " << dropout.p;
  }
}

TEST_P(DropoutMask, OfDropout) {
  for (const Dropout& dropout : dropouts()) {
    for (const Rows rows : {Rows::contiguous, Rows::strided}) {
      Operands operands(rows);
      const Tensor ones = operands.normal(kMaskedRows, kMaskedColumns, 0.0f, 1.0f);
      const Tensor y = operands.output(kMaskedRows, kMaskedColumns);
      kernels().dropout(dropout, ones, y);
      expect_mask(y, dropout);
    }
  }
}

TEST_P(DropoutMask, OfResidualLayerNorm) {
  for (const Dropout& dropout : dropouts()) {
    const Tensor sum = Tensor::empty({kMaskedRows, kMaskedColumns});
    const Tensor y = Tensor::empty({kMaskedRows, kMaskedColumns});
    kernels().residual_layer_norm(Tensor::zeros({kMaskedRows, kMaskedColumns}),
                                  Tensor::full({kMaskedRows, kMaskedColumns}, 1.0f), dropout,
                                  Tensor::full({kMaskedColumns}, 1.0f),
                                  Tensor::zeros({kMaskedColumns}), 1e-5f, sum, y, {}, {});
    expect_mask(sum, dropout);
  }
}

TEST_P(DropoutMask, OfEmbed) {
  for (const Dropout& dropout : dropouts()) {
    const std::vector<std::int32_t> ids(kMaskedRows, 0);
    const Tensor y = Tensor::empty({kMaskedRows, kMaskedColumns});
    kernels().embed(Tensor::full({1, kMaskedColumns}, 0.5f), ids, 2.0f, {}, {}, dropout, y);
    expect_mask(y, dropout);
  }
}

// With equal scores every weight is 1/Tk, and values that are rows of the identity show the weights
// that were used.
TEST_P(DropoutMask, OfAttention) {
  constexpr int kHeads = 2;
  const std::vector<std::int32_t> query_offsets{0, 3, 3 + static_cast<std::int32_t>(kMaskedRows)};
  constexpr int kKeys = 32;  // a power of two: 1/32 is exact
  const Tensor q = Tensor::zeros({3 + kMaskedRows, kHeads});
  const Tensor k = Tensor::zeros({64, kHeads});
  const Tensor v = Tensor::zeros({64, kHeads * kKeys});
  for (std::int64_t j = 0; j < 64; ++j) {
    for (int head = 0; head < kHeads; ++head) v.row(j)[head * kKeys + j % kKeys] = 1.0f;
  }
  for (const Dropout& dropout : dropouts()) {
    AttentionLayout layout;
    layout.query_offsets = query_offsets;
    layout.key_offsets = {0, 32, 64};
    layout.heads = kHeads;
    layout.dropout = dropout;
    const Tensor out = Tensor::empty({q.rows(), v.cols()});
    const Tensor log_sum_exp = Tensor::empty({q.rows(), kHeads});
    kernels().attention({q, k, v}, layout, out, log_sum_exp, {});
    const float expected = dropout.scale() / 32.0f;
    for (std::int64_t query = 0; query < q.rows(); ++query) {
      for (int head = 0; head < kHeads; ++head) {
        for (std::int64_t j = 0; j < kKeys; ++j) {
          const float found = out.row(query)[head * kKeys + j];
          ASSERT_EQ(found != 0.0f, kept(dropout, query * kHeads + head, j))
              << "query " << query << ", head " << head << ", key " << j;
          if (found != 0.0f) {
            ASSERT_NEAR(found, expected, 1e-6f * expected);
          }
        }
      }
    }

    // The backward pass draws the same mask: with dout one in a single column, dv shows it.
    const Tensor dout = Tensor::zeros({q.rows(), v.cols()});
    const Tensor dq = Tensor::empty({q.rows(), q.cols()});
    const Tensor dk = Tensor::empty({k.rows(), k.cols()});
    const Tensor dv = Tensor::empty({v.rows(), v.cols()});
    constexpr std::int64_t kQuery = 20;
    dout.row(kQuery)[kKeys] = 1.0f;  // head 1
    kernels().attention_backward({q, k, v}, layout, out, log_sum_exp, dout, {dq, dk, dv});
    for (std::int64_t j = 0; j < kKeys; ++j)
      ASSERT_EQ(dv.row(32 + j)[kKeys] != 0.0f, kept(dropout, kQuery * kHeads + 1, j))
          << "key " << j << " of the backward pass";
  }
}

TEST(Dropout, ProbabilityIsRoundedToASixtyFiveThousandthAndTheScaleFollows) {
  const Dropout dropout{.p = 0.3f, .key = {}};
  EXPECT_EQ(dropout.threshold(), 19661u);
  EXPECT_FLOAT_EQ(dropout.scale(), 65536.0f / (65536.0f - 19661.0f));
  EXPECT_EQ((Dropout{}.threshold()), 0u);
  EXPECT_EQ((Dropout{}.scale()), 1.0f);
}

TEST_P(DropoutMask, KeepsTheExpectedShare) {
  const Tensor y = Tensor::empty({400, 500});
  kernels().dropout({.p = 0.3f, .key = {9, 9}}, Tensor::full({400, 500}, 1.0f), y);
  // One standard deviation of the mean of 200,000 kept elements, each scaled by 1/0.7: sqrt(0.3 /
  // 0.7 / 200000) = 0.0015.
  EXPECT_NEAR(kernels().sum(y) / 200000.0, 1.0, 0.006);
}

}  // namespace
}  // namespace attend
