// The defaults of kernels that others compose, on each backend: what they compose gives the numbers
// that the fast backend computes in one pass.
#include <gtest/gtest.h>

#include <vector>

#include "attend/core/random/random.h"
#include "backend/backend_test.h"

namespace attend {
namespace {

class ComposedKernels : public EachBackend {
 protected:
  static Tensor numbers(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    const Tensor x = Tensor::empty({rows, columns});
    Random random({seed, stream_of("numbers")});
    for (float& value : x.span()) value = random.uniform() - 0.5f;
    return x;
  }
  static void expect_near(const Tensor& found, const Tensor& expected) {
    const std::vector<float> a = found.to_vector(), b = expected.to_vector();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5f) << i;
  }
};

INSTANTIATE_TEST_SUITE_P(On, ComposedKernels, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(ComposedKernels, AddAndNormalize) {
  const Tensor x = numbers(3, 21, 1), branch = numbers(3, 21, 2),
               gamma = numbers(1, 21, 3).reshape({21}), beta = numbers(1, 21, 4).reshape({21});
  const auto results = [] {
    return std::vector{Tensor::empty({3, 21}), Tensor::empty({3, 21}), Tensor::empty({3}),
                       Tensor::empty({3})};
  };
  const std::vector<Tensor> found = results(), expected = results();
  const Dropout dropout{0.3f, {5, stream_of("dropout")}};
  kernels().Backend::residual_layer_norm(x, branch, dropout, gamma, beta, 1e-5f, found[0], found[1],
                                         found[2], found[3]);
  fast_backend().residual_layer_norm(x, branch, dropout, gamma, beta, 1e-5f, expected[0],
                                     expected[1], expected[2], expected[3]);
  for (std::size_t i = 0; i < found.size(); ++i) expect_near(found[i], expected[i]);
}

TEST_P(ComposedKernels, ChooseTheLargestLogits) {
  const Tensor x = numbers(4, 8, 1);
  const OutputProjection output{numbers(50, 8, 2), numbers(1, 50, 3).reshape({50})};
  const Tensor values = Tensor::empty({4, 3}), indices = Tensor::empty({4, 3}, DType::i32),
               expected = Tensor::empty({4, 3}), wanted = Tensor::empty({4, 3}, DType::i32);
  kernels().Backend::projected_top_k(x, output, 3, values, indices);
  fast_backend().projected_top_k(x, output, 3, expected, wanted);
  expect_near(values, expected);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(indices.data<std::int32_t>()[i], wanted.data<std::int32_t>()[i]);
}

TEST_P(ComposedKernels, PairLosses) {
  const Tensor a = numbers(2, 9, 1), b = numbers(2, 9, 2), a2 = a.clone(), b2 = b.clone();
  const Tensor losses = Tensor::empty({2}), nll = Tensor::empty({2}), expected = Tensor::empty({2}),
               wanted = Tensor::empty({2});
  const PairedLoss options{.label_smoothing = 0.1f, .divergence = 2.0f, .gradient_scale = 0.5f};
  kernels().Backend::paired_cross_entropy(a, b, {3, 8}, options, losses, nll);
  fast_backend().paired_cross_entropy(a2, b2, {3, 8}, options, expected, wanted);
  expect_near(losses, expected);
  expect_near(nll, wanted);
  expect_near(a, a2);
  expect_near(b, b2);
}

}  // namespace
}  // namespace attend
