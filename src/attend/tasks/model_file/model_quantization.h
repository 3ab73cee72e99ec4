// Quantizes a model to 4, 8 or 16 bits, and measures the effect on quality, size and speed.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/quantization.h"
#include "attend/core/advance.h"
#include "attend/data/corpus.h"
#include "attend/metrics/bleu.h"

namespace attend {

// The model with its large matrices in fewer bits, usable like any model. Throws DataError if it is
// quantized already.
Checkpoint quantize_model(const Checkpoint& model, WeightBits bits = WeightBits::eight);

// The quality and speed of a translator on a text with references.
struct TranslationMeasure {
  double bleu = 0;
  double seconds = 0;  // time to translate, without loading
};

// `advance` is called with the number of newly translated sentences.
TranslationMeasure measure_translation(const Checkpoint& model, const ParallelText& text,
                                       const BleuOptions& options, const Advance& advance = {});

}  // namespace attend
