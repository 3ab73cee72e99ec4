#include "attend/cli/binding/command.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace attend {

namespace {

void add(CLI::App& command, auto& value, const Argument& argument) {
  command.add_option(argument.name, value, argument.help)
      ->required(argument.required)
      ->type_name(argument.type);
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

void on_command(CLI::App& command, std::function<void()> run) {
  command.callback([&command, run = std::move(run)] {
    if (command.get_subcommands().empty()) run();
  });
}

}  // namespace attend
