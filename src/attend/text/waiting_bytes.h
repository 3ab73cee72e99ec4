// Collects bytes and returns them as whole characters. Private to text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

// What becomes of bytes that are no character: U+FFFD for each, as in SentencePiece, or for each
// part that is the longest beginning of one, as in the Unicode standard, Python and Rust.
enum class BrokenBytes { each, parts };

class WaitingBytes {
 public:
  explicit WaitingBytes(BrokenBytes broken) : broken_(broken) {}
  // Returns all complete characters, and U+FFFD for what cannot become one.
  std::string add(std::string_view bytes);
  // Returns the rest: U+FFFD for an incomplete character.
  std::string finish();

 private:
  std::string take(bool all);

  BrokenBytes broken_;
  std::string bytes_;
};

}  // namespace attend::detail
