// Builds SentencePiece models for imported tokenizers: from parts, or by reordering the pieces of
// another model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece/sentencepiece_model.h"

namespace attend {

// The strings of the special pieces; empty: none. Two may be the same piece.
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

// The bytes of the model. Tokenizer checks them.
std::string sentencepiece_bytes(const SentencePieceDescription& description);

// New ids for the pieces of a model.
struct VocabularyOrder {
  std::vector<std::string> pieces = {};  // by id
  // Control pieces among them, besides the special ones.
  std::vector<std::string> controls = {};
  SpecialPieces special = {};
};

// The model `bytes` with the ids of `order`. A run of characters that the model does not know is
// looked up among the pieces of the order as a whole; a piece of several characters that the model
// does know never occurs in its output. Pieces without an id become unknown. A model that has been
// reordered keeps its bytes when it is reordered again, in the same order. Throws DataError for
// bytes that are not a model, and for an order with a duplicate or without a special piece.
std::string reorder_sentencepiece(std::string_view bytes, const VocabularyOrder& order);
// Whether reorder_sentencepiece() has made the model.
bool is_reordered_sentencepiece(std::string_view bytes);
// A model that has been reordered as it was before: `pieces` in this order, then those without an
// id. Reordering it again in its order gives the same bytes. Throws DataError for bytes that are
// not a model, and for a piece that it does not have.
std::string restore_sentencepiece(std::string_view bytes, const std::vector<std::string>& pieces);
// The pieces of a model by their ids. Throws DataError for bytes that are not a model.
std::vector<std::string> sentencepiece_pieces(std::string_view bytes);
// The number of pieces of the model without an id.
std::int64_t count_pieces_without_id(std::string_view bytes, const VocabularyOrder& order);

// The order of fairseq's multilingual models: <s> <pad> </s> <unk>, the pieces of the model after
// its own three special ones, then `more` control pieces. Throws DataError for bytes that are not a
// model.
VocabularyOrder fairseq_order(std::string_view bytes, std::span<const std::string> more);

}  // namespace attend
