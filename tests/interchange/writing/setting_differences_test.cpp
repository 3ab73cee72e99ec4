#include "attend/interchange/writing/setting_differences.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Differences = std::vector<std::string>;

Differences of_options(const std::string& ours, const std::string& theirs) {
  return setting_differences({{"attend.config", ours}}, {{"attend.config", theirs}});
}

TEST(SettingDifferences, NameTheOptionAndBothValues) {
  EXPECT_EQ(of_options(R"({"d_model":8,"norm_first":true,"norm":"rms","new_option":3})",
                       R"({"d_model":8,"norm_first":false,"norm":"layer"})"),
            (Differences{"norm-first is true instead of false", "norm is rms instead of layer",
                         "new-option is 3"}));
  EXPECT_EQ(of_options(R"({"d_model":8})", R"({"d_model":8})"), Differences{});
}

TEST(SettingDifferences, LeaveOutWhatTrainingAloneKnows) {
  EXPECT_EQ(of_options(R"({"dropout":0.1,"attention_dropout":0.1,"embedding_deviation":2})",
                       R"({"dropout":0.2,"attention_dropout":0,"embedding_deviation":1})"),
            Differences{});
  EXPECT_EQ(setting_differences({{"attend.context", "64"}}, {{"attend.context", "128"}}),
            Differences{});
}

TEST(SettingDifferences, TakeZerosForWhatTheyStandFor) {
  EXPECT_EQ(
      of_options(R"({"d_model":16,"n_heads":4,"n_key_heads":0,"d_key":0,"embedding_scale":0})",
                 R"({"d_model":16,"n_heads":4,"n_key_heads":4,"d_key":4,"embedding_scale":4})"),
      Differences{});
  EXPECT_EQ(of_options(R"({"d_model":16,"n_heads":4,"n_key_heads":2,"embedding_scale":0})",
                       R"({"d_model":16,"n_heads":4,"n_key_heads":0,"embedding_scale":1})"),
            (Differences{"n-key-heads is 2 instead of 4", "embedding-scale is 4 instead of 1"}));
}

TEST(SettingDifferences, LeaveOutPositionsOfAnotherKind) {
  EXPECT_EQ(of_options(R"({"positions":"none","max_positions":8,"first_position":1,)"
                       R"("rotary_theta":5.0,"rotary_factor":2})",
                       R"({"positions":"none","max_positions":9,"first_position":2,)"
                       R"("rotary_theta":6.0,"rotary_factor":3})"),
            Differences{});
  EXPECT_EQ(of_options(R"({"positions":"learned","max_positions":8})",
                       R"({"positions":"learned","max_positions":9})"),
            Differences{"max-positions is 8 instead of 9"});
  EXPECT_EQ(of_options(R"({"positions":"sinusoidal","first_position":1})",
                       R"({"positions":"sinusoidal","first_position":2})"),
            Differences{"first-position is 1 instead of 2"});
  EXPECT_EQ(of_options(R"({"positions":"rotary","rotary_scaling":"linear","rotary_factor":2,)"
                       R"("rotary_low_factor":2})",
                       R"({"positions":"rotary","rotary_scaling":"linear","rotary_factor":3,)"
                       R"("rotary_low_factor":3})"),
            Differences{"rotary-factor is 2 instead of 3"});
}

TEST(SettingDifferences, NameDistancesOfBiasesBesidePositions) {
  const auto of_distances = [](const std::string& biases) {
    const std::string begin = R"({"positions":"learned","distance_biases":")" + biases + '"';
    return of_options(begin + R"(,"relative_distance":64,"relative_shared":true})",
                      begin + R"(,"relative_distance":128,"relative_shared":false})");
  };
  EXPECT_EQ(of_distances("relative"), (Differences{"relative-distance is 64 instead of 128",
                                                   "relative-shared is true instead of false"}));
  EXPECT_EQ(of_distances("disentangled"), Differences{"relative-distance is 64 instead of 128"});
  for (const char* other : {"standard", "alibi"}) EXPECT_EQ(of_distances(other), Differences{});
}

TEST(SettingDifferences, NameEntriesThatOneSideLacks) {
  EXPECT_EQ(setting_differences({{"attend.cache", "{}"}, {"attend.arch", "rnn"}},
                                {{"attend.arch", "transformer"}, {"attend.first_token", "[2]"}}),
            (Differences{"arch is rnn instead of transformer", "cache is {}",
                         "first-token is not set instead of [2]"}));
}

}  // namespace
}  // namespace attend
