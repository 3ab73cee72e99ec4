#include "attend/core/options/option_error.h"

#include "attend/core/options/option_fields.h"

namespace attend {

OptionText as_flag(std::string_view name) { return {fmt::format("--{}", name), snake_case(name)}; }

OptionText as_key(std::string_view name) { return {std::string(name), snake_case(name)}; }

OptionText joined(std::span<const OptionText> texts, std::string_view separator) {
  OptionText all;
  for (const OptionText& text : texts)
    all = &text == texts.data() ? text : option_text("{}{}{}", all, separator, text);
  return all;
}

OptionText message_of(const std::exception& error) {
  const auto* flags = dynamic_cast<const FlagMessage*>(&error);
  return {flags != nullptr ? flags->text() : error.what(), error.what()};
}

}  // namespace attend
