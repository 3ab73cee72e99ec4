// Pieces of a SentencePiece model -> text. Private to text/.
#pragma once

#include "attend/text/sentencepiece/sentencepiece_engine.h"
#include "attend/text/waiting_bytes.h"

namespace attend::detail {

class SentencePieceDecoder final : public TextDecoder {
 public:
  // The engine must outlive this.
  explicit SentencePieceDecoder(const SentencePieceEngine& engine) : engine_(&engine) {}

  std::string add(std::int32_t id) override;
  std::string finish() override;

 private:
  std::string surface(std::int32_t id);

  const SentencePieceEngine* engine_;
  WaitingBytes bytes_{BrokenBytes::each};  // pending byte tokens
  std::vector<std::int32_t> held_;         // all ids, if only the whole text can be decoded
  bool begun_ = false;                     // a non-control id has been added
  bool at_start_ = true;                   // a space here is the one SentencePiece prepends
  bool took_space_ = false;                // the last token had it
  bool has_text_ = false;
};

}  // namespace attend::detail
