// The golden sentences, texts or passages of a model, whatever it is for: see golden_sentences.h, golden_texts.h, golden_passages.h.
#pragma once

#include <cstddef>
#include <optional>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

struct ModelCheck {
  std::size_t samples = 0;
  double deviation = 0;  // the largest, relative; above kGoldenTolerance something computes differently
};

// What the model makes of its golden samples now, against what it made of them when it was saved; none where the file has none. Throws
// DataError when they are damaged.
std::optional<ModelCheck> check_model(const Checkpoint& checkpoint);

// Makes them anew, for a checkpoint whose parameters have changed.
void add_golden_samples(Checkpoint& checkpoint);

}  // namespace attend
