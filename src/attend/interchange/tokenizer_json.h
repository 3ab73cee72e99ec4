// Tokenizers of Hugging Face's tokenizers library: the file tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece_writing.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct ForeignTokenizer {
  Tokenizer tokenizer;
  std::vector<std::int32_t> prefix, suffix;  // what the model expects before and after a text
};

// Embeddings that a model may have beyond its pieces, for a round number of them.
inline constexpr std::int64_t kMostUnusedPieces = 4096;

// Reads the content of a tokenizer.json; `where` it came from begins the messages. WordPiece and
// byte-level BPE become engines of our own, Unigram and the other kind of BPE SentencePiece models.
// `names` are the special tokens as files beside it name them; what they leave open is taken from
// its post-processor. A vocabulary that is smaller than `ids`, but not by more than
// kMostUnusedPieces, is extended by pieces that are in no text. Padding and truncation are ignored.
// Throws DataError for everything that is not known, with its name.
ForeignTokenizer read_tokenizer_json(std::string_view content, const SpecialPieces& names,
                                     const std::string& where, std::int64_t ids = 0);

// The piece of an id that stands for nothing.
std::string filler_piece(std::int64_t id);

}  // namespace attend
