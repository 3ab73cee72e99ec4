#include "attend/text/sentencepiece/sentencepiece_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "attend/core/strings/unicode.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/meta_symbol.h"
#include "attend/text/sentencepiece/sentencepiece_decoder.h"
#include "attend/text/sentencepiece/sentencepiece_logging.h"

namespace attend::detail {
namespace {

std::size_t count_meta(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(kMetaSymbol); at != std::string_view::npos;
       at = text.find(kMetaSymbol, at + kMetaSymbol.size()))
    ++count;
  return count;
}

// So many words of a part of the text, of which the last one has the rest.
void append_words(std::string_view text, TokenSpan part, std::size_t count,
                  std::vector<TokenSpan>& spans) {
  const std::vector<std::string_view> words =
      unicode::split(text.substr(part.begin, part.end - part.begin));
  for (std::size_t i = 0; i < count; ++i) {
    TokenSpan span = part;
    if (i < words.size()) span.begin = static_cast<std::size_t>(words[i].data() - text.data());
    if (i + 1 < std::min(count, words.size())) span.end = span.begin + words[i].size();
    spans.push_back(span);
  }
}

}  // namespace

SentencePieceEngine::SentencePieceEngine(std::string_view serialized)
    : serialized_(serialized),
      checked_(read_sentencepiece_model(serialized)),
      special_(special_tokens(checked_)),
      long_text_(checked_),
      is_reordered_(checked_.first_unknown_piece != SentencePieceModel{}.first_unknown_piece),
      unknown_is_word_(checked_.unknown_surface.starts_with(' ')) {
  if (unknown() < 0 || unknown() >= vocab_size())
    throw DataError("no piece of its vocabulary stands for what is unknown");
}

void SentencePieceEngine::load() const {
  silence_sentencepiece();
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  try {
    const auto status = processor->LoadFromSerializedProto(loadable_part(serialized_));
    if (status.ok()) {
      processor_ = std::move(processor);
    } else {
      failure_ = status.message();
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // from its trie builder
    failure_ = error.what();
  }
}

void SentencePieceEngine::prepare() const {
  if (!loaded_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(loading_);
    if (!loaded_.load(std::memory_order_relaxed)) load();
    loaded_.store(true, std::memory_order_release);
  }
  if (processor_ == nullptr) throw DataError(failure_);
}

TokenizerType SentencePieceEngine::type() const {
  switch (checked_.type) {
    case ModelType::unigram:
      return TokenizerType::unigram;
    case ModelType::bpe:
      return TokenizerType::bpe;
    case ModelType::chars:
      return TokenizerType::chars;
    case ModelType::word:
      break;
  }
  return TokenizerType::word;
}

const sentencepiece::SentencePieceProcessor& SentencePieceEngine::processor() const {
  try {
    prepare();
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("tokenizer: it cannot be used ({}); restore the file", error.what()));
  }
  return *processor_;
}

std::string SentencePieceEngine::decode_all(std::span<const std::int32_t> ids) const {
  std::vector<int> visible;
  for (const std::int32_t id : ids) {
    if (!is_control(id)) visible.push_back(id);
  }
  std::string text;
  const auto status = processor().Decode(visible, &text);
  if (!status.ok())
    throw DataError(
        fmt::format("tokenizer: cannot decode {} ids ({})", ids.size(), status.message()));
  if (!visible.empty() && visible.front() == unknown() && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

char SentencePieceEngine::byte_of(std::int32_t id) const {
  const std::string_view piece = entry(id).text;  // "<0xF0>"
  return static_cast<char>(std::stoi(std::string(piece.substr(3, 2)), nullptr, 16));
}

std::int32_t SentencePieceEngine::id(std::string_view piece) const {
  const std::int32_t found = piece.empty() ? unknown() : processor().PieceToId(piece);
  return found < vocab_size() ? found : unknown();
}

bool SentencePieceEngine::begins_word(std::int32_t id) const {
  return id == unknown() ? unknown_is_word_ : piece(id).starts_with(kMetaSymbol);
}

std::vector<std::int32_t> SentencePieceEngine::encode(std::string_view text) const {
  if (text.empty()) return {};  // without what splits text
  if (long_text_.is_of_words(text)) return encode_words(long_text_.words(text));
  std::string storage;
  text = long_text_.shortened(text, storage);
  std::vector<std::int32_t> ids;
  for (const CutPiece& piece : cut(text))
    ids.insert(ids.end(), piece.copies, piece.id < vocab_size() ? piece.id : unknown());
  return ids;
}

std::vector<SentencePieceEngine::CutPiece> SentencePieceEngine::cut(std::string_view text) const {
  sentencepiece::ImmutableSentencePieceText pieces;
  const auto status = processor().Encode(text, pieces.mutable_proto());
  if (!status.ok())
    throw DataError(fmt::format("tokenizer: cannot encode {} bytes of text ({})", text.size(),
                                status.message()));
  std::vector<CutPiece> result;
  std::string run;  // of neighbors that the model does not know, whose piece is the last one
  const auto end_run = [&] {
    if (run.empty()) return;
    const std::int32_t whole = id(run);
    result.back().id = entry(whole).stands_in ? whole : unknown();
    run.clear();
  };
  for (int i = 0; i < static_cast<int>(pieces.pieces_size()); ++i) {
    const auto piece = pieces.pieces(i);
    const auto found = static_cast<std::int32_t>(piece.id());
    const bool is_known = found != unknown() && !entry(found).stands_in;
    if (is_known || !is_reordered_) {
      end_run();
      const bool words = found == unknown() && unknown_is_word_;
      result.push_back({found, piece.begin(), piece.end(),
                        words ? std::max<std::size_t>(count_meta(piece.piece()), 1) : 1});
      continue;
    }
    if (run.empty()) result.push_back({found, piece.begin(), piece.end()});
    run += piece.piece();
    result.back().end = piece.end();
  }
  end_run();
  return result;
}

// The bytes of a character have its place at the last one.
std::vector<TokenSpan> SentencePieceEngine::spans(std::string_view text) const {
  refuse_long_text(text.size());
  std::vector<TokenSpan> spans;
  std::size_t waiting = 0;  // bytes of a character that goes on
  for (const CutPiece& piece : cut(text)) {
    const TokenSpan span{piece.begin, piece.end};
    if (piece.copies > 1) {
      append_words(text, span, piece.copies, spans);
    } else {
      spans.push_back(span);
    }
    const bool byte = entry(piece.id).type == PieceType::byte;
    if (byte && span.begin == span.end) {
      ++waiting;
      continue;
    }
    if (byte) std::fill(spans.end() - static_cast<std::ptrdiff_t>(waiting) - 1, spans.end(), span);
    waiting = 0;
  }
  return spans;
}

std::vector<std::int32_t> SentencePieceEngine::encode_words(std::string_view words) const {
  std::vector<std::int32_t> ids;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(kMetaSymbol, kMetaSymbol.size()));
    words.remove_prefix(word.size());
    const std::int32_t word_id = id(word);
    const bool joined =
        word_id == unknown() && !unknown_is_word_ && !ids.empty() && ids.back() == word_id;
    if (!joined) ids.push_back(word_id);
  }
  return ids;
}

std::string SentencePieceEngine::surface(std::int32_t id) const {
  if (entry(id).type == PieceType::byte) return {byte_of(id)};
  if (entry(id).type == PieceType::unknown) return std::string(checked_.unknown_surface);
  return with_spaces(entry(id).text);
}

std::unique_ptr<TextDecoder> SentencePieceEngine::decoder() const {
  return std::make_unique<SentencePieceDecoder>(*this);
}

}  // namespace attend::detail
