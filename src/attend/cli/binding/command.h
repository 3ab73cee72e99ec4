// A command of the program: its name, its positional arguments and its action. OptionBinding binds
// flags. Keeps the header of the parser, which takes seconds to compile, out of the commands.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attend {

// Lives as long as `parent`.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help);
// A command that requires one of its subcommands.
CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help);
// A subcommand of a command that also works alone. The outer command must already have its
// arguments and flags; none of them may precede the subcommand.
CLI::App& add_inner_command(CLI::App& outer, const std::string& name, const std::string& help);

struct Argument {
  std::string name;
  std::string type;  // shown in the help
  std::string help;
  bool required = true;
};

// `value` must outlive parsing.
void add_argument(CLI::App& command, std::string& value, const Argument& argument);
void add_argument(CLI::App& command, std::vector<std::string>& values, const Argument& argument);

// What --help prints after these words of the line: the program's help after none. Throws
// ConfigError for a command that does not exist, naming the nearest one.
std::string help_of_command(CLI::App& program, std::span<const std::string> words);

// The action after parsing, unless a subcommand was given.
void on_command(CLI::App& command, std::function<void()> run);

}  // namespace attend
