#include "attend/core/options/option_error.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

TEST(OptionError, NamesFlagsWithDashesOnlyForTheCommandLine) {
  const OptionError<ConfigError> error("{}: expected {} or {}, got {}", as_flag("max-length"), 3,
                                       as_flag("valid"), std::string("--x"));
  EXPECT_STREQ(error.what(), "max_length: expected 3 or valid, got --x");
  EXPECT_EQ(message_of(error).on_command_line, "--max-length: expected 3 or --valid, got --x");
}

TEST(OptionError, NamesKeysAsConfigurationFilesHaveThem) {
  const OptionError<ConfigError> error("{}: too large", as_key("ema-decay"));
  EXPECT_STREQ(error.what(), "ema_decay: too large");
  EXPECT_EQ(message_of(error).on_command_line, "ema-decay: too large");
}

TEST(OptionError, TakesTextsOfSeveralParts) {
  const OptionText made = option_text("{} {}", as_flag("max-length"), 7);
  const OptionError<ConfigError> error("prepared with {}, {}", made, as_key("seed"));
  EXPECT_STREQ(error.what(), "prepared with max_length 7, seed");
  EXPECT_EQ(message_of(error).on_command_line, "prepared with --max-length 7, seed");
  EXPECT_EQ(message_of(OptionError<ConfigError>(made)).on_command_line, "--max-length 7");
}

TEST(OptionError, IsAnErrorOfItsKind) {
  EXPECT_THROW(throw OptionError<LineError>("raise {}", as_flag("max-tokens")), LineError);
}

TEST(OptionError, KeepsItsMessageWhenCaughtAsItsKind) {
  try {
    throw OptionError<DataError>("needs {}", as_flag("label-column"));
  } catch (const DataError& error) {
    EXPECT_EQ(message_of(error).on_command_line, "needs --label-column");
  }
}

TEST(OptionError, LeavesOtherExceptionsAsTheyAre) {
  EXPECT_EQ(message_of(ConfigError("max-length: {}")).on_command_line, "max-length: {}");
}

}  // namespace
}  // namespace attend
