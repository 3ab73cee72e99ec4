// Parses and checks a serialized SentencePiece model before the library sees it, because the
// library trusts its bytes. Private to text/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece/character_map.h"
#include "attend/tokenizer.h"

namespace attend::detail {

// Numbered as in SentencePiece.
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
  std::string text;
  float score = 0;
  PieceType type = PieceType::normal;
  // Only the vocabulary knows it: a run of characters that the model does not know may be this
  // piece. Field 200 of the piece, an extension of attend.
  bool stands_in = false;
};

// The normalization of text.
struct ModelNormalizer {
  std::string_view map_bytes;  // of the character map; may be empty
  bool dummy_prefix = true;    // prepend a space to the text
  bool remove_extra_spaces = true;
  bool escape_spaces = true;
};

inline constexpr std::uint32_t kFirstUnknownPieceField = 202, kStandsInField = 200;

// The texts of the special pieces.
struct SpecialTexts {
  std::string_view unknown = "<unk>", bos = "<s>", eos = "</s>", pad = "<pad>";
};

// Views refer to the input bytes.
struct SentencePieceModel {
  ModelType type = ModelType::unigram;
  std::vector<ModelPiece> pieces;
  ModelNormalizer normalizer;
  CharacterMap characters;
  bool denormalizes = false;  // also maps the characters of decoded text
  bool byte_fallback = false;
  bool spaces_end_words = false;
  SpecialTexts special;
  // What it was trained with; -1: none. The library goes by the texts.
  std::int32_t unk_id = 0, bos_id = 1, eos_id = 2;
  std::string_view unknown_surface = " \xE2\x81\x87 ";
  // The size of a vocabulary that is smaller than the model. Later pieces take part in splitting
  // and then become unknown. Field 202 of the model, an extension of attend.
  std::uint64_t first_unknown_piece = ~std::uint64_t{0};

  std::int32_t vocab_size() const {
    return static_cast<std::int32_t>(std::min<std::uint64_t>(pieces.size(), first_unknown_piece));
  }
};

// Throws DataError, stating only the reason, for bytes that are not a model or with which the
// library could crash, hang or produce invalid UTF-8.
SentencePieceModel read_sentencepiece_model(std::string_view bytes);

// The part of a model that the library may load: everything except the self-test samples, which
// could take hours. Throws like read_sentencepiece_model().
std::string loadable_part(std::string_view bytes);

// The ids that the library gives to special tokens; -1: none.
SpecialTokens special_tokens(const SentencePieceModel& model);

}  // namespace attend::detail
