// The commands of the program as data, from which the manual page and the shell completions are
// generated. Read from the parser, so that they agree with --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attend {

struct ListedOption {
  std::string name;                  // without the dashes: "beam-size"
  bool has_short_name = false;       // -h
  bool negatable = false;            // --no-NAME exists, too
  std::string type;                  // "INTEGER", "{text,json}"; empty for a flag
  std::vector<std::string> choices;  // text, json
  std::string default_value;
  std::string help;
  std::string group;  // "Options", "model"

  bool is_flag() const { return type.empty(); }
  bool is_number() const { return type == "INTEGER" || type == "NUMBER"; }
  // "--sample", "--no-sample"
  std::vector<std::string> spellings() const;
};

struct ListedArgument {
  std::string type;  // "MODEL"
  std::vector<std::string> choices;
  std::string help;
  bool required = true;
  bool repeated = false;
};

struct ListedCommand {
  std::string path;  // what follows "attend": "train translation"; empty for the program
  std::string help;
  std::vector<ListedArgument> arguments;
  std::vector<ListedOption> options;
  std::vector<ListedCommand> commands;  // subcommands

  // The last word of the path.
  std::string name() const;
};

// The program as the root of all commands.
ListedCommand list_commands(const CLI::App& program);

// The program and all commands, each before its subcommands.
std::vector<const ListedCommand*> all_commands(const ListedCommand& program);

}  // namespace attend
