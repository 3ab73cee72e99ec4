// Rewrites long text so that SentencePiece encodes it in linear time. Private to text/.
//
// SentencePiece joins neighboring unknown pieces by copying, which is quadratic.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece/sentencepiece_model.h"

namespace attend::detail {

class LongText {
 public:
  // `model` must outlive this.
  explicit LongText(const SentencePieceModel& model);

  // Returns text with the same ids, usually `text` itself. It removes characters inside a run of
  // unknown characters, which is one unknown id at any length; `storage` then holds the result.
  // Throws DataError for text of half a gigabyte or more.
  std::string_view shortened(std::string_view text, std::string& storage) const;

  // Whether the ids of `text` are those of its words(), looked up one by one. Throws like
  // shortened().
  bool is_of_words(std::string_view text) const;
  // The words as spelled in the vocabulary, "▁the", concatenated.
  std::string words(std::string_view text) const;

 private:
  bool is_known(std::string_view normalized) const;
  void mark_known() const;

  const SentencePieceModel* model_;
  bool joins_words_;
  bool joins_characters_;
  // No std::once_flag: std::bad_alloc may leave mark_known(), which then is tried again.
  mutable std::mutex marking_;
  mutable std::atomic<bool> marked_ = false;
  mutable std::vector<bool> known_;  // by code point: whether it is in a piece; of long text only
};

}  // namespace attend::detail
