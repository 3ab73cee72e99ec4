// Finds the longest of many strings that a text begins with. Private to text/.
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
  // Nonempty strings that differ, and the value of each.
  explicit PrefixTable(std::vector<std::pair<std::string, std::int32_t>> entries);

  struct Match {
    std::int32_t value = -1;
    std::size_t length = 0;  // 0: no match
  };
  // Time: proportional to the length of the match, whatever the text.
  Match longest(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::int32_t>> entries_;  // sorted
  std::array<std::size_t, 257> begins_{};                      // by the first byte
};

}  // namespace attend::detail
