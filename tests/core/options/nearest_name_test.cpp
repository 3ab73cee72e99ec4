#include "attend/core/options/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

const std::vector<std::string> kNames{"d-model",          "d-ff",    "n-heads", "n-encoder-layers",
                                      "n-decoder-layers", "dropout", "seed"};

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("same", "same"), 0);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("modle", "model"), 1);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);
}

TEST(NearestName, FindsTheMisspelledOne) {
  EXPECT_EQ(nearest_name("d-modle", kNames), "d-model");
  EXPECT_EQ(nearest_name("D_MODEL", kNames), "d-model");
  EXPECT_EQ(nearest_name("n-decoder-layer", kNames), "n-decoder-layers");
  EXPECT_EQ(nearest_name("droput", kNames), "dropout");
}

TEST(NearestName, TakesTheFirstOfEquallyNearOnes) {
  EXPECT_EQ(nearest_name("valid-x", std::vector<std::string>{"valid-a", "valid-b"}), "valid-a");
  EXPECT_EQ(nearest_name("valid-x", std::vector<std::string>{"valid-b", "valid-a"}), "valid-b");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("learning-rate", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("x", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

TEST(DidYouMean, EndsAMessage) {
  EXPECT_EQ(did_you_mean("d-modle", kNames, "--"), "; did you mean --d-model?");
  EXPECT_EQ(did_you_mean("nothing-like-it", kNames), "");
}

}  // namespace
}  // namespace attend
