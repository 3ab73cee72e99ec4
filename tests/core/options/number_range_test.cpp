#include "attend/core/options/number_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attend/error.h"

namespace attend {
namespace {

TEST(NumberRange, HasItsEndsUnlessTheyAreExcluded) {
  EXPECT_TRUE(between(0, 1).contains(0));
  EXPECT_TRUE(between(0, 1).contains(1.0));
  EXPECT_FALSE(above(0, 1).contains(0.0));
  EXPECT_TRUE(above(0, 1).contains(1.0));
  EXPECT_TRUE(below_one().contains(0.0f));
  EXPECT_FALSE(below_one().contains(1.0f));
  EXPECT_FALSE(between(0, 1).contains(-1));
}

TEST(NumberRange, HasNoNumbersThatAreNotFinite) {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(between(-1e300, 1e300).contains(number)) << number;
}

TEST(NumberRange, RoundsItsEndsToFloat) {
  EXPECT_TRUE(between(1e-6, 0.1).contains(1e-6f));
  EXPECT_TRUE(between(1e-6, 0.1).contains(0.1f));
}

TEST(NumberRange, OfSeedsHasAllNumbersOf64Bits) {
  EXPECT_TRUE(any_seed().contains(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(any_seed().is_open());
  EXPECT_FALSE(between(0, 1e15).is_open());
}

TEST(NumberRange, IsWrittenAsItIsTyped) {
  EXPECT_EQ(expected_number(between(1, 1e6), true), "a whole number from 1 to 1000000");
  EXPECT_EQ(expected_number(below_one(), false), "a number from 0 to below 1");
  EXPECT_EQ(expected_number(above(0, 0.5), false), "a number above 0 up to 0.5");
  EXPECT_EQ(expected_number(any_seed(), true), "a whole number of 64 bits");
}

TEST(NumberRange, RefusesByTheNameOfTheOption) {
  try {
    require_in_range("beam-size", 0, between(1, 1024));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "beam_size: expected a whole number from 1 to 1024, got 0");
    EXPECT_EQ(message_of(error).on_command_line,
              "beam-size: expected a whole number from 1 to 1024, got 0");
  }
  EXPECT_NO_THROW(require_in_range("beam-size", 1024, between(1, 1024)));
}

}  // namespace
}  // namespace attend
