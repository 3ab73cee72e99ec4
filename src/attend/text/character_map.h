// The table by which a SentencePiece model normalizes text: which characters become which. Private
// to text/.
//
// SentencePiece keeps it as bytes ("precompiled_charsmap") and follows the offsets in them without
// a look at where they lead. Here they are read and checked.
//
//   4 bytes   the size of the trie, low byte first
//   trie      a double array (Aoe 1989, as Darts-clone lays it out): units of 4 bytes, low byte
//   first. Unit 0 is the root. The children of
//   a
//             unit are at base ^ label with base = its own index ^ its offset; the value of a unit
//             that has one is in the unit at its base.
//   strings   what characters become, each with a 0 behind it; a value is a position among them
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attend::detail {

class CharacterMap {
 public:
  // Maps nothing.
  CharacterMap() = default;

  // Throws DataError unless every walk from the root, over any text, stays inside the trie and
  // ends, and finds only strings, in UTF-8, and no more of them than SentencePiece has room for.
  // Takes time linear in `bytes`, which are not copied.
  explicit CharacterMap(std::string_view bytes);

  // The first piece of text that is normalized as one, and what becomes of it.
  struct Prefix {
    std::size_t length = 0;
    std::string_view normalized;
  };
  // The longest mapped one, or else one character; a byte that is not UTF-8 becomes U+FFFD.
  // Precondition: `text` is not empty. The result refers to `text` or to the bytes of the map.
  Prefix prefix(std::string_view text) const;

 private:
  friend class CharacterMapCheck;
  std::uint32_t unit(std::uint32_t index) const;
  std::string_view string_at(std::uint32_t position) const;

  std::string_view trie_;
  std::string_view strings_;
};

}  // namespace attend::detail
