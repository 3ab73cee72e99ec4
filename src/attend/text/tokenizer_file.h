// WordPiece, byte-level BPE and imported tokenizers as bytes: a JSON object. No SentencePiece model
// begins with its first byte.
//
//   {"engine": "wordpiece", "pieces": ["[PAD]", ...], "controls": [0, ...],
//    "special": {"bos": 101, "eos": 102, "pad": 0, "unk": 100}, "normalization": {...},
//    "clean_text": true, "cjk_blanks": true, "strip_accents": true, "lowercase": true,
//    "split_punctuation": true}
//   {"engine": "byte_bpe", "pieces": ..., "controls": ..., "special": ..., "normalization": ...,
//    "added": [50256, ...], "merges": [left, right, left, right, ...], "patterns": ["..."],
//    "prefix_space": false, "ignore_merges": false}
//   {"engine": "steps", "pieces": ..., "controls": ..., "special": ...,
//    "added": [{"id": 3, "lstrip": true, ...}, ...],
//    "normalizer": [{"type": "NFC"}, ...], "pre_tokenizer": [...], "decoder": [...],
//    "model": {"type": "Unigram", "unknown": 3, "outside": [250001, ...], "scores": [...], ...}}
//             {"type": "SubwordNmt", ..., "codes": ["t h", ...], "word_suffix": "</w>", ...}
//
// The steps of the last are those of Hugging Face's tokenizer.json; a Precompiled map is in base64.
// Ids are indices into "pieces". A missing special token is -1.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "attend/text/normalization/normalization.h"
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

// A token that is found in text before anything else, with the flags of a tokenizer.json.
struct AddedPiece {
  std::int32_t id = 0;
  bool special = false;                 // its string may be read as text
  bool normalized = false;              // found in normalized text, by its own normalized string
  bool single_word = false;             // not inside a word
  bool lstrip = false, rstrip = false;  // takes the white space before it, or after it
};

// subword_nmt: the byte-pair encoding of the program of that name and of fastBPE, whose merges need
// not make pieces of the vocabulary.
enum class PieceModelType { unigram, bpe, wordpiece, subword_nmt };

// How a part of a text becomes pieces.
struct PieceModelDescription {
  PieceModelType type = PieceModelType::unigram;
  std::int32_t unknown = -1;               // bpe: -1 drops characters without a piece
  std::vector<std::int32_t> outside = {};  // ids that the model does not have, such as added ones
  bool byte_fallback = false;              // a character without a piece becomes its bytes
  std::vector<double> scores = {};         // unigram: of the first pieces
  // Only bpe has what follows:
  std::vector<std::pair<std::int32_t, std::int32_t>> merges = {};  // earliest first
  bool fuse_unknown = false;                                       // neighbors are one
  bool ignore_merges = false;
  // At the last character of a part; of subword_nmt, too.
  std::string word_suffix = {};
  std::string continuing_prefix = {};  // before all but the first; of wordpiece, too
  std::int64_t longest_word = 100;     // of wordpiece, in characters
  // Only subword_nmt has what follows:
  std::vector<std::string> codes = {};  // merges, "left right", earliest first
  bool suffix_apart = false;            // at first the suffix is a symbol of its own
};

// Spaces that a post-processor of Hugging Face's tokenizers takes off the places of tokens: none,
// all, or all but one space before the first token, where the tokenizer may have put it.
enum class OffsetTrimming { none, all, all_but_one };

// A tokenizer of Hugging Face, step by step. The steps are objects as in a tokenizer.json.
struct StepsDescription {
  PieceList vocabulary;
  std::vector<AddedPiece> added = {};
  nlohmann::json normalizer = nlohmann::json::array(), pre_tokenizer = nlohmann::json::array(),
                 decoder = nlohmann::json::array();
  PieceModelDescription model = {};
  OffsetTrimming trimming = OffsetTrimming::none;
};

using TokenizerDescription =
    std::variant<WordPieceDescription, ByteBpeDescription, StepsDescription>;

std::string tokenizer_bytes(const WordPieceDescription& description);
std::string tokenizer_bytes(const ByteBpeDescription& description);
std::string tokenizer_bytes(const StepsDescription& description);

bool is_tokenizer_file(std::string_view bytes);
// Whether these are the steps of a tokenizer.json, to which line breaks are characters like others.
bool has_foreign_steps(std::string_view bytes);
// Throws DataError, stating only the reason, for anything that tokenizer_bytes() does not write.
// The engines check the vocabulary and the merges.
TokenizerDescription read_tokenizer_file(std::string_view bytes);

}  // namespace attend::detail
