// --name= gives every option of every command an empty value, and never the argument after it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/error.h"

namespace attend {
namespace {

class EmptyValues : public testing::Test {
 protected:
  EmptyValues() : app_("test", "attend") {
    app_.require_subcommand(1);
    add_commands(app_);
  }

  // "help" if the argument after the empty value was read for itself, as --help; or the error.
  std::string outcome(const std::vector<std::string>& command, const std::string& option) {
    std::vector<std::string> arguments{"attend"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    arguments.insert(arguments.end(), {fmt::format("--{}=", option), "--help"});
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    try {
      parse_command_line(app_, static_cast<int>(argv.size()), argv.data());
    } catch (const CLI::CallForHelp&) {
      return "help";
    } catch (const Error& error) {
      return error.what();
    }
    return "neither help nor an error";
  }

  void try_all(CLI::App& app, const std::vector<std::string>& path) {
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
      std::vector<std::string> longer = path;
      longer.push_back(command->get_name());
      try_all(*command, longer);
    }
    for (const CLI::Option* option : app.get_options()) {
      if (path.empty() || option->get_lnames().empty()) continue;
      const std::string name = option->get_lnames().front(), found = outcome(path, name);
      if (name == "help") continue;
      ++tried_;
      const bool is_text = option->get_type_name() == "TEXT";
      const std::string expected = is_text            ? "help"
                                   : name == "config" ? "cannot open"
                                                      : fmt::format("--{}: expected", name);
      EXPECT_TRUE(found.starts_with(expected))
          << fmt::format("attend {} --{}= gives: {}", fmt::join(path, " "), name, found);
    }
  }

  CLI::App app_;
  int tried_ = 0;
};

TEST_F(EmptyValues, AreThoseOfTheirOptionInEveryCommand) {
  try_all(app_, {});
  EXPECT_GT(tried_, 400);
}

}  // namespace
}  // namespace attend
