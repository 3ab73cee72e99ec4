#include "attend/text/sentencepiece/long_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/meta_symbol.h"

namespace attend::detail {
namespace {

// Shorter text is encoded directly.
constexpr std::size_t kShortText = 4096;
// Characters kept of a run of unknown ones, at its start and at its end, where they may combine
// with what follows.
constexpr std::size_t kKeptAtBegin = 1024;
constexpr std::size_t kKeptAtEnd = 64;
// SentencePiece counts bytes in 32 bits and needs about fifty times as much memory.
constexpr std::size_t kMostBytes = std::size_t{1} << 29;

constexpr std::size_t kCodePoints = 0x110000;

void refuse_length(std::size_t bytes) {
  if (bytes >= kMostBytes)
    throw DataError(fmt::format(
        "tokenizer: expected a line of less than {} bytes, found more; split it", kMostBytes));
}

// Whether each word has the id of its piece, and exactly spaces begin words.
bool words_are_pieces(const SentencePieceModel& model) {
  const ModelNormalizer& n = model.normalizer;
  const bool user_defined =
      std::any_of(model.pieces.begin(), model.pieces.end(),
                  [](const ModelPiece& piece) { return piece.type == PieceType::user_defined; });
  return model.type == ModelType::word && n.dummy_prefix && n.escape_spaces &&
         !model.spaces_end_words && !model.byte_fallback && !user_defined;
}

}  // namespace

LongText::LongText(const SentencePieceModel& model)
    : model_(&model),
      joins_words_(words_are_pieces(model)),
      joins_characters_(model.type != ModelType::word && !model.byte_fallback) {}

void LongText::mark_known() const {
  known_.resize(kCodePoints);
  for (const ModelPiece& piece : model_->pieces) {
    for (std::size_t at = 0; at < piece.text.size();)
      known_[next_code_point(piece.text, at)] = true;
  }
  std::size_t begin = 0;
  if (model_->normalizer.escape_spaces) known_[U' '] = known_[next_code_point(kMetaSymbol, begin)];
}

bool LongText::is_known(std::string_view normalized) const {
  if (!marked_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(marking_);
    if (!marked_.load(std::memory_order_relaxed)) mark_known();
    marked_.store(true, std::memory_order_release);
  }
  for (std::size_t at = 0; at < normalized.size();) {
    if (known_[next_code_point(normalized, at)]) return true;
  }
  return false;
}

// A run ends with the text or a known character. Spaces and deleted characters inside it do not
// count.
std::string_view LongText::shortened(std::string_view text, std::string& storage) const {
  if (text.size() < kShortText) return text;
  refuse_length(text.size());
  std::size_t copied = 0, normalized = 0, count = 0,
              kept = 0;  // end position in bytes; characters of the run; end of its kept start
  // Start positions of the last characters of the run, as a ring.
  std::array<std::size_t, kKeptAtEnd> last{};
  const auto end_run = [&] {
    if (count > kKeptAtBegin + kKeptAtEnd) {
      storage.append(text.substr(copied, kept - copied));
      copied = last[count % kKeptAtEnd];
    }
    count = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const CharacterMap::Prefix prefix = model_->characters.prefix(text.substr(at));
    normalized += prefix.normalized.size();
    if (!joins_characters_ || is_known(prefix.normalized)) {
      end_run();
    } else if (prefix.normalized.find_first_not_of(' ') != std::string_view::npos) {
      last[count % kKeptAtEnd] = at;
      if (++count == kKeptAtBegin) kept = at + prefix.length;
    }
    at += prefix.length;
  }
  end_run();
  refuse_length(normalized);
  if (copied == 0) return text;
  storage.append(text.substr(copied));
  return storage;
}

bool LongText::is_of_words(std::string_view text) const {
  if (text.size() < kShortText || !joins_words_) return false;
  refuse_length(text.size());
  return true;
}

// The text as normalized by SentencePiece.
std::string LongText::words(std::string_view text) const {
  std::string words;
  bool behind_space = model_->normalizer.remove_extra_spaces;
  while (!text.empty()) {
    const CharacterMap::Prefix prefix = model_->characters.prefix(text);
    std::string_view more = prefix.normalized;
    text.remove_prefix(prefix.length);
    if (behind_space) more.remove_prefix(std::min(more.find_first_not_of(' '), more.size()));
    if (more.empty()) continue;
    if (words.empty()) words = kMetaSymbol;
    for (const char c : more) c == ' ' ? words += kMetaSymbol : words += c;
    behind_space = model_->normalizer.remove_extra_spaces && more.ends_with(' ');
    refuse_length(words.size());
  }
  while (model_->normalizer.remove_extra_spaces && words.ends_with(kMetaSymbol))
    words.resize(words.size() - kMetaSymbol.size());
  return words;
}

}  // namespace attend::detail
