// A tokenizer of Hugging Face as an engine: added tokens cut the text, normalizers change the parts
// between them, pre-tokenizers cut these, and a model cuts what is left into pieces. Each step does
// what the one of the same name does there, to the id. Private to text/.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "attend/text/huggingface/added_tokens.h"
#include "attend/text/huggingface/piece_models.h"
#include "attend/text/huggingface/pre_tokenizers.h"
#include "attend/text/huggingface/text_normalizers.h"
#include "attend/text/tokenizer_engine.h"
#include "attend/text/vocabulary.h"

namespace attend::detail {

class StepsEngine final : public TokenizerEngine {
 public:
  // Throws DataError, stating only the reason.
  explicit StepsEngine(StepsDescription description);

  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::vector<TokenSpan> spans(std::string_view text) const override;
  std::vector<std::int32_t> encode_with_special(std::string_view text) const override;
  std::vector<TokenSpan> spans_with_special(std::string_view text) const override;
  void trim(std::string_view text, std::span<const std::int32_t> ids,
            std::span<TokenSpan> spans) const override;
  std::vector<std::int32_t> encode_rest(std::string_view text) const override;
  std::unique_ptr<TextDecoder> decoder() const override;
  TokenizerType type() const override { return type_; }
  std::int32_t vocab_size() const override { return vocabulary_.size(); }
  SpecialTokens special() const override { return vocabulary_.special(); }
  const std::string& piece(std::int32_t id) const override { return vocabulary_.piece(id); }
  float score(std::int32_t id) const override { return model_->score(id); }
  std::int32_t id(std::string_view piece) const override;
  bool is_control(std::int32_t id) const override { return vocabulary_.is_control(id); }
  bool begins_word(std::int32_t id) const override;
  bool ends_word(std::int32_t id) const override {
    return !word_suffix_.empty() && piece(id).ends_with(word_suffix_);
  }
  std::string surface(std::int32_t id) const override;

  // Whether decoding writes it. Special tokens are left out, also the unknown one, except for those
  // that normalization changes.
  bool is_written(std::int32_t id) const {
    const auto special = written_special_.find(id);
    return special == written_special_.end() ? !is_control(id) : special->second;
  }
  // What decoding makes text of: the piece, or an added token as normalization leaves it.
  const std::string& written(std::int32_t id) const;

 private:
  AddedTokens added_tokens(const std::vector<AddedPiece>& added, bool normalized) const;
  // Calls token(id, source) for each token of the text.
  template <class Token>
  void for_tokens(const AlignedText& text, SpecialText special, const Token& token) const;
  std::vector<std::int32_t> ids_of(const AlignedText& text, SpecialText special) const;
  std::vector<TokenSpan> spans_of(std::string_view text, SpecialText special) const;
  CutText cut(const AlignedText& text, SpecialText special) const;
  void normalize(AlignedText& text) const;
  // A token as the library has it, whose part of the text is `own`.
  std::string text_of_token(std::int32_t id, std::string_view own) const;

  Vocabulary vocabulary_;
  std::vector<NormalizerStep> normalizers_;
  std::vector<PreTokenizerStep> pre_tokenizers_;
  nlohmann::json decoder_;
  AddedTokens added_, normalized_added_;
  std::unordered_set<std::int32_t> normalized_ids_;
  std::vector<bool> is_added_;  // by id
  std::unordered_map<std::int32_t, bool> written_special_;
  std::unordered_map<std::int32_t, std::string> written_;  // where it differs from the piece
  TokenizerType type_;
  std::string continuing_prefix_, word_suffix_;
  OffsetTrimming trimming_;
  std::unique_ptr<const PieceModel> model_;
};

}  // namespace attend::detail
