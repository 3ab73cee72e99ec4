// Sentences to try a training with where there is no text: those of `attend demo`, in the manner of
// exploring.h.
#pragma once

#include "attend/c/attend.h"

extern "C" {

// {"train": {"src": [...], "tgt": [...]}, "valid": {...}}: English sentences of the demo's grammar
// and their German translations. Options: "sentences" to train with, "valid_sentences", "seed".
attend_result* attend_demo_sentences(const attend_options* options, attend_error** error);

}  // extern "C"
