#include "attend/cli/reference/command_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace attend {
namespace {

// "{text,json}" -> text, json; nothing for other types.
std::vector<std::string> choices_of(const std::string& type) {
  if (!type.starts_with('{') || !type.ends_with('}')) return {};
  std::vector<std::string> choices;
  std::istringstream names(type.substr(1, type.size() - 2));
  for (std::string name; std::getline(names, name, ',');) choices.push_back(name);
  return choices;
}

ListedArgument listed_argument(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return {.type = type,
          .choices = choices_of(type),
          .help = option.get_description(),
          .required = option.get_required(),
          .repeated = option.get_items_expected_max() > 1};
}

ListedOption listed_option(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  const bool is_flag = option.get_items_expected_max() == 0;
  const std::string type = is_flag ? "" : option.get_type_name();
  return {.name = names.front(),
          .has_short_name = !option.get_snames().empty(),
          .negatable = std::ranges::find(names, "no-" + names.front()) != names.end(),
          .type = type,
          .choices = choices_of(type),
          .default_value = is_flag ? "" : option.get_default_str(),
          .help = option.get_description(),
          .group = option.get_group()};
}

ListedCommand listed_command(const CLI::App& app, const std::string& path) {
  ListedCommand command{path, app.get_description(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) {
      command.arguments.push_back(listed_argument(*option));
    } else {
      command.options.push_back(listed_option(*option));
    }
  }
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(
        listed_command(*inner, path.empty() ? inner->get_name() : path + " " + inner->get_name()));
  return command;
}

void collect(const ListedCommand& command, std::vector<const ListedCommand*>& all) {
  all.push_back(&command);
  for (const ListedCommand& inner : command.commands) collect(inner, all);
}

}  // namespace

std::vector<std::string> ListedOption::spellings() const {
  std::vector<std::string> all{"--" + name};
  if (negatable) all.push_back("--no-" + name);
  return all;
}

std::string ListedCommand::name() const { return path.substr(path.rfind(' ') + 1); }

ListedCommand list_commands(const CLI::App& program) { return listed_command(program, ""); }

std::vector<const ListedCommand*> all_commands(const ListedCommand& program) {
  std::vector<const ListedCommand*> all;
  collect(program, all);
  return all;
}

}  // namespace attend
