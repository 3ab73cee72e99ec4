// Byte-level byte-pair encoding (Radford et al. 2019): patterns split text into parts, and merges
// join the bytes of each part. Private to text/.
#pragma once

#include <array>
#include <optional>

#include "attend/text/byte_bpe/merges.h"
#include "attend/text/prefix_table.h"
#include "attend/text/split_pattern.h"
#include "attend/text/tokenizer_engine.h"
#include "attend/text/vocabulary.h"

namespace attend::detail {

// GPT-2's split of text: contractions; words, numbers and other characters, each with the space
// before; spaces.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class ByteBpe final : public TokenizerEngine {
 public:
  // Throws DataError, stating only the reason, for an invalid description: pieces that are not
  // letters of bytes, merges of missing pieces, a byte with neither a piece nor an unknown token.
  explicit ByteBpe(ByteBpeDescription description);

  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::vector<TokenSpan> spans(std::string_view text) const override;
  std::unique_ptr<TextDecoder> decoder() const override;
  TokenizerType type() const override { return TokenizerType::byte_bpe; }
  std::int32_t vocab_size() const override { return vocabulary_.size(); }
  SpecialTokens special() const override { return vocabulary_.special(); }
  const std::string& piece(std::int32_t id) const override { return vocabulary_.piece(id); }
  float score(std::int32_t id) const override { return scores_[static_cast<std::size_t>(id)]; }
  std::int32_t id(std::string_view piece) const override;
  bool is_control(std::int32_t id) const override { return vocabulary_.is_control(id); }
  bool begins_word(std::int32_t id) const override;
  std::string surface(std::int32_t id) const override {
    return is_unknown(id) ? piece(id) : bytes_of(id);
  }

  bool is_unknown(std::int32_t id) const { return vocabulary_.is_unknown(id); }
  // The bytes that a piece stands for.
  const std::string& bytes_of(std::int32_t id) const {
    return bytes_[static_cast<std::size_t>(id)];
  }
  bool has_prefix_space() const { return options_.prefix_space; }

 private:
  void read_pieces();
  // Calls part(text) between added pieces, added(id, text) for these.
  template <class Part, class Added>
  void split_off_added(std::string_view text, const Part& part, const Added& added) const;
  void encode_part(std::string_view text, std::vector<std::int32_t>& ids) const;
  // Appends the spans of a part of a text, which begins at `begin`.
  void append_spans(std::string_view part, std::size_t begin, std::vector<TokenSpan>& spans) const;
  void encode_bytes(std::string_view bytes, std::vector<std::int32_t>& ids) const;

  ByteBpeDescription options_;  // without vocabulary, merges and patterns
  Vocabulary vocabulary_;
  std::vector<SplitPattern> patterns_;
  std::vector<float> scores_;
  Merges merges_;
  std::vector<std::string> bytes_;  // of each piece
  std::array<std::int32_t, 256> byte_ids_{};
  std::unordered_map<std::string_view, std::int32_t> whole_;  // by bytes, where merges are ignored
  std::optional<PrefixTable> added_;
};

}  // namespace attend::detail
