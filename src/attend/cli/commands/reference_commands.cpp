// attend help, attend completion, attend man: what the program says of itself.
#include <fmt/format.h>

#include <memory>
#include <span>

#include "attend/cli/binding/command.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/reference/completion.h"
#include "attend/cli/reference/man_page.h"
#include "attend/core/options/option_fields.h"

namespace attend {
namespace {

struct ShellChoice {
  Shell shell = Shell::bash;
};

template <class Visitor>
void fields(ShellChoice& choice, Visitor&& visit) {
  visit("shell", choice.shell, "shell that the script is for");
}

Shell shell_named(const std::string& name) {
  ShellChoice choice;
  set_option(option_fields(choice).front(), std::span(&name, 1), "attend completion");
  return choice.shell;
}

}  // namespace

void add_help_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "help", "Print the help of the program or of one of its commands");
  const auto words = std::make_shared<std::vector<std::string>>();
  add_argument(command, *words,
               {"command", "COMMAND", "command, with its subcommand if there is one: train lm",
                /*required=*/false});
  on_command(command, [&app, words] { answer("{}", help_of_command(app, *words)); });
}

void add_completion_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "completion",
                  "Print a script that lets a shell complete commands and options: source <(attend "
                  "completion bash)");
  const auto shell = std::make_shared<std::string>();
  add_argument(command, *shell, {"shell", "{bash,zsh,fish}", "shell that the script is for"});
  on_command(command, [&app, shell] {
    answer("{}", completion_script(list_commands(app), shell_named(*shell)));
  });
}

void add_man_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "man", "Print the manual page; to read it: attend man | man -l -");
  on_command(command, [&app] { answer("{}", man_page(list_commands(app))); });
}

}  // namespace attend
