// Bytes that come one after the other, given on as whole characters. Private to text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

class WaitingBytes {
 public:
  // What is settled: characters, and U+FFFD for each byte that cannot belong to one.
  std::string add(std::string_view bytes);
  // The rest, with U+FFFD for each byte of a character that has not become whole.
  std::string finish();

 private:
  std::string take(bool all);

  std::string bytes_;
};

}  // namespace attend::detail
