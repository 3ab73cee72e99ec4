// Converts text to token ids and back, with a SentencePiece model (Kudo & Richardson 2018),
// WordPiece (Devlin et al. 2019) or byte-level BPE (Radford et al. 2019). Also trains tokenizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

namespace detail {
class TokenizerEngine;
}

// How text is split: byte-pair encoding (Sennrich et al. 2016), a unigram language model (Kudo
// 2018), characters, or words with SentencePiece; WordPiece as in BERT; byte-level BPE as in GPT-2,
// which has no unknown characters.
enum class TokenizerType { bpe, unigram, chars, word, wordpiece, byte_bpe };

// Normalization before splitting. nfkc: Unicode NFKC; nmt_: also normalizes unusual spaces and
// removes control characters; _cf: also folds case; identity: none.
enum class Normalization { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity };

struct TokenizerOptions {
  TokenizerType type = TokenizerType::bpe;
  int vocab_size = 8000;  // including the four special tokens, and the 256 bytes with byte_fallback
  float character_coverage = 1.0f;  // share of the characters that get a token, 0.98 .. 1
  bool byte_fallback = false;
  Normalization normalization = Normalization::nmt_nfkc;
  bool pretokenized = false;  // text has its words split by spaces, and is not normalized
  // Words that become one token each, such as the tag of back-translated text. They count in
  // vocab_size. Only for the SentencePiece types.
  std::vector<std::string> user_symbols = {};
};

// The special tokens of a vocabulary.
struct SpecialTokens {
  std::int32_t bos = -1;  // beginning of sequence; -1: none
  std::int32_t eos = -1;  // end of sequence
  std::int32_t pad = -1;  // padding; never part of a text
  std::int32_t unk = -1;  // unknown token
};

// The position of a token in a text: bytes [begin, end), always whole characters.
struct TokenSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What the string of a special token in a text is, such as "[SEP]" or "</s>": letters like others,
// or the token.
enum class SpecialText { as_text, as_tokens };

// Immutable and cheap to copy. All const functions may be called from several threads at once.
//
// A text is one line. Decoding an encoded text returns the normalized text, with runs of spaces
// merged and outer spaces removed; wordpiece sets the usual spaces around punctuation, and byte_bpe
// keeps all spaces unless the normalization is nmt_... A character without a token (for word and
// wordpiece, a word) becomes the unknown id, or its bytes with byte_fallback. The unknown id
// decodes to "⁇".
class Tokenizer {
 public:
  // Trains a tokenizer on `sentences`, in any order. Equal sentences and options give equal
  // bytes(), on any machine and with any number of threads. Throws DataError if there is no text,
  // ConfigError if the vocabulary size does not fit the text (the message suggests one).
  static Tokenizer train(std::span<const std::string> sentences, const TokenizerOptions& options);

  // Loads bytes() of another tokenizer, or the content of a SentencePiece .model file; the kind of
  // tokenizer is detected. Throws DataError for invalid bytes, malicious ones included. Cannot
  // detect every modification; the checksum of the containing file does.
  static Tokenizer from_bytes(std::string_view bytes);
  // The same in less time and memory, for a tokenizer that may never split text. What encode(),
  // spans(), id() and, for some models, decode() need is loaded and checked when one of them first
  // needs it, and they throw the DataError.
  static Tokenizer for_decoding(std::string_view bytes);
  // Loads and checks what for_decoding() left out. Throws DataError like from_bytes().
  void prepare() const;
  const std::string& bytes() const;

  // Returns ids without bos and eos, in roughly linear time. Precondition: the text is UTF-8 (other
  // bytes become U+FFFD). Throws DataError for text of half a gigabyte or more.
  // `special`: as_tokens only for text that may contain special tokens, as Hugging Face's
  // tokenizers read every text. Otherwise, no text has them.
  std::vector<std::int32_t> encode(std::string_view text,
                                   SpecialText special = SpecialText::as_text) const;

  // The ids of text that goes on after a special token. Some imported tokenizers put a space before
  // a text that they do not put here.
  std::vector<std::int32_t> encode_rest(std::string_view text) const;

  // The part of the text that each id of encode() stands for, without surrounding spaces unless it
  // is only spaces. Tokens that share a character, such as its bytes, all get the whole character.
  // A token that only marks the beginning of a word gets an empty span, or, with the tokenizer of a
  // tokenizer.json, the character after it.
  std::vector<TokenSpan> spans(std::string_view text,
                               SpecialText special = SpecialText::as_text) const;

  // Returns one line of valid UTF-8; line breaks spelled by bytes or tokens become spaces. pad, bos
  // and eos are dropped. Throws DataError for an id outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  // The token's string in the vocabulary: "▁the", "##ing", "Ġthe", "</s>", "<0xF0>". Throws
  // like decode().
  const std::string& piece(std::int32_t id) const;
  // The token's score from training; earlier byte-pair merges score higher; 0 for wordpiece. Throws
  // like decode().
  float score(std::int32_t id) const;
  // The id of a token; unk_id() if it is not in the vocabulary.
  std::int32_t id(std::string_view piece) const;

  std::int32_t vocab_size() const;
  // 0, 1, 2, 3 for tokenizers trained here; -1 if an imported vocabulary has no such token.
  std::int32_t pad_id() const;
  std::int32_t unk_id() const;
  std::int32_t bos_id() const;
  std::int32_t eos_id() const;
  const SpecialTokens& special_tokens() const;

  // The ids of one word.
  struct Word {
    std::string text;  // decoded, without the space before it; the string of a special token
    std::int32_t begin = 0;
    std::int32_t end = 0;
  };
  // Groups `ids` into words, to show attention by word. A token that begins with a space ("▁", "Ġ")
  // or, for wordpiece, without "##" begins a word; a special token is a word of its own. The words
  // cover `ids` in order, without gaps.
  std::vector<Word> words(std::span<const std::int32_t> ids) const;

 private:
  friend class TextStream;
  friend struct TokenPlaces;
  friend TokenizerType type_of(const Tokenizer& tokenizer);
  struct Model;
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  const detail::TokenizerEngine& engine() const;
  void check(std::int32_t id) const;

  std::shared_ptr<const Model> model_;
};

}  // namespace attend
#pragma GCC visibility pop
