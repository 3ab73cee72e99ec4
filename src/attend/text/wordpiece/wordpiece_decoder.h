// WordPiece -> text. Private to text/.
//
// Words are separated by spaces, except around punctuation: none before closing marks (. , ; : ! ?
// ) ] } % and the like), none after opening ones, and none around an apostrophe or a hyphen.
#pragma once

#include "attend/text/wordpiece/wordpiece.h"

namespace attend::detail {

class WordPieceDecoder final : public TextDecoder {
 public:
  // The engine must outlive this.
  explicit WordPieceDecoder(const WordPiece& engine) : engine_(&engine) {}

  std::string add(std::int32_t id) override;
  std::string finish() override;

 private:
  const WordPiece* engine_;
  bool joins_next_ = true;  // no space comes next: at the start, and after opening marks
};

}  // namespace attend::detail
