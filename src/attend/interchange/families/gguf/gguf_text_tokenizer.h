// The tokenizers of encoders and T5 in GGUF files: WordPiece and Unigram, in the files of a
// directory of Hugging Face, and back.
//
// Texts are split as transformers splits them for the models that such files are made of; what
// llama.cpp does otherwise is in docs/import.md.
#pragma once

#include "attend/interchange/families/gguf/gguf_tokenizer.h"
#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/interchange/writing/tokenizer_writing.h"
#include "attend/text/tokenizer.h"

namespace attend {

// Throws DataError for what is not supported.
GgufTokenizer read_gguf_text_tokenizer(ForeignConfig& metadata);

// `marks`: around a text. Throws ConfigError that names what llama.cpp cannot express.
void add_gguf_text_tokenizer(const Tokenizer& tokenizer, const TextSpecialTokens& marks,
                             GgufEntries& entries);

}  // namespace attend
