// The implementation of a Tokenizer: one algorithm for splitting text into tokens and joining them.
// Private to text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/prefix_table.h"
#include "attend/tokenizer.h"

namespace attend::detail {

// All engines reject lines of this many bytes or more.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 29;
// Throws DataError for a line that is too long.
void refuse_long_text(std::size_t bytes);

// Decodes id by id. May be used again after finish().
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  // The text completed by this token. Precondition: the id is in the vocabulary.
  virtual std::string add(std::int32_t id) = 0;
  // Returns the rest.
  virtual std::string finish() = 0;
};

// Immutable; may be used from several threads at once. Ids given to it are in the vocabulary.
class TokenizerEngine {
 public:
  virtual ~TokenizerEngine() = default;

  // Loads and checks what encode(), spans(), id() and perhaps a decoder need; otherwise it is
  // loaded when it is first needed. Throws DataError, stating only the reason.
  virtual void prepare() const {}

  // Special tokens in the text are text. Throws DataError for text that is too long.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  // What each id of encode() stands for in the text, perhaps with spaces around it.
  virtual std::vector<TokenSpan> spans(std::string_view text) const = 0;
  // The same where the strings of special tokens are these tokens. By default, they cut the text
  // wherever they stand, and the parts between them are texts of their own.
  virtual std::vector<std::int32_t> encode_with_special(std::string_view text) const;
  virtual std::vector<TokenSpan> spans_with_special(std::string_view text) const;
  // Trims the spans of `ids`, which are a text or a part of it, as the post-processor of an
  // imported tokenizer does. By default, nothing is trimmed.
  virtual void trim(std::string_view text, std::span<const std::int32_t> ids,
                    std::span<TokenSpan> spans) const;
  // Text that goes on after a special token. By default, it is a text like others.
  virtual std::vector<std::int32_t> encode_rest(std::string_view text) const {
    return encode(text);
  }
  // The engine must outlive it.
  virtual std::unique_ptr<TextDecoder> decoder() const = 0;

  virtual TokenizerType type() const = 0;
  virtual std::int32_t vocab_size() const = 0;
  virtual SpecialTokens special() const = 0;
  virtual const std::string& piece(std::int32_t id) const = 0;
  virtual float score(std::int32_t id) const = 0;
  // The unknown id if there is no such piece.
  virtual std::int32_t id(std::string_view piece) const = 0;
  virtual bool is_control(std::int32_t id) const = 0;
  // The bytes of a token within a text, with the space before a word. Precondition: no control.
  virtual std::string surface(std::int32_t id) const = 0;
  virtual bool begins_word(std::int32_t id) const = 0;
  // Whether the next token begins a word, whatever it is.
  virtual bool ends_word(std::int32_t) const { return false; }

 private:
  // Calls part(text) between special tokens, token(id, text) for these.
  template <class Part, class Token>
  void cut_at_special(std::string_view text, const Part& part, const Token& token) const;
  const PrefixTable& special_strings() const;

  mutable std::once_flag has_special_strings_;
  mutable std::optional<PrefixTable> special_strings_;
};

// The engine for the bytes of a Tokenizer, which must outlive it. Throws DataError, stating only
// the reason.
std::unique_ptr<const TokenizerEngine> make_engine(std::string_view bytes);

}  // namespace attend::detail
