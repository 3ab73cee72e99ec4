#include "attend/core/json/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace attend {
namespace {

TEST(JsonText, IsValidForAnyBytes) {
  EXPECT_EQ(json_text(nlohmann::json("a\xff\"")), "\"a\xef\xbf\xbd\\\"\"");
  EXPECT_EQ(json_text(nlohmann::ordered_json{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
}

TEST(JsonNumber, HasTheDigitsOfAFloat) {
  EXPECT_EQ(json_text(nlohmann::json(json_number(0.1f))), "0.1");
  for (const float value : {0.1f, -3.4028235e38f, 1e-45f, 16777217.0f, 0.0f, 0.33333334f})
    EXPECT_EQ(static_cast<float>(json_number(value)), value);
  EXPECT_TRUE(std::isnan(json_number(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace attend
