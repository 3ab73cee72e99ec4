// The models that a tokenizer.json may hold, and the steps around them. Private to interchange/.
#pragma once

#include "attend/interchange/tokenizers/tokenizer_vocabulary.h"

namespace attend::detail {

// Reads the model, the normalizer, the pre-tokenizer and the decoder of the file. Throws DataError.
Tokenizer read_foreign_steps(JsonObject& file, ForeignVocabulary& vocabulary,
                             const ForeignTemplate& marks);

}  // namespace attend::detail
