// What a serialized SentencePiece model holds, read and checked before the library sees it: the
// library trusts its bytes. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/character_map.h"

namespace attend::detail {

// As SentencePiece numbers them.
enum class ModelType : std::uint8_t { unigram = 1, bpe = 2, word = 3, chars = 4 };
enum class PieceType : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct ModelPiece {
  std::string_view text;
  float score = 0;
  PieceType type = PieceType::normal;
};

// How text becomes characters.
struct ModelNormalizer {
  std::string_view map_bytes;  // of the character map; may be empty
  bool dummy_prefix = true;    // a space is put before the text
  bool remove_extra_spaces = true;
  bool escape_spaces = true;
};

// Views refer to the bytes that were read.
struct SentencePieceModel {
  ModelType type = ModelType::unigram;
  std::vector<ModelPiece> pieces;
  ModelNormalizer normalizer;
  CharacterMap characters;
  bool denormalizes = false;  // maps the characters of decoded text, too
  bool byte_fallback = false;
  bool spaces_end_words = false;
  std::string_view unknown_surface = " \xE2\x81\x87 ";

  // What the library may load: all but the sentences with which a model tests itself, which could
  // take it hours.
  std::string loadable;
};

// Throws DataError, with the reason alone, for bytes that are no model or with which the library
// could crash, hang or give text that is not UTF-8.
SentencePieceModel read_sentencepiece_model(std::string_view bytes);

}  // namespace attend::detail
