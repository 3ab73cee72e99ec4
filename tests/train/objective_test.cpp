#include "attend/train/objective.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(Validation, IsScoredByTheMetricThatIsAskedFor) {
  Validation validation{.loss = 0.5, .metrics = {{"accuracy", 0.9}, {"macro_f1", 0.7}}};
  validation.score_by("macro_f1");
  EXPECT_EQ(validation.score, 0.7);
  validation.score_by("by_problem");
  EXPECT_EQ(validation.score, 0.9) << "the first stands for what is no metric";
  validation.score_by("loss");
  EXPECT_EQ(validation.score, -0.5);
}

// One that only validates together with others.
class Together final : public Objective {
 public:
  ParameterSet& parameters() override { return parameters_; }
  std::int64_t batches(std::int64_t) override { return 1; }
  BatchSize size(std::int64_t, std::int64_t) override { return {1}; }
  BatchLoss loss(std::int64_t, std::int64_t, double, Pass&) override { return {}; }
  bool can_validate() const override { return true; }
  Validation validate_together(Collective& processes) override {
    Validation result;
    result.loss = processes.size();
    return result;
  }

 private:
  ParameterSet parameters_;
};

TEST(Objective, ValidatesAloneAsAGroupOfOne) { EXPECT_EQ(Together().validate().loss, 1.0); }

}  // namespace
}  // namespace attend
