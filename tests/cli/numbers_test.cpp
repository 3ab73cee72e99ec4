// Every number that the program takes, in every command: what is no number, not finite or out of range is refused by one line that names
// the option, and the ends of its range are taken. The ranges are read from those lines, as a user would.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/core/error.h"

namespace attend {
namespace {

// A number of a command: {"train", "lm"}, "dropout", ...
struct NumberOption {
  std::vector<std::string> command;
  std::string name;
  bool whole = false;
  bool has_file = false;  // the command takes --config
  std::string initial;

  std::string text() const { return fmt::format("attend {} --{}", fmt::join(command, " "), name); }
};

struct FoundRange {
  double least = 0, most = 0;
  bool least_excluded = false, most_excluded = false, open = false;
};

class Numbers : public testing::Test {
 protected:
  Numbers() : app_("test", "attend") {
    app_.require_subcommand(1);
    add_commands(app_);
    collect(app_, {});
    std::filesystem::create_directories(folder_);
  }
  ~Numbers() override { std::filesystem::remove_all(folder_); }

  void collect(CLI::App& app, const std::vector<std::string>& path) {
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    for (CLI::App* command : commands) {
      std::vector<std::string> longer = path;
      longer.push_back(command->get_name());
      collect(*command, longer);
    }
    if (!commands.empty()) return;
    app.parse_complete_callback([] { throw CLI::Success(); });  // before the command runs
    for (const CLI::Option* option : app.get_options()) {
      const std::string type = option->get_type_name();
      if (type != "INTEGER" && type != "NUMBER") continue;
      options_.push_back({path, option->get_lnames().front(), type == "INTEGER", app.get_option_no_throw("--config") != nullptr,
                          option->get_default_str()});
    }
  }

  // What is said about the option, or nothing when it is taken: that a command lacks a file or a text is no matter here.
  std::string complaint(const NumberOption& option, const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"attend"};
    arguments.insert(arguments.end(), option.command.begin(), option.command.end());
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    try {
      parse_command_line(app_, static_cast<int>(argv.size()), argv.data());
    } catch (const CLI::Success&) {
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      return message.find(option.name) != std::string::npos || message.find("options.toml") != std::string::npos ? message : "";
    }
    return "";
  }
  std::string complaint(const NumberOption& option, const std::string& value) {
    return complaint(option, std::vector<std::string>{fmt::format("--{}={}", option.name, value)});
  }

  FoundRange range_of(const NumberOption& option) {
    const std::string number = R"(([-+.0-9e]+))";
    const std::regex pattern("--" + option.name + ": expected a (?:whole )?number(?:(, not negative)| from " + number + " to (below )?" +
                             number + "| above " + number + " up to " + number + "), got nan");
    const std::string message = complaint(option, "nan");
    std::smatch match;
    if (!std::regex_match(message, match, pattern)) {
      ADD_FAILURE() << option.text() << " says no range: " << message;
      return {};
    }
    if (match[1].matched) return {.most = std::numeric_limits<double>::infinity(), .open = true};
    if (match[5].matched) return {std::stod(match[5]), std::stod(match[6]), true, false};
    return {std::stod(match[2]), std::stod(match[4]), false, match[3].matched};
  }

  void expect_refused(const NumberOption& option, const std::string& value) {
    const std::string message = complaint(option, value);
    EXPECT_TRUE(message.starts_with("--" + option.name + ": expected a ")) << option.text() << "=" << value << " gives: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  void expect_taken(const NumberOption& option, const std::string& value) {
    EXPECT_EQ(complaint(option, value), "") << option.text() << "=" << value;
  }

  static std::string text_of(const NumberOption& option, double value) {
    return option.whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", static_cast<float>(value));
  }
  static double next(const NumberOption& option, double value, double direction) {
    const float after = std::nextafter(static_cast<float>(value), static_cast<float>(direction) * std::numeric_limits<float>::infinity());
    return option.whole ? value + direction : static_cast<double>(after);
  }

  CLI::App app_;
  std::vector<NumberOption> options_;
  std::string folder_ = testing::TempDir() + "attend_numbers" + std::to_string(getpid());
};

TEST_F(Numbers, AreFoundInEveryCommandThatHasSome) {
  EXPECT_GT(options_.size(), 150u);
  for (const char* command : {"train", "translate", "generate", "classify", "score", "attention", "embed", "average", "quantize",
                              "shortlist", "evaluate", "lab", "demo"}) {
    const auto of_command = [&](const NumberOption& option) { return option.command.front() == command; };
    EXPECT_TRUE(std::any_of(options_.begin(), options_.end(), of_command)) << command;
  }
}

TEST_F(Numbers, ThatAreNoneOrNotFiniteAreRefused) {
  for (const NumberOption& option : options_) {
    for (const char* value : {"nan", "-nan", "inf", "-inf", "+inf", "infinity", "1e999", "-1e999", "99999999999999999999999999999999999999",
                              "0x10", "many", "1x", "1 2", " 1", "++1", "1e", "1,5", "--1"}) {
      expect_refused(option, value);
    }
    if (option.whole) expect_refused(option, "1.5");
  }
}

TEST_F(Numbers, AreTakenUpToTheEndsOfTheirRangeAndNoFurther) {
  for (const NumberOption& option : options_) {
    const FoundRange range = range_of(option);
    if (range.open) {
      for (const char* value : {"0", "18446744073709551615"}) expect_taken(option, value);
      for (const char* value : {"-1", "-0", "18446744073709551616"}) expect_refused(option, value);
      continue;
    }
    expect_taken(option, text_of(option, range.least_excluded ? next(option, range.least, 1) : range.least));
    expect_taken(option, text_of(option, range.most_excluded ? next(option, range.most, -1) : range.most));
    expect_refused(option, text_of(option, range.least_excluded ? range.least : next(option, range.least, -1)));
    expect_refused(option, text_of(option, range.most_excluded ? range.most : next(option, range.most, 1)));
    if (range.least >= 0) expect_refused(option, "-0");
  }
}

TEST_F(Numbers, HaveDefaultsInTheirRange) {
  for (const NumberOption& option : options_) expect_taken(option, option.initial);
}

TEST_F(Numbers, OfAFileOfOptionsAreCheckedLikeThoseOfFlags) {
  int checked = 0;
  for (const NumberOption& option : options_) {
    if (!option.has_file) continue;
    for (const char* value : {"nan", "-inf", "1e999", "99999999999999999999999999999999999999", "\"many\""}) {
      const std::string file = folder_ + "/options.toml";
      std::ofstream(file) << option.name << " = " << value << "\n";
      std::string message;
      try {
        message = complaint(option, {"--config", file});
      } catch (const Error& error) {  // no TOML at all
        message = error.what();
      }
      EXPECT_NE(message.find("options.toml:1"), std::string::npos) << option.text() << " = " << value << " gives: " << message;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace attend
