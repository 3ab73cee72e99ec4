// Encoders of CTranslate2, such as BERT: models that turn texts into vectors.
#pragma once

#include "attend/interchange/families/ctranslate2/ctranslate2_texts.h"
#include "attend/interchange/foreign_model.h"

namespace attend {

// The tokenizer of the original model is in the directory, and what sentence-transformers says of
// vectors, if it is there. Throws DataError for what is not supported.
ForeignModel read_ctranslate2_encoder(TensorTable& variables, const ModelDirectory& directory,
                                      const Ctranslate2Config& config);

}  // namespace attend
