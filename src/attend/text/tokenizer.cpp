#include "attend/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe_training.h"
#include "attend/text/sentencepiece/sentencepiece_training.h"
#include "attend/text/text_stream.h"
#include "attend/text/token_places.h"
#include "attend/text/tokenizer_engine.h"
#include "attend/text/wordpiece/wordpiece_training.h"

namespace attend {

struct Tokenizer::Model {
  explicit Model(std::string_view serialized)
      : bytes(serialized), engine(detail::make_engine(bytes)), special(engine->special()) {}

  std::string bytes;
  std::unique_ptr<const detail::TokenizerEngine> engine;  // refers to `bytes`
  SpecialTokens special;
};

namespace {

TokenSpan without_spaces(std::string_view text, TokenSpan span) {
  TokenSpan kept{span.end, span.begin};
  for (std::size_t at = span.begin; at < span.end;) {
    const std::size_t begin = at;
    if (is_white_space(next_code_point(text, at))) continue;
    kept = {std::min(kept.begin, begin), at};
  }
  return kept.begin < kept.end ? kept : span;
}

}  // namespace

Tokenizer Tokenizer::train(std::span<const std::string> sentences,
                           const TokenizerOptions& options) {
  switch (options.type) {
    case TokenizerType::wordpiece:
      return from_bytes(detail::train_wordpiece(sentences, options));
    case TokenizerType::byte_bpe:
      return from_bytes(detail::train_byte_bpe(sentences, options));
    default:
      return from_bytes(detail::train_sentencepiece(sentences, options));
  }
}

namespace {

// What `load` returns. Its errors state only the reason.
template <class Load>
auto loaded(std::size_t bytes, const Load& load) {
  try {
    return load();
  } catch (const DataError& error) {
    throw DataError(fmt::format(
        "tokenizer: these {} bytes are not a tokenizer that can be used ({}); restore the file",
        bytes, error.what()));
  }
}

}  // namespace

Tokenizer Tokenizer::from_bytes(std::string_view bytes) {
  Tokenizer tokenizer = for_decoding(bytes);
  tokenizer.prepare();
  return tokenizer;
}

Tokenizer Tokenizer::for_decoding(std::string_view bytes) {
  return loaded(bytes.size(), [&] { return Tokenizer(std::make_shared<const Model>(bytes)); });
}

void Tokenizer::prepare() const {
  loaded(bytes().size(), [this] { engine().prepare(); });
}

const detail::TokenizerEngine& Tokenizer::engine() const { return *model_->engine; }
const std::string& Tokenizer::bytes() const { return model_->bytes; }
std::int32_t Tokenizer::vocab_size() const { return engine().vocab_size(); }
const SpecialTokens& Tokenizer::special_tokens() const { return model_->special; }
std::int32_t Tokenizer::pad_id() const { return model_->special.pad; }
std::int32_t Tokenizer::unk_id() const { return model_->special.unk; }
std::int32_t Tokenizer::bos_id() const { return model_->special.bos; }
std::int32_t Tokenizer::eos_id() const { return model_->special.eos; }

void Tokenizer::check(std::int32_t id) const {
  if (id < 0 || id >= vocab_size())
    throw DataError(
        fmt::format("tokenizer: id {} is outside the vocabulary of {} pieces", id, vocab_size()));
}

const std::string& Tokenizer::piece(std::int32_t id) const {
  check(id);
  return engine().piece(id);
}

float Tokenizer::score(std::int32_t id) const {
  check(id);
  return engine().score(id);
}

std::int32_t Tokenizer::id(std::string_view piece) const { return engine().id(piece); }

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, SpecialText special) const {
  look_for_interruption();
  return special == SpecialText::as_text ? engine().encode(text)
                                         : engine().encode_with_special(text);
}

std::vector<TokenSpan> TokenPlaces::untrimmed(const Tokenizer& tokenizer, std::string_view text,
                                              SpecialText special) {
  const detail::TokenizerEngine& engine = tokenizer.engine();
  return special == SpecialText::as_text ? engine.spans(text) : engine.spans_with_special(text);
}

void TokenPlaces::trim(const Tokenizer& tokenizer, std::string_view text,
                       std::span<const std::int32_t> ids, std::span<TokenSpan> places) {
  tokenizer.engine().trim(text, ids, places);
}

std::vector<TokenSpan> Tokenizer::spans(std::string_view text, SpecialText special) const {
  std::vector<TokenSpan> spans = TokenPlaces::untrimmed(*this, text, special);
  for (TokenSpan& span : spans) span = without_spaces(text, span);
  return spans;
}

std::vector<std::int32_t> Tokenizer::encode_rest(std::string_view text) const {
  look_for_interruption();
  return engine().encode_rest(text);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  TextStream stream(*this);
  std::string text;
  for (const std::int32_t id : ids) text += stream.add(id);
  return text + stream.finish();
}

TokenizerType type_of(const Tokenizer& tokenizer) { return tokenizer.engine().type(); }

std::vector<Tokenizer::Word> Tokenizer::words(std::span<const std::int32_t> ids) const {
  for (const std::int32_t id : ids) check(id);
  std::vector<Word> words;
  const auto count = static_cast<std::int32_t>(ids.size());
  for (std::int32_t begin = 0; begin < count;) {
    std::int32_t end = begin + 1;
    if (engine().is_control(ids[begin])) {
      words.push_back({piece(ids[begin]), begin, end});
    } else {
      while (end < count && !engine().is_control(ids[end]) && !engine().begins_word(ids[end]) &&
             !engine().ends_word(ids[end - 1]))
        ++end;
      std::string text = decode(ids.subspan(begin, end - begin));
      if (text.size() > 1 && text.starts_with(' ')) text.erase(0, 1);
      words.push_back({std::move(text), begin, end});
    }
    begin = end;
  }
  return words;
}

}  // namespace attend
