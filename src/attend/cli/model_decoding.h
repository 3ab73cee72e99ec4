// Flags left out mean what the model was made for, not what the library starts from.
#pragma once

#include "attend/cli/options_binding.h"
#include "attend/tasks/translator.h"

namespace attend {

// Takes from the model's own decoding what neither a flag nor a file has set.
inline void use_model_decoding(const Translator& translator, const OptionBinding& binding, TranslationOptions& options) {
  const TranslationOptions own = translator.default_options();
  if (!binding.is_set("beam-size")) options.beam.beam_size = own.beam.beam_size;
  if (!binding.is_set("length-penalty")) options.beam.length_penalty = own.beam.length_penalty;
}

}  // namespace attend
