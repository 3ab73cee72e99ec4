// A command of the program: its name, its positional arguments, what it does. Flags are bound by
// OptionBinding. The header of the parser, which takes seconds to compile, stays out of the
// commands.
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
// One of whose own commands must follow it on the line.
CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help);
// One that may follow a command which does something alone, too. The outer command must have its
// arguments and flags; none of them may stand before the inner one.
CLI::App& add_inner_command(CLI::App& outer, const std::string& name, const std::string& help);

struct Argument {
  std::string name;
  std::string type;  // shown in the help
  std::string help;
  bool required = true;
};

// `value` must outlive the parsing.
void add_argument(CLI::App& command, std::string& value, const Argument& argument);
void add_argument(CLI::App& command, std::vector<std::string>& values, const Argument& argument);

// What --help prints after these words of the line: the program's help after none. Throws
// ConfigError for a command that does not exist, naming the nearest one.
std::string help_of_command(CLI::App& program, std::span<const std::string> words);

// What the command does once the line is parsed, unless it went on with an inner command.
void on_command(CLI::App& command, std::function<void()> run);

}  // namespace attend
