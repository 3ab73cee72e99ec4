// Builds SentencePiece models for import from other files: with reordered pieces, or from
// individual parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece_model.h"

namespace attend {

// The pieces that are special, by their text; empty: there is none. Two may be the same piece.
struct SpecialPieces {
  std::string bos = {}, eos = {}, pad = {}, unk = {};
};

struct SentencePieceDescription {
  struct Piece {
    std::string text;
    float score = 0;
    detail::PieceType type = detail::PieceType::normal;
  };
  detail::ModelType type = detail::ModelType::unigram;
  std::vector<Piece> pieces = {};
  SpecialPieces special = {};
  std::string character_map = {};  // may be empty
  bool dummy_prefix = true;
  bool remove_extra_spaces = true;
  bool byte_fallback = false;
  std::string unknown_surface = {};  // what the unknown piece decodes to
};

// The bytes of the model. They are checked when a tokenizer is made from them.
std::string sentencepiece_bytes(const SentencePieceDescription& description);

// A model whose ids are those of another list of its pieces.
struct VocabularyOrder {
  std::vector<std::string> pieces = {};  // by id
  // Those of them that are no text, beside the special ones.
  std::vector<std::string> controls = {};
  SpecialPieces special = {};
};

// The model `bytes` with the ids of `order`. Pieces that the model does not have are in no text
// that it cuts. Text that only a piece without an id can write is unknown, piece by piece. Throws
// DataError for bytes that are no model and for an order that has a piece twice or lacks a special
// one.
std::string reorder_sentencepiece(std::string_view bytes, const VocabularyOrder& order);
// How many pieces of the model have no id.
std::int64_t count_pieces_without_id(std::string_view bytes, const VocabularyOrder& order);

// The order of fairseq's multilingual models: <s> <pad> </s> <unk>, the pieces of the model after
// its own three special ones, then `more` control pieces. Throws DataError for bytes that are not a
// model.
VocabularyOrder fairseq_order(std::string_view bytes, std::span<const std::string> more);

}  // namespace attend
