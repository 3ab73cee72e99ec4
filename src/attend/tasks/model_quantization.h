// A model in 8 bits, and what that costs in quality and gains in size and speed.
#pragma once

#include <span>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/metrics/bleu.h"

namespace attend {

// The model with its large matrices in 8 bits; a new file for the same commands. Throws DataError
// for a model that is quantized already.
Checkpoint quantize_model(const Checkpoint& model);

// A translator on a text with given translations.
struct TranslationMeasure {
  double bleu = 0;
  double seconds = 0;  // of translating, loading not counted
};

TranslationMeasure measure_translation(const Checkpoint& model, std::span<const std::string> src,
                                       const std::vector<std::string>& tgt,
                                       const BleuOptions& options);

}  // namespace attend
