// Language models of CTranslate2: a decoder alone.
#pragma once

#include "attend/interchange/families/ctranslate2/ctranslate2_texts.h"
#include "attend/interchange/foreign_model.h"

namespace attend {

// The model of a TransformerDecoderSpec. Its tokenizer is that of the original model, whose files
// are in the directory. Throws DataError for what is not supported.
ForeignModel read_ctranslate2_language(TensorTable& variables, const ModelDirectory& directory,
                                       const Ctranslate2Config& config);

}  // namespace attend
