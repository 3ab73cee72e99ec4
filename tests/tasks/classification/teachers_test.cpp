#include "attend/tasks/classification/teachers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "attend/error.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::shared_ptr<const Checkpoint> saved(const ClassificationModel& model) {
  auto checkpoint = std::make_shared<Checkpoint>(checkpoint_of(model));
  checkpoint->source = "a file";
  return checkpoint;
}

std::vector<float> probabilities(const ClassificationModel& model) {
  std::vector<float> all;
  for (const Classification& one : ClassificationEngine(model).classify(kFilms.texts))
    all.insert(all.end(), one.probabilities.begin(), one.probabilities.end());
  return all;
}

TEST(ClassificationTeachers, AnswerWithTheMeanOfTheirProbabilities) {
  const ClassificationModel first = small_classifier();
  ClassificationModel second = small_classifier(Pooling::mean);
  const std::vector<float> one = probabilities(first), two = probabilities(second);
  EXPECT_EQ(ClassificationTeachers({saved(first)}).answers(kFilms.texts), one);
  const auto expect_mean = [&](const std::vector<std::size_t>& places) {
    const ClassificationTeachers teachers({saved(first), saved(second)});
    EXPECT_EQ(teachers.kind().kind, "single_label");
    EXPECT_EQ(teachers.kind().names, first.labels);
    const std::vector<float> means = teachers.answers(kFilms.texts);
    for (std::size_t i = 0; i < means.size(); ++i)
      EXPECT_NEAR(means[i], (one[i] + two[i / 3 * 3 + places[i % 3]]) / 2, 1e-6);
  };
  expect_mean({0, 1, 2});
  // The labels of another may have another order.
  std::rotate(second.labels.begin(), second.labels.begin() + 1, second.labels.end());
  expect_mean({2, 0, 1});
}

TEST(ClassificationTeachers, MayGiveNumbers) {
  const ClassificationModel model = small_classifier_for(ProblemType::regression, true);
  const std::vector<std::string> texts{"a film\tthe film"};
  const ClassificationTeachers teachers({saved(model)});
  EXPECT_TRUE(teachers.read_pairs());
  EXPECT_EQ(teachers.answers(texts),
            std::vector<float>{ClassificationEngine(model).classify(texts).front().value});
}

TEST(ClassificationTeachers, HaveTheSameLabels) {
  ClassificationModel other = small_classifier();
  other.labels.back() += "?";
  expect_error<DataError>(
      [&] {
        ClassificationTeachers({saved(small_classifier()), saved(other)});
      },
      {"expected a classifier like a file", "?)"});
  const auto number = saved(small_classifier_for(ProblemType::regression, false));
  expect_error<DataError>(
      [&] {
        ClassificationTeachers({saved(small_classifier()), number});
      },
      {"found one of regression"});
}

}  // namespace
}  // namespace attend
