// Where a Transformer of Marian normalizes, by its options transformer-preprocess and
// transformer-postprocess.
#pragma once

#include "attend/interchange/foreign_config.h"
#include "attend/models/architecture.h"

namespace attend {

// Normalization before each sublayer or after it, and perhaps of the embeddings and of the output;
// "n" is layer normalization, "r" that by the root mean square, "a" the residual connection. Throws
// DataError for other operations, and for pre-norm without the version of Marian.
void read_marian_norms(ForeignConfig& config, TransformerConfig& shape);

}  // namespace attend
