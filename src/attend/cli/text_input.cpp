#include "attend/cli/text_input.h"

#include <string>

#include "attend/cli/output.h"

namespace attend {

TextInput::TextInput(const SavedModel& model)
    : fit_(model.tokenizers().front().tokenizer, kind_of_input(model.text_kinds)) {}

TextInput::TextInput(const SavedModel& model, const TextPreparation& preparation)
    : TextInput(model) {
  options_ = preparation;
  prepare_ = TextPreparer::of_input(model.text_kinds, preparation);
  advises_options_ = true;
}

void TextInput::watch(LineReader& lines) {
  lines.set_filter([this](const std::string& line) { look_at(line); });
}

void TextInput::look_at(std::string_view text) {
  if (!fit_.is_decided()) fit_.add(prepare_(text));
}

void TextInput::tell_warning() const {
  const std::string warning = fit_.warning();
  if (warning.empty()) return;
  std::string flags;
  if (advises_options_ && fit_.has_capitals_too_many() && !options_.lowercase)
    flags += " --lowercase";
  if (advises_options_ && fit_.has_marks_unsplit() && options_.tokenize == WordSplitting::none)
    flags += " --tokenize moses";
  flush_answers();
  tell("attend: {}{}{}\n", warning, flags.empty() ? "" : ": try", flags);
}

}  // namespace attend
