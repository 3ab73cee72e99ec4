#include "attend/cli/text_input.h"

#include "attend/cli/output.h"

namespace attend {
namespace {

// Translation models read their source, others their only text.
std::optional<TextKind> kind_of_input(const SavedModel& model) {
  for (const char* side : {"src", "text"}) {
    const auto found = model.text_kinds.find(side);
    if (found != model.text_kinds.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

TextInput::TextInput(const SavedModel& model)
    : fit_(model.tokenizers().front().tokenizer, kind_of_input(model)) {}

TextInput::TextInput(const SavedModel& model, const TextInputOptions& options) : TextInput(model) {
  options_ = options.preparation;
  advises_options_ = true;
  if (!options_.normalize_punctuation && options_.tokenize == WordSplitting::none) return;
  const std::optional<TextKind> kind = kind_of_input(model);
  language_ = moses_language(options.language.empty() && kind ? kind->language : options.language,
                             "language");
}

void TextInput::watch(LineReader& lines) {
  lines.set_filter([this](std::string& line) { line = take(line); });
}

std::string TextInput::take(std::string_view text) {
  std::string line = prepared(text, options_, language_);
  fit_.add(line);
  return line;
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
