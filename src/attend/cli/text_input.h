// The input text of a command: prepared as requested, and checked against the kind of text that the
// model knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/text/preparation.h"
#include "attend/text/text_kind.h"

namespace attend {

struct TextInputOptions {
  PreparationOptions preparation;
  std::string language;
};

template <class Visitor>
void fields(TextInputOptions& o, Visitor&& visit) {
  fields(o.preparation, visit);
  visit("language", o.language,
        "language of the text, for --tokenize and --normalize-punctuation: en, de or fr; default: "
        "the model's");
}

class TextInput {
 public:
  // Throws ConfigError for a language without rules.
  TextInput(const SavedModel& model, const TextInputOptions& options);
  // For commands without these options; warnings do not suggest them.
  explicit TextInput(const SavedModel& model);

  // Prepares and checks the lines of the reader from now on. This object must outlive their
  // reading.
  void watch(LineReader& lines);
  // The same for a single text.
  std::string take(std::string_view text);
  // Prints a warning on standard error, once, if the text is not of the kind that the model knows.
  void tell_warning() const;

 private:
  PreparationOptions options_;
  bool advises_options_ = false;
  MosesLanguage language_ = MosesLanguage::en;
  TextFit fit_;
};

}  // namespace attend
