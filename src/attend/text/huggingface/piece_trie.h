// Finds all of many strings that a text begins with. Private to text/.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::detail {

class PieceTrie {
 public:
  PieceTrie() = default;
  // Strings that are not empty and differ, and the value of each.
  explicit PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> entries);

  // Calls use(value, length) for each, the shortest first.
  template <class Use>
  void prefixes(std::string_view text, const Use& use) const {
    std::uint32_t node = text.empty() ? 0 : roots_[static_cast<unsigned char>(text.front())];
    for (std::size_t length = 1; node != 0; ++length) {
      if (nodes_[node].value >= 0) use(nodes_[node].value, length);
      node = length < text.size() ? child(node, static_cast<unsigned char>(text[length])) : 0;
    }
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;  // its children are neighbors, in the order of their bytes
    std::uint16_t children = 0;
    std::uint8_t byte = 0;
    std::int32_t value = -1;
  };
  // 0: there is none.
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;

  std::vector<Node> nodes_ = {{}};  // the first stands for none
  std::array<std::uint32_t, 256> roots_{};
};

}  // namespace attend::detail
