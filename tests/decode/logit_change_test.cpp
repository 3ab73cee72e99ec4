#include "attend/decode/logit_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/decode/scorers/scorer.h"

namespace attend {
namespace {

// Its columns are the tokens from 15 down to 10.
class ReversedColumns final : public Scorer {
 public:
  void advance(std::span<const std::int32_t>, const Ragged&) override {}
  Tensor logits(std::int64_t, std::int64_t) override { return {}; }
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return 15 - static_cast<std::int32_t>(column);
  }
  std::int32_t column(std::int64_t, std::int32_t token) const override {
    return token < 10 || token > 15 ? -1 : 15 - token;
  }
};

const std::vector<float> kLogits{3, -2, 0, 5, -7, 1};

std::vector<float> changed(const std::vector<LogitChange>& changes, bool expected = true) {
  std::vector<float> all;
  for (std::size_t r = 0; r < changes.size(); ++r)
    all.insert(all.end(), kLogits.begin(), kLogits.end());
  const Tensor logits = Tensor::from(all, {std::ssize(changes), std::ssize(kLogits)});
  EXPECT_EQ(change_logits(changes, 4, ReversedColumns(), logits), expected);
  return logits.to_vector();
}

TEST(LogitChange, PenalizesAndBansTokens) {
  EXPECT_EQ(changed({{.banned = {13}, .penalized = {15, 14, 10}, .penalty = 2}}),
            (std::vector<float>{1.5f, -4, -INFINITY, 5, -7, 0.5f}));
}

TEST(LogitChange, BansWhatItPenalizes) {
  EXPECT_EQ(changed({{.banned = {15}, .penalized = {15}, .penalty = 2}}),
            (std::vector<float>{-INFINITY, -2, 0, 5, -7, 1}));
}

TEST(LogitChange, IsForItsRowAlone) {
  EXPECT_EQ(changed({{.penalized = {15}, .penalty = 2},
                     {.penalized = {15}, .penalty = 3},
                     {},
                     {.banned = {15, 14}}}),
            (std::vector<float>{1.5f,      -2,        0, 5, -7, 1,  //
                                1,         -2,        0, 5, -7, 1,  //
                                3,         -2,        0, 5, -7, 1,  //
                                -INFINITY, -INFINITY, 0, 5, -7, 1}));
}

TEST(LogitChange, SaysWhetherALogitChanged) {
  EXPECT_EQ(changed({{}, {}}, false).size(), 12u);
  changed({{.banned = {9}, .penalized = {16}, .penalty = 2}}, false);
  EXPECT_FALSE(LogitChange{}.changes());
  EXPECT_TRUE(LogitChange{.banned = {1}}.changes());
  EXPECT_TRUE(LogitChange{.penalty = 2}.changes());
}

}  // namespace
}  // namespace attend
