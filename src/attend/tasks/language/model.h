// A language model as users keep it: architecture, parameters and tokenizer in one file.
//
//   metadata   attend.task     "language modelling"
//              attend.config   the LanguageTransformerConfig, as JSON
//              attend.context  the LanguageOptions it was trained with, as JSON
//              attend.cache    the ContinuousCacheOptions it predicts with, as JSON; absent: none
//   tensors    the parameters under their module paths; tokenizer (u8)
//
// A text is one stream of tokens in which eos stands for the end of every line, and for the beginning of the text.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/language.h"
#include "attend/decode/continuous_cache.h"
#include "attend/models/language_transformer.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LanguageModel {
  std::shared_ptr<LanguageTransformer> transformer;
  Tokenizer tokenizer;
  LanguageOptions context;            // how much of a text it has learned to see at once
  ContinuousCacheOptions cache = {};  // what it was made to be used with
  std::string source = {};            // the file it was read from, for messages
};

// Writes what describes a language model beside its parameters: configuration, context, cache, tokenizer.
void describe_language_model(Checkpoint& checkpoint, const LanguageModel& model);

// Throws IoError, or DataError for a file that is damaged or holds something else.
LanguageModel load_language_model(const std::filesystem::path& path);
LanguageModel language_model(const Checkpoint& checkpoint);

}  // namespace attend
