// Which of the candidates for the translation of a sentence come first: those that search or
// sampling give, those with the least Bayes risk, or those with the best estimated quality.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attend/translator.h"

namespace attend {

// Throws ConfigError for options that contradict each other, and for models that cannot choose.
void check_choice(const TranslationOptions& options);

// Whether candidates are chosen by more than their probabilities; by a model, which reads texts.
bool chooses(const TranslationOptions& options);
bool chooses_by_model(const TranslationOptions& options);

// The candidates of a sentence to choose from.
int candidates_of(const TranslationOptions& options);

// A sentence and its candidates, as people read them.
struct Candidates {
  std::string source;  // for a choice by a model
  std::vector<std::string> texts;
  std::vector<double> log_probabilities;
};

// The numbers of all candidates, the best first. The options choose.
std::vector<std::size_t> ranked(const TranslationOptions& options, const Candidates& candidates);

}  // namespace attend
