#include "attend/text/huggingface/piece_trie.h"

#include <algorithm>

namespace attend::detail {

// Level by level: all children of a node are made when the node is visited.
PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> entries) {
  std::sort(entries.begin(), entries.end());
  struct Range {
    std::uint32_t node;
    std::size_t begin, end, depth;  // its entries, and how many of their bytes lead to it
  };
  std::vector<Range> ranges{{0, 0, entries.size(), 0}};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range range = ranges[i];
    std::size_t at = range.begin;
    if (at < range.end && range.depth > 0 && entries[at].first.size() == range.depth)
      nodes_[range.node].value = entries[at++].second;
    nodes_[range.node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (at < range.end) {
      const auto byte = static_cast<unsigned char>(entries[at].first[range.depth]);
      std::size_t end = at;
      while (end < range.end && static_cast<unsigned char>(entries[end].first[range.depth]) == byte)
        ++end;
      const auto node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.byte = byte});
      ++nodes_[range.node].children;
      if (range.depth == 0) roots_[byte] = node;
      ranges.push_back({node, at, end, range.depth + 1});
      at = end;
    }
  }
}

std::uint32_t PieceTrie::child(std::uint32_t node, unsigned char byte) const {
  const auto begin = nodes_.begin() + nodes_[node].first_child;
  const auto end = begin + nodes_[node].children;
  const auto found = std::lower_bound(
      begin, end, byte, [](const Node& one, unsigned char wanted) { return one.byte < wanted; });
  return found != end && found->byte == byte ? static_cast<std::uint32_t>(found - nodes_.begin())
                                             : 0;
}

}  // namespace attend::detail
