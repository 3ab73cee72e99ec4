// WordPiece and byte-level BPE tokenizers as bytes: a JSON object, which no SentencePiece model
// begins like.
//
//   {"engine": "wordpiece", "pieces": ["[PAD]", ...], "controls": [0, ...],
//    "special": {"bos": 101, "eos": 102, "pad": 0, "unk": 100}, "normalization": {...},
//    "clean_text": true, "cjk_blanks": true, "strip_accents": true, "lowercase": true,
//    "split_punctuation": true}
//   {"engine": "byte_bpe", "pieces": ..., "controls": ..., "special": ..., "normalization": ...,
//    "added": [50256, ...], "merges": [left, right, left, right, ...], "patterns": ["..."],
//    "prefix_space": false, "ignore_merges": false}
//
// Ids are places in "pieces". A special token that is not there is -1.
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
  std::vector<std::int32_t> controls = {};  // pieces that no text has and that decode to nothing
  SpecialTokens special = {};
};

struct WordPieceDescription {
  PieceList vocabulary;
  TextNormalization normalization = {};  // before all others
  bool clean_text = true;  // no control characters; white space of all kinds is a space
  bool cjk_blanks = true;  // spaces around Chinese characters
  bool strip_accents = false;
  bool lowercase = false;
  bool split_punctuation = true;  // punctuation is cut off words; else only spaces end words
};

struct ByteBpeDescription {
  PieceList vocabulary;
  TextNormalization normalization = {};
  std::vector<std::int32_t> added = {};  // pieces that are found in text before all others
  std::vector<std::pair<std::int32_t, std::int32_t>> merges = {};  // the earliest first
  std::vector<std::string> patterns = {};                          // applied one after the other
  bool prefix_space = false;                                       // a space is put before the text
  bool ignore_merges = false;  // a whole part that is a piece is that piece
};

std::string tokenizer_bytes(const WordPieceDescription& description);
std::string tokenizer_bytes(const ByteBpeDescription& description);

bool is_tokenizer_file(std::string_view bytes);
// Throws DataError, with the reason alone, for anything that tokenizer_bytes() does not write. What
// the vocabulary and the merges mean is for the engines to check.
std::variant<WordPieceDescription, ByteBpeDescription> read_tokenizer_file(std::string_view bytes);

}  // namespace attend::detail
