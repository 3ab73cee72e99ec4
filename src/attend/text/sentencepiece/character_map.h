// The normalization table of a SentencePiece model: a map from characters to characters. Private to
// text/.
//
// SentencePiece stores it as bytes ("precompiled_charsmap") and follows offsets in them unchecked.
// This class reads and checks them.
//
//   4 bytes   the size of the trie, little-endian
//   trie      a double array (Aoe 1989) of 4-byte little-endian units, in the layout of
//             Darts-clone. Unit 0 is the root. The children of a unit are at base ^ label with
//             base = its own index ^ its offset; a value is in the unit at the base.
//   strings   the replacements, each followed by a 0; a value is a position among them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace attend::detail {

class CharacterMap {
 public:
  // Maps nothing.
  CharacterMap() = default;

  // Throws DataError unless every walk from the root, for any text, stays inside the trie, ends,
  // and finds only UTF-8 strings, no more than SentencePiece has room for. Takes linear time; does
  // not copy `bytes`.
  explicit CharacterMap(std::string_view bytes);

  // The first unit of text to normalize, and its replacement.
  struct Prefix {
    std::size_t length = 0;
    std::string_view normalized;
  };
  // The longest mapped prefix, or else one character; a byte that is not UTF-8 becomes U+FFFD.
  // Precondition: `text` is not empty. The result refers to `text` or to the bytes of the map.
  Prefix prefix(std::string_view text) const;
  // The replacement of the shortest mapped prefix, as the tokenizers library looks for one.
  std::optional<std::string_view> shortest(std::string_view text) const;

 private:
  friend class CharacterMapCheck;
  std::uint32_t unit(std::uint32_t index) const;
  std::string_view string_at(std::uint32_t position) const;

  std::string_view trie_;
  std::string_view strings_;
};

}  // namespace attend::detail
