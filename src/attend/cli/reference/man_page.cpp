#include "attend/cli/reference/man_page.h"

#include <fmt/format.h>

#include <string_view>

#include "attend/cli/exit_status.h"
#include "attend/version.h"

namespace attend {
namespace {

// Text as it is: nothing in it is a request or an escape, and hyphens can be copied.
std::string escaped_roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped_roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped_roff(text) + "\\fR"; }

// What follows the command on a line.
std::string synopsis(const ListedCommand& command) {
  std::string line = bold(command.path.empty() ? "attend" : "attend " + command.path);
  for (const ListedArgument& argument : command.arguments) {
    const std::string name = italic(argument.type) + (argument.repeated ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty() && command.arguments.empty()) line += " " + italic("COMMAND");
  return line + " [" + italic("OPTION") + "...]\n";
}

std::string option_entry(const ListedOption& option) {
  std::string tag = option.has_short_name ? bold("-" + option.name.substr(0, 1)) + ", " : "";
  tag += bold(option.negatable ? "--[no-]" + option.name : "--" + option.name);
  if (!option.is_flag()) tag += " " + italic(option.type);
  const std::string standard =
      option.default_value.empty() ? "" : fmt::format(" [{}]", option.default_value);
  return fmt::format(".TP\n{}\n{}\n", tag, escaped_roff(option.help + standard));
}

std::string command_section(const ListedCommand& command) {
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n{}", escaped_roff("attend " + command.path),
                                 escaped_roff(command.help), synopsis(command));
  for (const ListedArgument& argument : command.arguments)
    text += fmt::format(".TP\n{}\n{}\n", italic(argument.type), escaped_roff(argument.help));
  std::string group;
  for (const ListedOption& option : command.options) {
    if (option.group != group) text += fmt::format(".PP\n{}:\n", italic(option.group));
    group = option.group;
    text += option_entry(option);
  }
  return text;
}

}  // namespace

std::string man_page(const ListedCommand& program) {
  std::string text =
      fmt::format(".TH ATTEND 1 \"\" \"attend {}\" \"User Commands\"\n", escaped_roff(version()));
  text += fmt::format(".SH NAME\nattend \\- {}\n", escaped_roff("train and run Transformers"));
  text += fmt::format(".SH SYNOPSIS\n{}", synopsis(program));
  text += fmt::format(
      ".SH DESCRIPTION\n{}\n.PP\n{}\n.SH OPTIONS\n", escaped_roff(program.help),
      escaped_roff(
          "A model is a file or the folder of a training run. Options may be written --beam-size "
          "or --beam_size, anywhere after the command. Square brackets contain the default."));
  for (const ListedOption& option : program.options) text += option_entry(option);
  text += ".SH COMMANDS\n";
  for (const ListedCommand* command : all_commands(program))
    if (!command->path.empty()) text += command_section(*command);
  return text + fmt::format(".SH EXIT STATUS\n{}\n", escaped_roff(kExitStatusHelp));
}

}  // namespace attend
