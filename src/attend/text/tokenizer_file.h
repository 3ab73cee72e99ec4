// WordPiece and byte-level BPE tokenizers as bytes: a JSON object. No SentencePiece model begins
// with its first byte.
//
//   {"engine": "wordpiece", "pieces": ["[PAD]", ...], "controls": [0, ...],
//    "special": {"bos": 101, "eos": 102, "pad": 0, "unk": 100}, "normalization": {...},
//    "clean_text": true, "cjk_blanks": true, "strip_accents": true, "lowercase": true,
//    "split_punctuation": true}
//   {"engine": "byte_bpe", "pieces": ..., "controls": ..., "special": ..., "normalization": ...,
//    "added": [50256, ...], "merges": [left, right, left, right, ...], "patterns": ["..."],
//    "prefix_space": false, "ignore_merges": false}
//
// Ids are indices into "pieces". A missing special token is -1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "attend/text/normalization.h"
#include "attend/tokenizer.h"

namespace attend::detail {

struct PieceList {
  std::vector<std::string> pieces;
  std::vector<std::int32_t> controls = {};  // pieces that occur in no text and decode to nothing
  SpecialTokens special = {};
};

struct WordPieceDescription {
  PieceList vocabulary;
  TextNormalization normalization = {};  // applied first
  bool clean_text = true;  // no control characters; white space of all kinds is a space
  bool cjk_blanks = true;  // spaces around Chinese characters
  bool strip_accents = false;
  bool lowercase = false;
  bool split_punctuation = true;  // split punctuation from words; otherwise only spaces end words
};

struct ByteBpeDescription {
  PieceList vocabulary;
  TextNormalization normalization = {};
  std::vector<std::int32_t> added = {};  // pieces that are found in text before anything else
  std::vector<std::pair<std::int32_t, std::int32_t>> merges = {};  // earliest first
  std::vector<std::string> patterns = {};                          // applied in order
  bool prefix_space = false;                                       // put a space before the text
  bool ignore_merges = false;  // a part that is a piece as a whole becomes that piece
};

std::string tokenizer_bytes(const WordPieceDescription& description);
std::string tokenizer_bytes(const ByteBpeDescription& description);

bool is_tokenizer_file(std::string_view bytes);
// Throws DataError, stating only the reason, for anything that tokenizer_bytes() does not write.
// The engines check the vocabulary and the merges.
std::variant<WordPieceDescription, ByteBpeDescription> read_tokenizer_file(std::string_view bytes);

}  // namespace attend::detail
