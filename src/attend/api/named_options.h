// The options of requests by name, for Python and C: those of `attend translate` and `generate`.
#pragma once

#include <functional>
#include <string>

#include "attend/generator.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/translation/engine.h"
#include "attend/translator.h"

namespace attend {

// Whether an option was given, by its name in snake_case.
using IsGiven = std::function<bool(const std::string& name)>;

// The options of `attend translate` that concern the translations.
struct NamedTranslation {
  TranslationOptions translation;
  bool sample = false;
  SamplingOptions sampling;
};

template <class Visitor>
void fields(NamedTranslation& n, Visitor&& visit) {
  fields(n.translation, visit);
  visit("sample", n.sample, "draw translations at random instead of searching for the best");
  fields(n.sampling, visit);
}

// The options that they say. Throws ConfigError for one that was given and would have no effect.
TranslationOptions resolved(const NamedTranslation& named, const IsGiven& is_given);

// Throws ConfigError for an option that was given and would have no effect.
void require_effect(const GenerationOptions& options, const IsGiven& is_given);

}  // namespace attend
