// SentencePiece as an engine. Private to text/.
#pragma once

#include <sentencepiece_processor.h>

#include <span>

#include "attend/text/long_text.h"
#include "attend/text/sentencepiece_model.h"
#include "attend/text/tokenizer_engine.h"

namespace attend::detail {

class SentencePieceEngine final : public TokenizerEngine {
 public:
  // `serialized` must outlive this. Throws DataError, stating only the reason.
  explicit SentencePieceEngine(std::string_view serialized);

  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::vector<TokenSpan> spans(std::string_view text) const override;
  std::unique_ptr<TextDecoder> decoder() const override;
  std::int32_t vocab_size() const override { return checked_.vocab_size(); }
  SpecialTokens special() const override;
  const std::string& piece(std::int32_t id) const override { return processor_.IdToPiece(id); }
  float score(std::int32_t id) const override { return processor_.GetScore(id); }
  std::int32_t id(std::string_view piece) const override;
  bool is_control(std::int32_t id) const override { return processor_.IsControl(id); }
  bool begins_word(std::int32_t id) const override;

  const SentencePieceModel& model() const { return checked_; }
  std::int32_t unknown() const { return processor_.unk_id(); }
  // The byte of a byte token.
  char byte_of(std::int32_t id) const;
  // The text of the ids as decoded by SentencePiece, for models that also map decoded text.
  std::string decode_all(std::span<const std::int32_t> ids) const;

 private:
  // Calls use(piece, copies): SentencePiece joins neighboring unknown words, which are so many.
  template <class Use>
  void for_pieces(std::string_view text, const Use& use) const;
  std::vector<std::int32_t> encode_words(std::string_view words) const;

  SentencePieceModel checked_;  // refers to the bytes
  LongText long_text_;
  sentencepiece::SentencePieceProcessor processor_;
  bool unknown_is_word_ = false;  // in word vocabularies, the unknown token includes a space
};

}  // namespace attend::detail
