#include "attend/tasks/classification/soft_labels.h"

#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class SoftLabelFiles : public FolderTest {
 protected:
  // `row`: of every text.
  SoftLabels labels_of(const std::vector<std::string>& texts, ProblemType problem,
                       const std::vector<std::string>& names, const std::vector<float>& row) {
    static const std::vector<std::string> kinds{"single_label", "multi_label", "regression"};
    const std::filesystem::path folder = path(std::to_string(folders_++));
    write_taught_texts(
        texts, {kinds[static_cast<std::size_t>(problem)], names},
        [&](std::span<const std::string> part) {
          std::vector<float> rows;
          for (std::size_t i = 0; i < part.size(); ++i)
            rows.insert(rows.end(), row.begin(), row.end());
          return rows;
        },
        "", folder, [](std::int64_t) {});
    return {folder, problem};
  }
  static void expect_targets(const LabeledText& text, const std::vector<float>& targets) {
    ASSERT_EQ(text.targets.size(), targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i)
      EXPECT_NEAR(text.targets[i], targets[i], 1e-6) << i;
  }

  int folders_ = 0;
};

TEST_F(SoftLabelFiles, CountBesideLabelsByTheirWeightAndAloneWithoutThem) {
  const SoftLabels soft =
      labels_of({"b", "d", "d"}, ProblemType::single_label, {"y", "x"}, {0.9f, 0.1f});
  LabeledText text{{"x", "y", "z"}, {"a", "b"}, {0, 2}};
  EXPECT_EQ(soft.add_to(text, {.taught = 0.25f}), 2U) << "as often as teachers have read it";
  EXPECT_EQ(text.texts, (std::vector<std::string>{"a", "b", "d", "d"}));
  EXPECT_TRUE(text.labels.empty());
  expect_targets(text, {1, 0, 0, 0.025f, 0.225f, 0.75f, 0.1f, 0.9f, 0, 0.1f, 0.9f, 0});
}

TEST_F(SoftLabelFiles, SmoothGivenLabelsAlone) {
  LabeledText single{{"x", "y"}, {"a"}, {0}};
  labels_of({"b"}, ProblemType::single_label, {"x", "y"}, {0, 1})
      .add_to(single, {.taught = 0.5f, .smoothing = 0.2f});
  expect_targets(single, {0.9f, 0.1f, 0, 1});
  LabeledText several{{"x", "y"}, {"a"}, {}, {1, 0}};
  labels_of({"a"}, ProblemType::multi_label, {"x", "y"}, {0.5f, 1})
      .add_to(several, {.taught = 0.5f, .smoothing = 0.2f});
  expect_targets(several, {0.7f, 0.55f});
}

TEST_F(SoftLabelFiles, MayBeNumbersOfAnyName) {
  LabeledText text{{"stars"}, {"a"}, {}, {4}};
  labels_of({"a", "b"}, ProblemType::regression, {"score"}, {2}).add_to(text, {.taught = 0.5f});
  expect_targets(text, {3, 2});
}

TEST_F(SoftLabelFiles, BelongToAProblem) {
  labels_of({"a"}, ProblemType::regression, {"score"}, {2});
  expect_error<DataError>([&] { SoftLabels(path("0"), ProblemType::multi_label); },
                          {"expected what classifiers for multi_label say, found regression"});
}

}  // namespace
}  // namespace attend
