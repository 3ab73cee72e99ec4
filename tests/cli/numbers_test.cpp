// Every number that the program takes, in every command: what is no number, not finite or out of
// range is refused by one line that names the option, and the ends of its range are taken. The
// ranges are read from those lines, as a user would.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "attend/error.h"
#include "cli/number_options.h"

namespace attend {
namespace {

class Numbers : public testing::Test {
 protected:
  Numbers() { std::filesystem::create_directories(folder_); }
  ~Numbers() override { std::filesystem::remove_all(folder_); }

  void expect_refused(const NumberOption& option, const std::string& value) {
    const std::string message = numbers_.complaint(option, value);
    EXPECT_TRUE(message.starts_with("--" + option.name + ": expected a "))
        << option.text() << "=" << value << " gives: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  void expect_taken(const NumberOption& option, const std::string& value) {
    EXPECT_EQ(numbers_.complaint(option, value), "") << option.text() << "=" << value;
  }

  NumberOptions numbers_;
  std::string folder_ = testing::TempDir() + "attend_numbers" + std::to_string(getpid());
};

TEST_F(Numbers, AreFoundInEveryCommandThatHasSome) {
  EXPECT_GT(numbers_.list().size(), 150u);
  for (const char* command : {"train", "filter", "translate", "generate", "classify", "score",
                              "attention", "explain", "embed", "average", "quantize", "shortlist",
                              "calibrate", "evaluate", "lab", "demo", "serve"}) {
    const auto of_command = [&](const NumberOption& option) {
      return option.command.front() == command;
    };
    EXPECT_TRUE(std::any_of(numbers_.list().begin(), numbers_.list().end(), of_command)) << command;
  }
}

TEST_F(Numbers, ThatAreNoneOrNotFiniteAreRefused) {
  for (const NumberOption& option : numbers_.list()) {
    for (const char* value : {"nan", "-nan", "inf", "-inf", "+inf", "infinity", "1e999", "-1e999",
                              "99999999999999999999999999999999999999", "0x10", "many", "1x", "1 2",
                              " 1", "++1", "1e", "1,5", "--1"}) {
      expect_refused(option, value);
    }
    if (option.whole) expect_refused(option, "1.5");
  }
}

TEST_F(Numbers, AreTakenUpToTheEndsOfTheirRangeAndNoFurther) {
  for (const NumberOption& option : numbers_.list()) {
    const FoundRange range = numbers_.range_of(option);
    expect_taken(option, NumberOptions::least_of(option, range));
    expect_taken(option, NumberOptions::most_of(option, range));
    if (range.open) {
      for (const char* value : {"-9223372036854775809", "18446744073709551616"})
        expect_refused(option, value);
      continue;
    }
    expect_refused(
        option, NumberOptions::text_of(option, range.least_excluded
                                                   ? range.least
                                                   : NumberOptions::next(option, range.least, -1)));
    expect_refused(
        option,
        NumberOptions::text_of(
            option, range.most_excluded ? range.most : NumberOptions::next(option, range.most, 1)));
    if (range.least >= 0) expect_refused(option, "-0");
  }
}

TEST_F(Numbers, HaveDefaultsInTheirRange) {
  for (const NumberOption& option : numbers_.list()) expect_taken(option, option.initial);
}

TEST_F(Numbers, OfAFileOfOptionsAreCheckedLikeThoseOfFlags) {
  int checked = 0;
  for (const NumberOption& option : numbers_.list()) {
    if (!option.has_file) continue;
    for (const char* value :
         {"nan", "-inf", "1e999", "99999999999999999999999999999999999999", "\"many\""}) {
      const std::string file = folder_ + "/options.toml";
      std::ofstream(file) << option.name << " = " << value << "\n";
      std::string message;
      try {
        message = numbers_.complaint(option, {"--config", file});
      } catch (const Error& error) {  // no TOML at all
        message = error.what();
      }
      EXPECT_NE(message.find("options.toml:1"), std::string::npos)
          << option.text() << " = " << value << " gives: " << message;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace attend
