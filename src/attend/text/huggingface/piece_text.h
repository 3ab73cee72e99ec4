// Pieces of a tokenizer as text, one string each, as the decoders of Hugging Face's tokenizers join
// them: without knowing which piece is special or unknown.
#pragma once

#include <span>
#include <string>

#include "attend/tokenizer.h"

namespace attend {

// WordPiece: "##" continues a word, and no space stands before punctuation and short forms such as
// 's. Byte-level BPE: letters are bytes, unless a piece has a letter that stands for none.
// SentencePiece: U+2581 is a space, and nothing in the first piece.
std::string text_of_pieces(TokenizerType type, std::span<const std::string> pieces);

// The bytes of a piece of byte-level BPE, perhaps a part of a character; a piece with a letter that
// stands for no byte as it is.
std::string bytes_of_piece(const std::string& piece);

}  // namespace attend
