#include "attend/text/byte_bpe/byte_letters.h"

#include <array>

#include "attend/core/strings/utf8.h"

namespace attend::detail {
namespace {

bool is_its_own_letter(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct ByteLetters {
  ByteLetters() {
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const char32_t letter = is_its_own_letter(byte) ? byte : next++;
      append_code_point(letters[byte], letter);
      bytes[letter] = static_cast<int>(byte);
    }
  }

  std::array<std::string, 256> letters;
  std::array<int, 512> bytes = [] {
    std::array<int, 512> none{};
    none.fill(-1);
    return none;
  }();
};

const ByteLetters& byte_letters() {
  static const ByteLetters letters;
  return letters;
}

}  // namespace

const std::string& letter_of(unsigned char byte) { return byte_letters().letters[byte]; }

std::string letters_of(std::string_view bytes) {
  std::string letters;
  for (const char byte : bytes) letters += letter_of(static_cast<unsigned char>(byte));
  return letters;
}

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  std::string bytes;
  for (std::size_t at = 0; at < letters.size();) {
    const char32_t letter = next_code_point(letters, at);
    const auto& table = byte_letters().bytes;
    if (letter >= table.size() || table[letter] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(table[letter]));
  }
  return bytes;
}

}  // namespace attend::detail
