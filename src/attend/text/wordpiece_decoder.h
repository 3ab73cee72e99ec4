// WordPiece -> text. Private to text/.
//
// Words have a space between them, but for punctuation: none stands before what closes (. , ; : ! ?
// ) ] } % and the like), none behind what opens, and none around an apostrophe or a hyphen.
#pragma once

#include "attend/text/wordpiece.h"

namespace attend::detail {

class WordPieceDecoder final : public TextDecoder {
 public:
  // The engine must live as long.
  explicit WordPieceDecoder(const WordPiece& engine) : engine_(&engine) {}

  std::string add(std::int32_t id) override;
  std::string finish() override;

 private:
  const WordPiece* engine_;
  bool joins_next_ = true;  // no space comes next: at the beginning, and behind what opens
};

}  // namespace attend::detail
