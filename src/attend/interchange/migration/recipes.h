// Recipes of attend, by command.
#pragma once

#include "attend/core/options/thread_options.h"
#include "attend/decode/sampling.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/training/folder_run.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

struct TranslatorRecipe {
  RunOptions run;
  TranslationTraining training;
};

template <class Visitor>
void groups(TranslatorRecipe& r, Visitor&& visit) {
  visit("run", r.run);
  groups(r.training, visit);
}

struct LanguageModelRecipe {
  RunOptions run;
  LanguageTraining training;
};

template <class Visitor>
void groups(LanguageModelRecipe& r, Visitor&& visit) {
  visit("run", r.run);
  groups(r.training, visit);
}

// The options of attend translate that are about the translations.
struct DecodingOptions {
  bool sample = false;
  ThreadOptions threads;
  TranslationOptions translation;
  SamplingOptions sampling;
};

template <class Visitor>
void fields(DecodingOptions& o, Visitor&& visit) {
  visit("sample", o.sample, "draw translations at random");
  fields(o.threads, visit);
  fields(o.translation, visit);
  fields(o.sampling, visit);
}

struct DecodingRecipe {
  DecodingOptions decoding;
};

template <class Visitor>
void groups(DecodingRecipe& r, Visitor&& visit) {
  visit("decoding", r.decoding);
}

}  // namespace attend
