// The numbers that the program takes: every option of every command that is one, and what is said
// of a value on the command line.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/error.h"

namespace attend {

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

class NumberOptions {
 public:
  NumberOptions() : app_("test", "attend") {
    app_.require_subcommand(1);
    add_commands(app_);
    collect(app_, {});
  }

  const std::vector<NumberOption>& list() const { return options_; }

  // What is said about the option, or nothing when it is taken: that a command lacks a file or a
  // text is no matter here.
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
      return message.find(option.name) != std::string::npos ||
                     message.find("options.toml") != std::string::npos
                 ? message
                 : "";
    }
    return "";
  }
  std::string complaint(const NumberOption& option, const std::string& value) {
    return complaint(option, std::vector<std::string>{fmt::format("--{}={}", option.name, value)});
  }

  FoundRange range_of(const NumberOption& option) {
    const std::string number = R"(([-+.0-9e]+))";
    const std::regex pattern(
        "--" + option.name + ": expected a (?:whole )?number(?:( of 64 bits)| from " + number +
        " to (below )?" + number + "| above " + number + " up to " + number + "), got nan");
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

  static std::string text_of(const NumberOption& option, double value) {
    return option.whole ? fmt::format("{}", static_cast<std::int64_t>(value))
                        : fmt::format("{}", static_cast<float>(value));
  }
  static double next(const NumberOption& option, double value, double direction) {
    const float after =
        std::nextafter(static_cast<float>(value),
                       static_cast<float>(direction) * std::numeric_limits<float>::infinity());
    return option.whole ? value + direction : static_cast<double>(after);
  }

  // The least and the most number of a range as they are typed.
  static std::string least_of(const NumberOption& option, const FoundRange& range) {
    if (range.open) return "0";
    return text_of(option, range.least_excluded ? next(option, range.least, 1) : range.least);
  }
  static std::string most_of(const NumberOption& option, const FoundRange& range) {
    if (range.open) return "18446744073709551615";
    return text_of(option, range.most_excluded ? next(option, range.most, -1) : range.most);
  }

 private:
  void collect(CLI::App& app, const std::vector<std::string>& path) {
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    for (CLI::App* command : commands) {
      std::vector<std::string> longer = path;
      longer.push_back(command->get_name());
      collect(*command, longer);
    }
    if (path.empty()) return;
    app.parse_complete_callback([] { throw CLI::Success(); });  // before the command runs
    for (const CLI::Option* option : app.get_options()) {
      const std::string type = option->get_type_name();
      if (type != "INTEGER" && type != "NUMBER") continue;
      options_.push_back({path, option->get_lnames().front(), type == "INTEGER",
                          app.get_option_no_throw("--config") != nullptr,
                          option->get_default_str()});
    }
  }

  CLI::App app_;
  std::vector<NumberOption> options_;
};

}  // namespace attend
