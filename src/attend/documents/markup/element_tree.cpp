#include "attend/documents/markup/element_tree.h"

#include <string_view>
#include <unordered_map>

namespace attend {

std::vector<std::size_t> partners_of(std::span<const MarkupPiece> pieces, std::size_t deepest) {
  std::vector<std::size_t> partners(pieces.size(), kNoPartner), open;
  std::unordered_map<std::string_view, std::size_t> count;  // of the open elements of each name
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const MarkupPiece& piece = pieces[i];
    if (piece.is_text || piece.name.empty() || (piece.closes_self && !piece.closes)) {
      partners[i] = i;
    } else if (!piece.closes) {
      open.push_back(i);
      ++count[piece.name];
    } else if (const auto found = count.find(piece.name);
               found != count.end() && found->second > 0) {
      while (pieces[open.back()].name != piece.name) {
        --count[pieces[open.back()].name];
        open.pop_back();
      }
      if (open.size() <= deepest) {
        partners[open.back()] = i;
        partners[i] = open.back();
      }
      --found->second;
      open.pop_back();
    }
  }
  return partners;
}

}  // namespace attend
