#include "attend/cli/binding/literal_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace attend {
namespace {

// No argument of a process has this character. At the end of a value it says: not empty, no list.
constexpr char kMark = '\0';

bool needs_mark(std::string_view argument) {
  if (!argument.starts_with("--")) return argument.starts_with('[');
  const std::size_t equal = argument.find('=');
  return equal != argument.npos && (equal + 1 == argument.size() || argument[equal + 1] == '[');
}

}  // namespace

std::vector<std::string> literal_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    arguments.emplace_back(argv[i]);
    if (needs_mark(arguments.back())) arguments.back() += kMark;
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

std::string written_argument(std::string argument) {
  if (argument.ends_with(kMark)) argument.pop_back();
  return argument;
}

void read_literally(CLI::Option& option) {
  option.transform(CLI::Validator(
      [](std::string& value) {
        value = written_argument(std::move(value));
        return std::string();
      },
      ""));
}

}  // namespace attend
