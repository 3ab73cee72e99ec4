// SentencePiece as an engine. Private to text/.
#pragma once

#include <sentencepiece_processor.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "attend/text/sentencepiece/long_text.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"
#include "attend/text/tokenizer_engine.h"

namespace attend::detail {

class SentencePieceEngine final : public TokenizerEngine {
 public:
  // `serialized` must outlive this. Throws DataError, stating only the reason.
  explicit SentencePieceEngine(std::string_view serialized);

  void prepare() const override;
  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::vector<TokenSpan> spans(std::string_view text) const override;
  std::unique_ptr<TextDecoder> decoder() const override;
  TokenizerType type() const override;
  std::int32_t vocab_size() const override { return checked_.vocab_size(); }
  SpecialTokens special() const override { return special_; }
  const std::string& piece(std::int32_t id) const override { return entry(id).text; }
  float score(std::int32_t id) const override { return entry(id).score; }
  std::int32_t id(std::string_view piece) const override;
  bool is_control(std::int32_t id) const override { return entry(id).type == PieceType::control; }
  bool begins_word(std::int32_t id) const override;
  std::string surface(std::int32_t id) const override;

  const SentencePieceModel& model() const { return checked_; }
  std::int32_t unknown() const { return special_.unk; }
  // The byte of a byte token.
  char byte_of(std::int32_t id) const;
  // The text of the ids as decoded by SentencePiece, for models that also map decoded text.
  std::string decode_all(std::span<const std::int32_t> ids) const;

 private:
  const ModelPiece& entry(std::int32_t id) const {
    return checked_.pieces[static_cast<std::size_t>(id)];
  }
  // The library's own form of the model, which takes most of the time to load. Throws DataError.
  const sentencepiece::SentencePieceProcessor& processor() const;
  void load() const;
  // A token of a text: bytes [begin, end). SentencePiece joins neighboring unknown words, which
  // then are so many copies.
  struct CutPiece {
    std::int32_t id;
    std::size_t begin, end;
    std::size_t copies = 1;
  };
  std::vector<CutPiece> cut(std::string_view text) const;
  std::vector<std::int32_t> encode_words(std::string_view words) const;

  std::string_view serialized_;
  SentencePieceModel checked_;  // refers to the bytes
  SpecialTokens special_;
  LongText long_text_;
  bool is_reordered_ = false;     // its vocabulary knows more than the model
  bool unknown_is_word_ = false;  // in word vocabularies, the unknown token includes a space
  // No std::once_flag: std::bad_alloc may leave load(), which then is tried again.
  mutable std::mutex loading_;
  mutable std::atomic<bool> loaded_ = false;  // what follows does not change any more
  mutable std::string failure_;               // why it could not be loaded
  mutable std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace attend::detail
