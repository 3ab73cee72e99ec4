#include "attend/tasks/embedding/contrastive_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"

namespace attend {
namespace {

// Two anchors and their positives, of width 3.
const std::vector<float> kVectors{1, 0, 2, 0, 3, 1, 2, 1, 0, 0, 1, 1};

Variable vectors_of_texts() { return Variable(Tensor::from(kVectors, {4, 3}), true); }

double cosine(std::size_t a, std::size_t b, std::size_t width = 3) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t d = 0; d < width; ++d) {
    ab += kVectors[3 * a + d] * kVectors[3 * b + d];
    aa += kVectors[3 * a + d] * kVectors[3 * a + d];
    bb += kVectors[3 * b + d] * kVectors[3 * b + d];
  }
  return ab / std::sqrt(aa * bb);
}

// -log of the share of the first cosine in the softmax.
double loss_among(double right, double wrong, double temperature) {
  return std::log(1 + std::exp((wrong - right) / temperature));
}

TupleBatch two_pairs() { return {{0, 1, 2, 3}, 2, {}}; }

TEST(ContrastiveLoss, IsTheCrossEntropyOfCosines) {
  const ContrastiveResult found =
      contrastive_loss(vectors_of_texts(), two_pairs(), {.temperature = 0.5f});
  const double expected =
      loss_among(cosine(0, 2), cosine(0, 3), 0.5) + loss_among(cosine(1, 3), cosine(1, 2), 0.5);
  EXPECT_NEAR(found.sum.value().item(), expected, 1e-5);
  EXPECT_NEAR(found.nll, expected, 1e-5);
}

TEST(ContrastiveLoss, IsTheMeanOfBothSearchesWhenSymmetric) {
  const ContrastiveResult found =
      contrastive_loss(vectors_of_texts(), two_pairs(), {.temperature = 1, .symmetric = true});
  const double forward =
      loss_among(cosine(0, 2), cosine(0, 3), 1) + loss_among(cosine(1, 3), cosine(1, 2), 1);
  const double reverse =
      loss_among(cosine(0, 2), cosine(1, 2), 1) + loss_among(cosine(1, 3), cosine(0, 3), 1);
  EXPECT_NEAR(found.sum.value().item(), (forward + reverse) / 2, 1e-5);
  EXPECT_NEAR(found.nll, forward, 1e-5);
}

TEST(ContrastiveLoss, AddsThatOfTheFirstNumbers) {
  const ContrastiveResult found =
      contrastive_loss(vectors_of_texts(), two_pairs(), {.temperature = 1, .widths = {2}});
  double expected = 0;
  for (const std::size_t width : {3, 2})
    expected += loss_among(cosine(0, 2, width), cosine(0, 3, width), 1) +
                loss_among(cosine(1, 3, width), cosine(1, 2, width), 1);
  EXPECT_NEAR(found.sum.value().item(), expected, 1e-5);
  EXPECT_THROW(contrastive_loss(vectors_of_texts(), two_pairs(), {.widths = {4}}), ShapeError);
}

TEST(ContrastiveLoss, LeavesOtherRightAnswersOut) {
  TupleBatch batch = two_pairs();
  batch.ignored = {0, 1, 0, 0};  // 3 is an answer to 0, too
  const ContrastiveResult found = contrastive_loss(vectors_of_texts(), batch, {.temperature = 1});
  EXPECT_NEAR(found.sum.value().item(), loss_among(cosine(1, 3), cosine(1, 2), 1), 1e-5);
  const ContrastiveResult both =
      contrastive_loss(vectors_of_texts(), batch, {.temperature = 1, .symmetric = true});
  // From 3, the anchor 0 is no wrong answer.
  EXPECT_NEAR(
      both.sum.value().item(),
      (loss_among(cosine(1, 3), cosine(1, 2), 1) + loss_among(cosine(0, 2), cosine(1, 2), 1)) / 2,
      1e-5);
}

TEST(ContrastiveLoss, HasTheNegativesOfTripletsAmongItsCandidates) {
  const TupleBatch batch{{0, 1, 2}, 1, {}};  // an anchor, a positive, a negative
  const ContrastiveResult found = contrastive_loss(
      Variable(vectors_of_texts().value().slice_rows(0, 3)), batch, {.temperature = 1});
  EXPECT_NEAR(found.sum.value().item(), loss_among(cosine(0, 1), cosine(0, 2), 1), 1e-5);
}

TEST(ContrastiveLoss, HasTheGradientOfItsDifferences) {
  TupleBatch batch = two_pairs();
  batch.ignored = {0, 0, 1, 0};
  const ContrastiveLoss loss{.temperature = 0.7f, .symmetric = true, .widths = {2}};
  const Variable x = vectors_of_texts();
  backward(contrastive_loss(x, batch, loss).sum);
  const std::vector<float> gradient = x.gradient().to_vector();
  for (std::size_t i = 0; i < kVectors.size(); ++i) {
    const auto at = [&](float step) {
      std::vector<float> moved = kVectors;
      moved[i] += step;
      return contrastive_loss(Variable(Tensor::from(moved, {4, 3})), batch, loss)
          .sum.value()
          .item();
    };
    EXPECT_NEAR(gradient[i], (at(1e-2f) - at(-1e-2f)) / 2e-2f, 2e-3) << i;
  }
}

}  // namespace
}  // namespace attend
