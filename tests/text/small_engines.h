// Small tokenizers of our own engines, given piece by piece.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/tokenizer.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

// BERT's ids are somewhere else; that they may be anywhere is the point.
inline detail::WordPieceDescription small_wordpiece() {
  detail::WordPieceDescription d;
  d.vocabulary.pieces = {"the",   "[PAD]",  "un",  "##aff", "##able", "[UNK]",  "[CLS]",
                         "[SEP]", ",",      "##a", "a",     "runs",   "##ning", "run",
                         "'",     "t",      "don", "!",     "uber",   "京",     "(",
                         ")",     "[MASK]", "s",   "ß",     "##京",   "["};
  d.vocabulary.controls = {1, 6, 7, 22};
  d.vocabulary.special = {.bos = 6, .eos = 7, .pad = 1, .unk = 5};
  d.lowercase = d.strip_accents = true;
  return d;
}

// <s> <pad> </s> <unk>, the 256 bytes, and a few merges.
inline detail::ByteBpeDescription small_byte_bpe() {
  detail::ByteBpeDescription d;
  std::vector<std::string>& pieces = d.vocabulary.pieces;
  pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  for (int byte = 0; byte < 256; ++byte)
    pieces.push_back(detail::letter_of(static_cast<unsigned char>(byte)));
  d.vocabulary.controls = {0, 1, 2};
  d.vocabulary.special = {.bos = 0, .eos = 2, .pad = 1, .unk = 3};
  d.patterns = {R"('s| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"};
  return d;
}

// Adds the merge of two pieces, and what it makes.
inline void add_merge(detail::ByteBpeDescription& d, const std::string& left,
                      const std::string& right) {
  std::vector<std::string>& pieces = d.vocabulary.pieces;
  const auto id_of = [&](const std::string& piece) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i] == piece) return static_cast<std::int32_t>(i);
    pieces.push_back(piece);
    return static_cast<std::int32_t>(pieces.size() - 1);
  };
  d.merges.emplace_back(id_of(left), id_of(right));
  id_of(left + right);
}

template <class Description>
Tokenizer made_tokenizer(const Description& description) {
  return Tokenizer::from_bytes(detail::tokenizer_bytes(description));
}

inline std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace attend
