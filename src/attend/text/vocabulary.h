// The pieces of a WordPiece or byte-level BPE tokenizer and their ids. Private to text/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/text/tokenizer_file.h"

namespace attend::detail {

class Vocabulary {
 public:
  // Throws DataError for pieces that are not UTF-8, empty, too long or duplicate, and for special
  // tokens outside the list; bos, eos and pad must be control pieces.
  explicit Vocabulary(PieceList list);
  Vocabulary(Vocabulary&&) = default;

  std::int32_t size() const { return static_cast<std::int32_t>(list_.pieces.size()); }
  const std::vector<std::string>& pieces() const { return list_.pieces; }
  const std::string& piece(std::int32_t id) const {
    return list_.pieces[static_cast<std::size_t>(id)];
  }
  const SpecialTokens& special() const { return list_.special; }
  // -1 if there is no such piece.
  std::int32_t find(std::string_view piece) const;
  bool is_control(std::int32_t id) const { return is_control_[static_cast<std::size_t>(id)]; }
  bool is_unknown(std::int32_t id) const { return id == list_.special.unk; }
  // Throws DataError unless all ids are in the vocabulary; `what` names them in the message.
  void require(std::span<const std::int32_t> ids, std::string_view what) const;

 private:
  PieceList list_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::vector<bool> is_control_;
};

}  // namespace attend::detail
