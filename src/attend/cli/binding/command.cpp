#include "attend/cli/binding/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "attend/cli/binding/literal_values.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

void add(CLI::App& command, auto& value, const Argument& argument) {
  CLI::Option* option = command.add_option(argument.name, value, argument.help);
  option->required(argument.required)->type_name(argument.type);
  read_literally(*option);
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help) {
  return *parent.add_subcommand(name, help);
}

CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help) {
  CLI::App& group = add_command(parent, name, help);
  group.require_subcommand(1);
  return group;
}

CLI::App& add_inner_command(CLI::App& outer, const std::string& name, const std::string& help) {
  CLI::App& inner = add_command(outer, name, help);
  for (CLI::Option* option : outer.get_options()) {
    if (option != outer.get_help_ptr()) inner.excludes(option);
  }
  return inner;
}

void add_argument(CLI::App& command, std::string& value, const Argument& argument) {
  add(command, value, argument);
}
void add_argument(CLI::App& command, std::vector<std::string>& values, const Argument& argument) {
  add(command, values, argument);
}

std::string help_of_command(CLI::App& program, std::span<const std::string> words) {
  const CLI::App* command = &program;
  std::string name = program.get_name();
  for (const std::string& word : words) {
    const CLI::App* inner = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* one : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (one->get_name() == word) inner = one;
      names.push_back(one->get_name());
    }
    if (inner == nullptr)
      throw ConfigError(fmt::format("{} has no command {}{}", name, printable(word, 60),
                                    did_you_mean(word, names)));
    command = inner;
    name += " " + word;
  }
  return command->get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal);
}

void on_command(CLI::App& command, std::function<void()> run) {
  command.callback([&command, run = std::move(run)] {
    if (command.get_subcommands().empty()) run();
  });
}

}  // namespace attend
