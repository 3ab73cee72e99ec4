// Tokenizers of Hugging Face's tokenizers library: the file tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

// How two texts are read together: marks as those of one text around both, and between them the
// mark that ends a text.
struct PairForm {
  int separators = 0;          // how often; 0: the form is another one
  bool numbers_texts = false;  // the model learns what belongs to the second text (token types)
};

struct ForeignTokenizer {
  Tokenizer tokenizer;
  std::vector<std::int32_t> prefix, suffix;  // what the model expects before and after a text
  PairForm pair = {};
};

// A token that is added to those of the tokenizer.json.
struct NamedToken {
  std::string text;
  detail::AddedPiece piece = {};  // the vocabulary gives it its id, or it gets the next one
  bool is_usual = false;          // no file names it
};

// What the files beside a tokenizer.json name.
struct TokenNames {
  TokenNames(SpecialPieces pieces = {}) : special(std::move(pieces)) {}

  SpecialPieces special;
  std::vector<NamedToken> added;  // in the order of their ids
};

// Embeddings that a model may have beyond its pieces, for a round number of them.
inline constexpr std::int64_t kMostUnusedPieces = 4096;

// Reads the content of a tokenizer.json; `where` it came from begins the messages. The tokenizer
// gives the ids that the tokenizers library gives, with SpecialText::as_tokens. What `names` leave
// open of the special tokens is taken from its post-processor. A vocabulary that is smaller than
// `ids`, but not by more than kMostUnusedPieces, is extended by pieces that are in no text. Padding
// and truncation are ignored. Throws DataError for everything that is not known, with its name.
ForeignTokenizer read_tokenizer_json(std::string_view content, const TokenNames& names,
                                     const std::string& where, std::int64_t ids = 0);

// The piece of an id that stands for nothing.
std::string filler_piece(std::int64_t id);

}  // namespace attend
