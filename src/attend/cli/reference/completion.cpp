#include "attend/cli/reference/completion.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace attend {
namespace {

// A word in single quotes, for any shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Every command after the one that it belongs to, as patterns of a case: "' train' | ...".
std::string command_patterns(const std::vector<const ListedCommand*>& all, std::string_view mark) {
  std::vector<std::string> patterns;
  for (const ListedCommand* command : all)
    for (const ListedCommand& inner : command->commands)
      patterns.push_back(in_quotes(command->path + " " + inner.name()));
  return fmt::format("{}", fmt::join(patterns, mark));
}

std::vector<std::string> inner_names(const ListedCommand& command) {
  std::vector<std::string> names;
  for (const ListedCommand& inner : command.commands) names.push_back(inner.name());
  for (const ListedArgument& argument : command.arguments)
    names.insert(names.end(), argument.choices.begin(), argument.choices.end());
  return names;
}

std::vector<std::string> option_spellings(const ListedCommand& command) {
  std::vector<std::string> names;
  for (const ListedOption& option : command.options)
    for (std::string& name : option.spellings()) names.push_back(std::move(name));
  return names;
}

// Lines of a case in bash and zsh: what follows an option that takes a value. `choose` and
// `refuse` are what the shell does for choices and for numbers; other values may be files.
std::string value_cases(const std::vector<const ListedCommand*>& all, std::string_view choose,
                        std::string_view refuse) {
  std::string text;
  for (const ListedCommand* command : all) {
    std::vector<std::string> numbers;
    for (const ListedOption& option : command->options) {
      const std::string pattern = in_quotes(command->path + " --" + option.name);
      if (!option.choices.empty())
        text += fmt::format("    {}) {} ;;\n", pattern,
                            fmt::format(fmt::runtime(choose), fmt::join(option.choices, " ")));
      else if (option.is_number())
        numbers.push_back(pattern);
    }
    if (!numbers.empty()) text += fmt::format("    {}) {} ;;\n", fmt::join(numbers, " | "), refuse);
  }
  return text;
}

// The text options of a command are followed by files.
std::string file_cases(const std::vector<const ListedCommand*>& all, std::string_view action) {
  std::string text;
  for (const ListedCommand* command : all) {
    std::vector<std::string> patterns;
    for (const ListedOption& option : command->options)
      if (!option.is_flag() && !option.is_number() && option.choices.empty())
        patterns.push_back(in_quotes(command->path + " --" + option.name));
    if (!patterns.empty())
      text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), action);
  }
  return text;
}

std::string bash_script(const std::vector<const ListedCommand*>& all) {
  std::string words;
  for (const ListedCommand* command : all)
    words += fmt::format("    {})\n      names={}\n      options={} ;;\n", in_quotes(command->path),
                         in_quotes(fmt::format("{}", fmt::join(inner_names(*command), " "))),
                         in_quotes(fmt::format("{}", fmt::join(option_spellings(*command), " "))));
  return fmt::format(
      R"(# Completion of attend for bash; `attend completion bash` writes it.
_attend() {{
  local at='' word index names='' options='' values=''
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then
    previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="${{COMP_WORDS[index]}}"
    [[ $index == 1 && $word == help ]] && continue
    case "$at $word" in
    {}) at="${{at:+$at }}$word" ;;
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
{}{}  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$at" in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$current"))
  fi
}}
complete -o default -F _attend attend
)",
      command_patterns(all, " | "),
      value_cases(all, "values='{}'", "compopt +o default 2>/dev/null; return"),
      file_cases(all, "return"), words);
}

// 'name:what it is', for _describe of zsh.
std::string described(std::string_view name, std::string_view help) {
  return in_quotes(fmt::format("{}:{}", name, help));
}

std::string zsh_script(const std::vector<const ListedCommand*>& all) {
  std::string entries;
  for (const ListedCommand* command : all) {
    std::vector<std::string> names, options;
    for (const ListedCommand& inner : command->commands)
      names.push_back(described(inner.name(), inner.help));
    for (const ListedArgument& argument : command->arguments)
      for (const std::string& choice : argument.choices)
        names.push_back(described(choice, argument.help));
    for (const ListedOption& option : command->options)
      for (const std::string& name : option.spellings())
        options.push_back(described(name, option.help));
    entries +=
        fmt::format("    {})\n      names=({})\n      options=({}) ;;\n", in_quotes(command->path),
                    fmt::join(names, "\n        "), fmt::join(options, "\n        "));
  }
  return fmt::format(
      R"(#compdef attend
# Completion of attend for zsh; `attend completion zsh` writes it.
_attend() {{
  local at='' word previous="${{words[CURRENT-1]}}"
  local -i index
  local -a names options
  for ((index = 2; index < CURRENT; index++)); do
    word="${{words[index]}}"
    [[ $index == 2 && $word == help ]] && continue
    case "$at $word" in
    {}) at="${{at:+$at }}$word" ;;
    esac
  done
  case "$at $previous" in
{}{}  esac
  case "$at" in
{}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( ! $#names )) || ! _describe command names; then
    _files
  fi
}}
if [[ $funcstack[1] == _attend ]]; then _attend "$@"; else compdef _attend attend; fi
)",
      command_patterns(all, " | "), value_cases(all, "compadd -- {}; return", "return"),
      file_cases(all, "_files; return"), entries);
}

std::string fish_option(const ListedCommand& command, const ListedOption& option) {
  std::string text;
  for (const std::string& name : option.spellings()) {
    text += fmt::format("complete -c attend -n \"__attend_at {}\" -l {} -d {}",
                        in_quotes(command.path), name.substr(2), in_quotes(option.help));
    if (!option.choices.empty())
      text +=
          fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    else if (option.is_number())
      text += " -x";
    else if (!option.is_flag())
      text += " -r -F";
    text += "\n";
  }
  return text;
}

std::string fish_script(const std::vector<const ListedCommand*>& all) {
  std::string text =
      fmt::format(R"(# Completion of attend for fish; `attend completion fish` writes it.
function __attend_at
  set -l at ''
  set -l given (commandline -opc)
  test "$given[2]" = help; and set -e given[2]
  for word in $given[2..-1]
    switch "$at $word"
      case {}
        set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
)",
                  command_patterns(all, " "));
  for (const ListedCommand* command : all) {
    const std::string at = in_quotes(command->path);
    for (const ListedCommand& inner : command->commands)
      text += fmt::format("complete -c attend -n \"__attend_at {}\" -f -a {} -d {}\n", at,
                          inner.name(), in_quotes(inner.help));
    for (const ListedArgument& argument : command->arguments)
      if (!argument.choices.empty())
        text += fmt::format("complete -c attend -n \"__attend_at {}\" -f -a {} -d {}\n", at,
                            in_quotes(fmt::format("{}", fmt::join(argument.choices, " "))),
                            in_quotes(argument.help));
    for (const ListedOption& option : command->options) text += fish_option(*command, option);
  }
  return text;
}

}  // namespace

std::string completion_script(const ListedCommand& program, Shell shell) {
  const std::vector<const ListedCommand*> all = all_commands(program);
  switch (shell) {
    case Shell::bash:
      return bash_script(all);
    case Shell::zsh:
      return zsh_script(all);
    case Shell::fish:
      break;
  }
  return fish_script(all);
}

}  // namespace attend
