// The vocabularies of a native Marian model.
#pragma once

#include <string>

#include "attend/interchange/model_directory.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct MarianVocabulary {
  std::string file;           // a SentencePiece model, or pieces by id in YAML, JSON or plain lines
  std::string sentencepiece;  // the model that cuts text into pieces of such a list
  int embeddings = 0;
  bool begins = false;  // with one more piece, which the decoder begins with
};

// A list of pieces without a SentencePiece model beside it is one of words, as text has them
// between spaces. Throws DataError.
Tokenizer read_marian_vocabulary(const ModelDirectory& directory,
                                 const MarianVocabulary& vocabulary);

}  // namespace attend
