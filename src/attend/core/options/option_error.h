// Errors that name options. Programs, Python and JSON write max_length, the command line
// --max-length: what() has the names of the former, message_of() those of both.
//
//   throw OptionError<ConfigError>("{}: expected {} with {}, got none", as_key("ema-decay"),
//                                  "a number", as_flag("average-last"));
#pragma once

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attend {

// A text with names of options, as the command line and as everything else writes them.
struct OptionText {
  std::string on_command_line;
  std::string elsewhere;
};

// The name of an option, given in kebab-case. On the command line a flag has two dashes; a key,
// which may come from a configuration file, has none.
OptionText as_flag(std::string_view name);
OptionText as_key(std::string_view name);

namespace detail {

template <class Argument>
const Argument& elsewhere(const Argument& argument) {
  return argument;
}
inline const std::string& elsewhere(const OptionText& text) { return text.elsewhere; }
template <class Argument>
const Argument& on_command_line(const Argument& argument) {
  return argument;
}
inline const std::string& on_command_line(const OptionText& text) { return text.on_command_line; }

// Checks the format when it is compiled.
template <class... Arguments>
using OptionFormat = fmt::format_string<
    std::conditional_t<std::is_same_v<Arguments, OptionText>, std::string, Arguments>...>;

}  // namespace detail

// fmt::format() whose arguments may be texts with names of options.
template <class... Arguments>
OptionText option_text(detail::OptionFormat<Arguments...> format, const Arguments&... arguments) {
  return {fmt::vformat(format, fmt::make_format_args(detail::on_command_line(arguments)...)),
          fmt::vformat(format, fmt::make_format_args(detail::elsewhere(arguments)...))};
}

OptionText joined(std::span<const OptionText> texts, std::string_view separator);

// The message of an error for users of the command line.
class FlagMessage {
 public:
  explicit FlagMessage(std::string text) : text_(std::move(text)) {}
  virtual ~FlagMessage() = default;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// An error of class Kind.
template <class Kind>
class OptionError : public Kind, public FlagMessage {
 public:
  explicit OptionError(const OptionText& message)
      : Kind(message.elsewhere), FlagMessage(message.on_command_line) {}
  template <class... Arguments>
  explicit OptionError(detail::OptionFormat<Arguments...> format, const Arguments&... arguments)
      : OptionError(option_text<Arguments...>(format, arguments...)) {}
};

// The message of any exception. Errors that quote that of another keep both spellings with it.
OptionText message_of(const std::exception& error);

}  // namespace attend
