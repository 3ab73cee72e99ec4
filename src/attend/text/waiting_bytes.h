// Collects bytes and returns them as whole characters. Private to text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

class WaitingBytes {
 public:
  // Returns all complete characters, and U+FFFD for each byte that cannot belong to one.
  std::string add(std::string_view bytes);
  // Returns the rest: U+FFFD for each byte of an incomplete character.
  std::string finish();

 private:
  std::string take(bool all);

  std::string bytes_;
};

}  // namespace attend::detail
