#include "attend/tasks/learned_positions.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(LearnedPositions, LimitTheLengthsOfOptions) {
  StackConfig config;
  config.max_positions = 8;
  EXPECT_EQ(config.learned_positions(), 0) << "sinusoids have no end";
  EXPECT_NO_THROW(require_positions("max-length", 9, config));
  config.positions = PositionKind::learned;
  EXPECT_EQ(config.learned_positions(), 8);
  EXPECT_NO_THROW(require_positions("max-length", 8, config));
  expect_error<ConfigError>([&] { require_positions("max-length", 9, config); },
                            {"max_length: 9 tokens do not fit in max_positions 8; lower"});
}

TEST(LearnedPositions, HaveRoomForATextAndItsSpecialTokens) {
  EXPECT_NO_THROW(require_room("line 3", 1000, 2, 0));
  EXPECT_NO_THROW(require_room("line 3", 7, 1, 8));
  EXPECT_NO_THROW(require_room("line 3", 6, 2, 8));
  expect_error<DataError>([] { require_room("line 3", 8, 1, 8); },
                          {"line 3: a text of 8 tokens plus eos is longer than the 8 positions"});
  expect_error<DataError>([] { require_room("line 3", 7, 2, 8); },
                          {"line 3: a text of 7 tokens plus bos and eos is"});
}

}  // namespace
}  // namespace attend
