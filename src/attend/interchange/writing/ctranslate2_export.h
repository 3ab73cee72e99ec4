// Our translators and language models as directories of CTranslate2.
//
// The model is one that a family of Hugging Face expresses (model_export.h), whose tokenizer files
// stand beside model.bin and the vocabularies. The directory is imported again: a model that does
// not come back as it is cannot be exported.
#pragma once

#include <filesystem>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// `directory` is new or empty, and appears as a whole. A token that is never written gets a logit
// without a share in the probabilities, because CTranslate2 knows no such tokens. Throws
// ConfigError that names each setting without an equal, DataError for a quantized model, and
// IoError.
void write_ctranslate2_directory(const Checkpoint& model, const std::filesystem::path& directory);

}  // namespace attend
