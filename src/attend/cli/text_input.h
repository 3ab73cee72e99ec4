// Tells whether the input text of a command is of the kind that the model knows.
#pragma once

#include <string_view>

#include "attend/core/files/lines.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/tasks/text_preparer.h"
#include "attend/text/text_kind.h"

namespace attend {

class TextInput {
 public:
  // Text that the model prepares with these options. Throws ConfigError for a language without
  // rules.
  TextInput(const SavedModel& model, const TextPreparation& preparation);
  // For commands without these options; warnings do not suggest them.
  explicit TextInput(const SavedModel& model);

  // Looks at the lines of the reader from now on. This object must outlive their reading.
  void watch(LineReader& lines);
  // The same for a single text, before it is prepared.
  void look_at(std::string_view text);
  // Prints a warning on standard error, once, if the text is not of the kind that the model knows.
  void tell_warning() const;

 private:
  TextPreparation options_;
  TextPreparer prepare_;
  bool advises_options_ = false;
  TextFit fit_;
};

}  // namespace attend
