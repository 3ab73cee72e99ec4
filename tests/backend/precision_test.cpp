// Products in bf16: what the reference rounds (bf16_cases.cpp compares the fast backend with
// rounded factors), and what is not rounded.
#include <gtest/gtest.h>

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/cpu/quantized_weights.h"
#include "backend/backend_test.h"
#include "backend/operands.h"

namespace attend {
namespace {

// To bf16 and back.
Tensor rounded_to_bf16(const Tensor& x) {
  const Tensor narrow = Tensor::empty(x.shape(), DType::bf16), y = Tensor::empty(x.shape());
  reference_backend().convert(x, narrow);
  reference_backend().convert(narrow, y);
  return y;
}

TEST(ReferenceProducts, InBf16AreThoseOfRoundedFactors) {
  Operands operands(Rows::strided);
  Backend& kernels = reference_backend();
  const Tensor a = operands.normal(5, 7), b = operands.normal(7, 4), c = operands.normal(5, 4),
               expected = c.clone();
  kernels.matmul(a, b, {.beta = 0.5f, .precision = Precision::bf16}, c);
  kernels.matmul(rounded_to_bf16(a), rounded_to_bf16(b), {.beta = 0.5f}, expected);
  EXPECT_EQ(c.to_vector(), expected.to_vector());
  const Tensor weight = operands.normal(4, 7), bias = operands.normal_vector(4);
  kernels.linear(a, weight, bias, {Activation::tanh, Precision::bf16}, c);
  kernels.linear(rounded_to_bf16(a), rounded_to_bf16(weight), bias, {Activation::tanh}, expected);
  EXPECT_EQ(c.to_vector(), expected.to_vector());
}

using PackedWeights = EachBackend;
INSTANTIATE_TEST_SUITE_P(On, PackedWeights, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(PackedWeights, AreMultipliedAsTheyAreInEveryPrecision) {
  Operands operands(Rows::contiguous);
  const Tensor x = operands.normal(3, 32), rows = operands.normal(16, 32),
               y = Tensor::empty({3, 16}), expected = Tensor::empty({3, 16});
  for (const Tensor& weight : {pack_weights(rows.clone()), quantize_weights(rows)}) {
    kernels().linear(x, weight, {}, {}, expected);
    kernels().linear(x, weight, {}, {.precision = Precision::bf16}, y);
    EXPECT_EQ(y.to_vector(), expected.to_vector());
  }
}

}  // namespace
}  // namespace attend
