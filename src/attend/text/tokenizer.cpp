#include "attend/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "attend/error.h"
#include "attend/text/meta_symbol.h"
#include "attend/text/sentencepiece_model.h"
#include "attend/text/sentencepiece_training.h"
#include "attend/text/text_stream.h"
#include "attend/text/tokenizer_model.h"

namespace attend {
namespace {

std::size_t count_meta(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(detail::kMetaSymbol); at != std::string_view::npos;
       at = text.find(detail::kMetaSymbol, at + detail::kMetaSymbol.size()))
    ++count;
  return count;
}

}  // namespace

Tokenizer::Model::Model(std::string_view serialized)
    : bytes(serialized), checked(detail::read_sentencepiece_model(bytes)), long_text(checked) {
  try {
    const auto status = processor.LoadFromSerializedProto(checked.loadable);
    if (!status.ok()) throw DataError(status.message());
  } catch (const DataError&) {
    throw;
  } catch (const std::exception& error) {  // from its trie builder
    throw DataError(error.what());
  }
  checked.loadable = {};
  unknown_is_word = checked.unknown_surface.starts_with(' ');
}

std::string Tokenizer::Model::decode_all(std::span<const std::int32_t> ids) const {
  std::vector<int> visible;
  for (const std::int32_t id : ids) {
    if (!processor.IsControl(id)) visible.push_back(id);
  }
  std::string text;
  const auto status = processor.Decode(visible, &text);
  if (!status.ok())
    throw DataError(
        fmt::format("tokenizer: cannot decode {} ids ({})", ids.size(), status.message()));
  if (!visible.empty() && visible.front() == processor.unk_id() && text.starts_with(' '))
    text.erase(0, 1);
  return text;
}

char Tokenizer::Model::byte_of(std::int32_t id) const {
  const std::string_view piece = checked.pieces[static_cast<std::size_t>(id)].text;  // "<0xF0>"
  return static_cast<char>(std::stoi(std::string(piece.substr(3, 2)), nullptr, 16));
}

Tokenizer Tokenizer::train(std::span<const std::string> sentences,
                           const TokenizerOptions& options) {
  return from_bytes(detail::train_sentencepiece(sentences, options));
}

Tokenizer Tokenizer::from_bytes(std::string_view bytes) {
  detail::silence_sentencepiece();
  std::shared_ptr<const Model> model;
  try {
    model = std::make_shared<const Model>(bytes);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("tokenizer: these {} bytes are not a SentencePiece model that can be used "
                    "({}); restore the file",
                    bytes.size(), error.what()));
  }
  const auto& processor = model->processor;
  if (std::min({processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()}) <
      0) {
    throw DataError(fmt::format(
        "tokenizer: expected a SentencePiece model with pad, unk, bos and eos, found the ids {}, "
        "{}, {}, {}; train it with all four",
        processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()));
  }
  return Tokenizer(std::move(model));
}

const std::string& Tokenizer::bytes() const { return model_->bytes; }
std::int32_t Tokenizer::vocab_size() const { return model_->processor.GetPieceSize(); }
std::int32_t Tokenizer::pad_id() const { return model_->processor.pad_id(); }
std::int32_t Tokenizer::unk_id() const { return model_->processor.unk_id(); }
std::int32_t Tokenizer::bos_id() const { return model_->processor.bos_id(); }
std::int32_t Tokenizer::eos_id() const { return model_->processor.eos_id(); }

void Tokenizer::check(std::int32_t id) const {
  if (id < 0 || id >= vocab_size())
    throw DataError(
        fmt::format("tokenizer: id {} is outside the vocabulary of {} pieces", id, vocab_size()));
}

const std::string& Tokenizer::piece(std::int32_t id) const {
  check(id);
  return model_->processor.IdToPiece(id);
}

float Tokenizer::score(std::int32_t id) const {
  check(id);
  return model_->processor.GetScore(id);
}

std::int32_t Tokenizer::id(std::string_view piece) const {
  return piece.empty() ? unk_id() : model_->processor.PieceToId(piece);
}

bool Tokenizer::is_control(std::int32_t id) const {
  check(id);
  return model_->processor.IsControl(id);
}

bool Tokenizer::begins_word(std::int32_t id) const {
  return id == unk_id() ? model_->unknown_is_word : piece(id).starts_with(detail::kMetaSymbol);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  if (model_->long_text.is_of_words(text)) return encode_words(model_->long_text.words(text));
  std::string storage;
  text = model_->long_text.shortened(text, storage);
  sentencepiece::ImmutableSentencePieceText pieces;
  const auto status = model_->processor.Encode(text, pieces.mutable_proto());
  if (!status.ok())
    throw DataError(fmt::format("tokenizer: cannot encode {} bytes of text ({})", text.size(),
                                status.message()));
  std::vector<std::int32_t> ids;
  ids.reserve(pieces.pieces_size());
  for (int i = 0; i < static_cast<int>(pieces.pieces_size()); ++i) {
    const auto piece = pieces.pieces(i);
    const auto id = static_cast<std::int32_t>(piece.id());
    // SentencePiece joins neighboring unknown pieces; unknown words stay separate here.
    const std::size_t copies = id == unk_id() && model_->unknown_is_word
                                   ? std::max<std::size_t>(count_meta(piece.piece()), 1)
                                   : 1;
    ids.insert(ids.end(), copies, id);
  }
  return ids;
}

std::vector<std::int32_t> Tokenizer::encode_words(std::string_view words) const {
  std::vector<std::int32_t> ids;
  while (!words.empty()) {
    const std::string_view word =
        words.substr(0, words.find(detail::kMetaSymbol, detail::kMetaSymbol.size()));
    words.remove_prefix(word.size());
    const std::int32_t word_id = id(word);
    const bool joined =
        word_id == unk_id() && !model_->unknown_is_word && !ids.empty() && ids.back() == word_id;
    if (!joined) ids.push_back(word_id);
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  TextStream stream(*this);
  std::string text;
  for (const std::int32_t id : ids) text += stream.add(id);
  return text + stream.finish();
}

TokenizerType type_of(const Tokenizer& tokenizer) {
  switch (detail::read_sentencepiece_model(tokenizer.bytes()).type) {
    case detail::ModelType::unigram:
      return TokenizerType::unigram;
    case detail::ModelType::bpe:
      return TokenizerType::bpe;
    case detail::ModelType::chars:
      return TokenizerType::chars;
    case detail::ModelType::word:
      break;
  }
  return TokenizerType::word;
}

std::vector<Tokenizer::Word> Tokenizer::words(std::span<const std::int32_t> ids) const {
  std::vector<Word> words;
  const auto count = static_cast<std::int32_t>(ids.size());
  for (std::int32_t begin = 0; begin < count;) {
    std::int32_t end = begin + 1;
    if (is_control(ids[begin])) {
      words.push_back({piece(ids[begin]), begin, end});
    } else {
      while (end < count && !is_control(ids[end]) && !begins_word(ids[end])) ++end;
      words.push_back({decode(ids.subspan(begin, end - begin)), begin, end});
    }
    begin = end;
  }
  return words;
}

}  // namespace attend
