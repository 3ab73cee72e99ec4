// Long text made such that SentencePiece encodes it in linear time. Private to text/.
//
// SentencePiece joins neighboring unknown pieces by copying them, all again for each one more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece_model.h"

namespace attend::detail {

class LongText {
 public:
  // The bytes that `model` refers to must live as long.
  explicit LongText(const SentencePieceModel& model);

  // Text that has the same ids; mostly `text` itself. What is cut out lies inside a run of
  // characters that no piece has, which is one unknown id, however long it is: `storage` then holds
  // the text. Throws DataError for text of half a gigabyte and more.
  std::string_view shortened(std::string_view text, std::string& storage) const;

  // Whether the ids of `text` are those of its words(), each looked up by itself. Throws as
  // shortened().
  bool is_of_words(std::string_view text) const;
  // The words as the vocabulary writes them, "▁the", one after the other without anything between.
  std::string words(std::string_view text) const;

 private:
  bool is_known(std::string_view normalized) const;

  CharacterMap characters_;
  bool joins_words_;
  bool joins_characters_;
  bool removes_extra_spaces_;
  std::vector<bool> known_;  // by code point: whether a piece has it
};

}  // namespace attend::detail
