// What `attend backtranslate` does, in which order.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/backtranslate/augmentation_options.h"

namespace attend {

// From the source language to the target language, as the result of it all, or reverse.
enum class TranslationDirection { forward, reverse };

enum class AugmentationStep { given_model, training, translation };

struct AugmentationPart {
  AugmentationStep step = AugmentationStep::training;
  // It is that of the model: given, trained, or translating.
  TranslationDirection direction = TranslationDirection::forward;
  std::string folder;  // in that of the run; empty: the run itself, which comes last
  int from = -1;  // of a training: the translation that it learns from, too; of a translation: the
                  // model. The number of another part, -1: none.
  int round = 0;  // 0: before the first
};

// Throws ConfigError for texts and models that do not fit together.
//
// Back-translation (Sennrich et al. 2016; several rounds: Hoang et al. 2018):
//   reverse -> translate tgt-mono -> forward -> translate src-mono -> reverse -> ...
// Self-training, without tgt-mono (He et al. 2020):
//   forward -> translate src-mono -> forward -> ...
std::vector<AugmentationPart> augmentation_plan(const AugmentationTexts& texts);

}  // namespace attend
