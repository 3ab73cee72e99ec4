// The longest of many strings that a text begins with. Private to text/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::detail {

class PrefixTable {
 public:
  // The strings, none of them empty, and what to answer for each.
  explicit PrefixTable(std::vector<std::pair<std::string, std::int32_t>> entries);

  struct Match {
    std::int32_t value = -1;
    std::size_t length = 0;  // 0: no string fits
  };
  // Takes time for each byte of the match and at most one more, whatever the text is like.
  Match longest(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::int32_t>> entries_;  // sorted
  std::array<std::size_t, 257> begins_{};                      // by the first byte
};

}  // namespace attend::detail
