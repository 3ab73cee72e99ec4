#include "attend/tasks/embedding/goal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_embedder.h"

namespace attend {
namespace {

class VectorGoals : public FolderTest {
 protected:
  // The vector of every remark is (2, 0, ..., 0).
  VectorGoal goal(VectorLoss loss, std::int64_t batch_tokens = 1000) {
    const int width = model_.network->config().vector_width();
    write_taught_texts(
        kRemarks, {std::string(kTaughtVectors), {}},
        [&](std::span<const std::string> texts) {
          std::vector<float> rows(texts.size() * static_cast<std::size_t>(width), 0.0f);
          for (std::size_t i = 0; i < texts.size(); ++i)
            rows[i * static_cast<std::size_t>(width)] = 2;
          return rows;
        },
        "", path("vectors"), [](std::int64_t) {});
    RaggedBuilder tokens;
    for (const std::string& text : kRemarks) tokens.add(model_.ids(text));
    return {tokens.build(),
            std::make_shared<const TaughtTexts>(path("vectors")),
            loss,
            {batch_tokens},
            1};
  }
  double loss_of(VectorLoss loss) {
    Pass pass = Pass::inference();
    const ContrastiveResult result = goal(loss).loss(*model_.network, 0, 0, pass);
    EXPECT_EQ(double{result.nll}, result.sum.value().item());
    return result.nll;
  }
  // The vectors of the model, each of length 1.
  std::vector<std::vector<float>> vectors() {
    std::vector<std::vector<float>> all;
    for (const std::string& text : kRemarks) {
      RaggedBuilder tokens;
      tokens.add(model_.ids(text));
      all.push_back(text_vectors(model_, tokens.build()).to_vector());
    }
    return all;
  }

  EmbeddingModel model_ = small_embedder();
};

TEST_F(VectorGoals, AreTheSquaredErrorOfAnElement) {
  double expected = 0;
  for (const std::vector<float>& vector : vectors())
    for (std::size_t e = 0; e < vector.size(); ++e)
      expected += std::pow(vector[e] - (e == 0 ? 2 : 0), 2) / static_cast<double>(vector.size());
  EXPECT_NEAR(loss_of(VectorLoss::squared_error), expected, 1e-5);
}

TEST_F(VectorGoals, AreTheDistanceByCosines) {
  double expected = 0;
  for (const std::vector<float>& vector : vectors()) expected += 1 - vector.front();
  EXPECT_NEAR(loss_of(VectorLoss::cosine), expected, 1e-5);
}

TEST_F(VectorGoals, TakeEachTextOnceInAnEpoch) {
  VectorGoal few = goal(VectorLoss::cosine, 12);
  EXPECT_EQ(few.unit(), "texts");
  EXPECT_EQ(few.largest_error(), 4) << "the largest square of an element";
  EXPECT_GT(few.batches(0), 2);
  std::int64_t texts = 0, tokens = 0, all = 0;
  for (std::int64_t i = 0; i < few.batches(0); ++i) {
    texts += few.size(0, i).targets;
    tokens += few.size(0, i).sources;
  }
  for (const std::string& text : kRemarks) all += std::ssize(model_.ids(text));
  EXPECT_EQ(texts, std::ssize(kRemarks));
  EXPECT_EQ(tokens, all);
  few.limit_batches(1);
  EXPECT_EQ(few.batches(0), std::ssize(kRemarks));
}

}  // namespace
}  // namespace attend
