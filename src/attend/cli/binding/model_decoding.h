// Options that are not given take the model's defaults, not the library's.
#pragma once

#include <fmt/format.h>

#include "attend/cli/binding/options_binding.h"
#include "attend/error.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// Takes options from the model unless set by a flag or a file.
inline void use_model_decoding(const TranslationEngine& translator, const OptionBinding& binding,
                               TranslationOptions& options) {
  const TranslationOptions own = translator.default_options();
  if (!binding.is_set("beam-size")) options.beam.beam_size = own.beam.beam_size;
  if (!binding.is_set("length-penalty")) options.beam.length_penalty = own.beam.length_penalty;
  if (!binding.is_set("min-length")) options.beam.min_length = own.beam.min_length;
  if (!binding.is_set("no-repeat-ngram")) options.beam.no_repeat_ngram = own.beam.no_repeat_ngram;
}

// The same for a language model.
inline void use_model_generation(const GenerationOptions& own, const OptionBinding& binding,
                                 GenerationOptions& options) {
  if (!binding.is_set("temperature")) options.sampling.temperature = own.sampling.temperature;
  if (!binding.is_set("top-k")) options.sampling.top_k = own.sampling.top_k;
  if (!binding.is_set("top-p")) options.sampling.top_p = own.sampling.top_p;
  if (!binding.is_set("repetition-penalty")) options.repetition_penalty = own.repetition_penalty;
  if (!binding.is_set("no-repeat-ngram")) options.no_repeat_ngram = own.no_repeat_ngram;
  if (!binding.is_set("min-tokens")) options.min_tokens = own.min_tokens;
}

// Throws ConfigError for cache options without a cache.
inline void use_model_cache(const LanguageModel& model, const OptionBinding& binding,
                            ContinuousCacheOptions& cache) {
  if (!binding.is_set("cache-tokens")) cache.tokens = model.cache.tokens;
  if (!binding.is_set("cache-weight")) cache.weight = model.cache.weight;
  if (!binding.is_set("cache-beta")) cache.beta = model.cache.beta;
  for (const char* name : {"cache-weight", "cache-beta"})
    if (!cache.used() && binding.is_set(name))
      throw ConfigError(fmt::format(
          "--{}: expected --cache-tokens, as the model was made without a cache; got none", name));
}

}  // namespace attend
