#include "attend/cli/commands/tune/setting_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attend/error.h"
#include "attend/tasks/translation/training/training.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class SettingRanges : public testing::Test {
 protected:
  SettingRanges() {
    for (const OptionGroup& group : option_groups(options_))
      fields_.insert(fields_.end(), group.fields.begin(), group.fields.end());
  }
  std::vector<std::string> drawn(const std::string& text, int count = 200) const {
    const SettingRange range(text, fields_);
    Random random({1, 2});
    std::vector<std::string> values;
    for (int i = 0; i < count; ++i) values.push_back(range.draw(random));
    return values;
  }

  TranslationTraining options_;
  std::vector<OptionField> fields_;
};

TEST_F(SettingRanges, MayBeChoices) {
  const auto values = drawn("optimizer=adam,muon");
  EXPECT_EQ(std::set<std::string>(values.begin(), values.end()),
            (std::set<std::string>{"adam", "muon"}));
}

TEST_F(SettingRanges, MayBeIntervals) {
  for (const std::string& value : drawn("dropout=0.1..0.3")) {
    EXPECT_GE(std::stod(value), 0.1);
    EXPECT_LE(std::stod(value), 0.3);
  }
  for (const std::string& value : drawn("n-heads=1..4"))
    EXPECT_TRUE((std::set<std::string>{"1", "2", "3", "4"}.contains(value))) << value;
}

TEST_F(SettingRanges, AreLogarithmicFromAFactorOfTenOn) {
  const auto below = [&](const std::string& text, double middle) {
    int count = 0;
    for (const std::string& value : drawn(text, 2000)) count += std::stod(value) < middle ? 1 : 0;
    return count / 2000.0;
  };
  EXPECT_NEAR(below("learning_rate=1e-4..1e-2", 1e-3), 0.5, 0.05);
  EXPECT_NEAR(below("learning-rate=2e-3..1e-2", 6e-3), 0.5, 0.05) << "a factor of 5";
  EXPECT_NEAR(below("dropout=0..0.5", 0.25), 0.5, 0.05) << "from 0 on";
}

TEST_F(SettingRanges, LeaveTheOptionsAlone) {
  const float before = options_.trainer.schedule.learning_rate;
  drawn("learning-rate=1e-4..1e-2");
  EXPECT_EQ(options_.trainer.schedule.learning_rate, before);
}

TEST_F(SettingRanges, AreChecked) {
  const auto refuses = [&](const std::string& text, const std::string& message) {
    expect_error<ConfigError>([&] { SettingRange(text, fields_); }, {"--ranges", message});
  };
  refuses("dropout", "expected name=value");
  refuses("drop-out=0,1", "unknown option");
  refuses("max-steps=10..20", "cannot be set here");
  refuses("dropout=0.1,2", "dropout");
  refuses("dropout=0.1..2", "dropout");
  refuses("dropout=0.3..0.1", "from a lower to a higher number");
  refuses("optimizer=adam..muon", "is no number");
  refuses("dropout=", "got none");
}

}  // namespace
}  // namespace attend
