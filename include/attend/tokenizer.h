// Strings <-> ids: a SentencePiece model (Kudo & Richardson 2018), trained and applied inside the
// process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

// How text is cut into pieces: byte-pair merges (Sennrich et al. 2016), a unigram language model
// (Kudo 2018), characters, or whole words.
enum class TokenizerType { bpe, unigram, chars, word };

// What happens to text first. nfkc: Unicode compatibility composition; nmt_: also odd spaces and
// control characters; _cf: also lower-cased (case folding); identity: nothing.
enum class Normalization { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity };

struct TokenizerOptions {
  TokenizerType type = TokenizerType::bpe;
  int vocab_size =
      8000;  // with the four control pieces, and with the 256 bytes when there is byte_fallback
  float character_coverage = 1.0f;
  bool byte_fallback = false;
  Normalization normalization = Normalization::nmt_nfkc;
  bool pretokenized = false;
};

// The tokens of a vocabulary that stand for no text.
struct SpecialTokens {
  std::int32_t bos = -1;  // begins a sequence; -1: the vocabulary has none
  std::int32_t eos = -1;  // ends one
  std::int32_t pad = -1;  // fills up; never in a text
  std::int32_t unk = -1;  // what the vocabulary has no piece for
};

// Immutable and cheap to copy; all const functions may be called from several threads at once.
//
// A text is one line. Encoded and decoded it comes back as its normalization left it, with runs of
// spaces made one and those at the ends gone. A character (a word, for type word) without a piece
// becomes the unknown id, or its bytes with byte_fallback; the unknown id decodes to "⁇".
class Tokenizer {
 public:
  // Learns the pieces from `sentences`, which need not be in any order. Equal sentences and options
  // give equal bytes(), on any machine and with any number of threads. Throws DataError when there
  // is no text, ConfigError when the vocabulary size does not suit it (the message says which
  // would).
  static Tokenizer train(std::span<const std::string> sentences, const TokenizerOptions& options);

  // A serialized SentencePiece model: bytes() of another tokenizer, or a .model file with pad, unk,
  // bos and eos. Throws DataError, also for a model that is made to harm who uses it. Whether the
  // bytes are those that were saved is for the file that holds them to know.
  static Tokenizer from_bytes(std::string_view bytes);
  const std::string& bytes() const;

  // Without bos and eos, in time linear in the text, or nearly. Precondition: the text is UTF-8
  // (other bytes become U+FFFD). Throws DataError for text of half a gigabyte and more.
  std::vector<std::int32_t> encode(std::string_view text) const;

  // Always UTF-8, and one line: the ends of lines that bytes or pieces spell are spaces. pad, bos
  // and eos leave no trace. TextStream decodes a text that grows. Throws DataError for an id
  // outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  // The piece as it stands in the vocabulary: "▁the", "ing", "</s>", "<0xF0>". Throws DataError as
  // decode() does.
  const std::string& piece(std::int32_t id) const;
  // How the piece was rated when the vocabulary was trained; of byte-pair merges the earlier have
  // the higher score. Throws DataError as decode() does.
  float score(std::int32_t id) const;
  // The id of a piece; unk_id() when the vocabulary has no such piece.
  std::int32_t id(std::string_view piece) const;

  std::int32_t vocab_size() const;
  // 0, 1, 2, 3 in tokenizers trained here.
  std::int32_t pad_id() const;
  std::int32_t unk_id() const;
  std::int32_t bos_id() const;
  std::int32_t eos_id() const;
  SpecialTokens special_tokens() const { return {bos_id(), eos_id(), pad_id(), unk_id()}; }

  // A run of ids that belongs to one word.
  struct Word {
    std::string text;  // decoded; for a control id its piece
    std::int32_t begin = 0;
    std::int32_t end = 0;
  };
  // Cuts `ids` into words, so that attention can be shown per word: a piece that begins with the
  // meta symbol "▁" begins a word, a control id is a word of its own. The words cover `ids` in
  // order, without gaps.
  std::vector<Word> words(std::span<const std::int32_t> ids) const;

 private:
  friend class TextStream;
  struct Model;
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  void check(std::int32_t id) const;
  std::vector<std::int32_t> encode_words(std::string_view words) const;
  bool is_control(std::int32_t id) const;
  bool begins_word(std::int32_t id) const;

  std::shared_ptr<const Model> model_;
};

}  // namespace attend
#pragma GCC visibility pop
