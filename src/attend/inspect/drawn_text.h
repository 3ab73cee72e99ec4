// What a model writes when it does not search: every token drawn from softmax(logits /
// temperature), or always the most probable one.
#pragma once

#include <cstdint>
#include <string>

#include "attend/tasks/model_file/saved_model.h"
#include "attend/translator.h"

namespace attend {

struct DrawQuestion {
  std::string text;             // to translate or to continue
  LanguagePair languages = {};  // of a translation, like the prefix
  std::string prefix = {};      // what the translation begins with
  float temperature = 1.0f;     // 0: the most probable token at every place
  std::uint64_t seed = 1;
  int max_tokens = 60;  // most to write
};

struct DrawnText {
  std::string text;           // the translation, or what follows the text, to the end of its line
  float log_probability = 0;  // natural logarithm, of what was drawn, at temperature 1
  bool complete = false;      // it ended before max_tokens
};

// A function of (model, question): that of Translator::translate() with these SamplingOptions, or
// of Generator::generate(). Throws ConfigError for a temperature or a number of tokens out of
// range, DataError for a text that is too long, or a kind of model that writes nothing.
DrawnText drawn_text(const SavedModel& model, const DrawQuestion& question);

}  // namespace attend
