// WordPiece as in BERT (Devlin et al. 2019): text is cleaned and split into words and punctuation,
// and each word into the longest known pieces, from left to right. Private to text/.
#pragma once

#include "attend/text/prefix_table.h"
#include "attend/text/tokenizer_engine.h"
#include "attend/text/vocabulary.h"

namespace attend::detail {

// Prefix of pieces that continue a word.
inline constexpr std::string_view kContinuation = "##";
// Longer words are unknown.
inline constexpr std::size_t kLongestWord = 100;  // characters

class WordPiece final : public TokenizerEngine {
 public:
  // Throws DataError, stating only the reason, for an invalid description, including one without an
  // unknown token.
  explicit WordPiece(WordPieceDescription description);

  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::vector<TokenSpan> spans(std::string_view text) const override;
  std::unique_ptr<TextDecoder> decoder() const override;
  TokenizerType type() const override { return TokenizerType::wordpiece; }
  std::int32_t vocab_size() const override { return vocabulary_.size(); }
  SpecialTokens special() const override { return vocabulary_.special(); }
  const std::string& piece(std::int32_t id) const override { return vocabulary_.piece(id); }
  float score(std::int32_t) const override { return 0; }
  std::int32_t id(std::string_view piece) const override;
  bool is_control(std::int32_t id) const override { return vocabulary_.is_control(id); }
  bool begins_word(std::int32_t id) const override { return !continues_word(id); }

  std::string surface(std::int32_t id) const override {
    return continues_word(id) ? piece(id).substr(kContinuation.size()) : " " + piece(id);
  }

  bool continues_word(std::int32_t id) const;
  bool is_unknown(std::int32_t id) const { return vocabulary_.is_unknown(id); }
  bool splits_punctuation() const { return options_.split_punctuation; }

 private:
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  WordPieceDescription options_;  // without the vocabulary
  Vocabulary vocabulary_;
  PrefixTable begins_,
      continues_;  // pieces that begin words, and pieces that continue them, without ##
};

}  // namespace attend::detail
