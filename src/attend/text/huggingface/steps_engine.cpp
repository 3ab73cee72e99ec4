#include "attend/text/huggingface/steps_engine.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/huggingface/offset_trimming.h"
#include "attend/text/huggingface/piece_decoder.h"
#include "attend/text/sentencepiece/meta_symbol.h"

namespace attend::detail {
namespace {

constexpr const char* kWhereOfSteps = "its JSON";

std::vector<AddedPiece> checked_added(const std::vector<AddedPiece>& added,
                                      const Vocabulary& vocabulary) {
  for (const AddedPiece& piece : added) vocabulary.require(std::array{piece.id}, "an added piece");
  return added;
}

TokenizerType type_of_steps(const StepsDescription& d) {
  const auto works_on_bytes = [](const nlohmann::json& step) {
    return step["type"] == "ByteLevel";
  };
  if (d.model.type == PieceModelType::unigram) return TokenizerType::unigram;
  if (d.model.type == PieceModelType::wordpiece) return TokenizerType::wordpiece;
  return std::any_of(d.pre_tokenizer.begin(), d.pre_tokenizer.end(), works_on_bytes)
             ? TokenizerType::byte_bpe
             : TokenizerType::bpe;
}

class StepsDecoder final : public TextDecoder {
 public:
  StepsDecoder(const StepsEngine& engine, DecoderSteps steps)
      : engine_(&engine), steps_(std::move(steps)) {}

  std::string add(std::int32_t id) override {
    if (!engine_->is_written(id)) return "";
    std::string text;
    pass({engine_->written(id)}, 0, text);
    return text;
  }

  std::string finish() override {
    std::string text;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      steps_[i]->finish([&](DecodedString rest) { pass(std::move(rest), i + 1, text); });
    return text;
  }

 private:
  // Through all steps from one on.
  void pass(DecodedString token, std::size_t step, std::string& text) {
    if (step == steps_.size()) {
      text += token.text;
    } else {
      steps_[step]->add(std::move(token),
                        [&](DecodedString next) { pass(std::move(next), step + 1, text); });
    }
  }

  const StepsEngine* engine_;
  DecoderSteps steps_;
};

}  // namespace

StepsEngine::StepsEngine(StepsDescription d)
    : vocabulary_(std::move(d.vocabulary)),
      normalizers_(read_normalizers(d.normalizer, kWhereOfSteps)),
      pre_tokenizers_(read_pre_tokenizers(d.pre_tokenizer, kWhereOfSteps)),
      decoder_(std::move(d.decoder)),
      added_(added_tokens(d.added, false)),
      normalized_added_(added_tokens(d.added, true)),
      is_added_(vocabulary_.pieces().size()),
      type_(type_of_steps(d)),
      continuing_prefix_(d.model.type == PieceModelType::wordpiece ? d.model.continuing_prefix
                                                                   : ""),
      word_suffix_(d.model.word_suffix),
      trimming_(d.trimming),
      model_(make_piece_model(std::move(d.model), vocabulary_)) {
  read_decoders(decoder_, kWhereOfSteps);
  for (const AddedPiece& piece : d.added) {
    is_added_[static_cast<std::size_t>(piece.id)] = true;
    AlignedText text(vocabulary_.piece(piece.id));
    if (piece.normalized) normalize(text);
    if (piece.normalized) normalized_ids_.insert(piece.id);
    if (text.bytes() != vocabulary_.piece(piece.id)) written_[piece.id] = text.bytes();
  }
  // The original looks for the normalized string among those of its special tokens.
  std::unordered_set<std::string_view> left_out;
  for (const AddedPiece& piece : d.added)
    if (piece.special) left_out.insert(vocabulary_.piece(piece.id));
  for (const AddedPiece& piece : d.added)
    if (piece.special) written_special_[piece.id] = !left_out.contains(written(piece.id));
}

const std::string& StepsEngine::written(std::int32_t id) const {
  const auto found = written_.find(id);
  return found == written_.end() ? piece(id) : found->second;
}

AddedTokens StepsEngine::added_tokens(const std::vector<AddedPiece>& added, bool normalized) const {
  std::vector<AddedTokens::Entry> entries;
  for (const bool special : {true, false}) {
    for (const AddedPiece& piece : checked_added(added, vocabulary_)) {
      if (piece.special != special || piece.normalized != normalized) continue;
      AlignedText text(vocabulary_.piece(piece.id));
      if (normalized) normalize(text);
      entries.push_back({piece, std::string(text.bytes())});
    }
  }
  return AddedTokens(std::move(entries));
}

void StepsEngine::normalize(AlignedText& text) const {
  for (const NormalizerStep& step : normalizers_)
    if (!text.empty()) step(text);
}

CutText StepsEngine::cut(const AlignedText& original, SpecialText special) const {
  CutText result;
  for (const AddedTokens::Part& part : added_.cut(original.bytes(), special)) {
    AlignedText changed;
    changed.append(original, part.begin, part.end);
    std::vector<AddedTokens::Part> parts{{0, changed.size(), part.token}};
    if (part.token < 0) {
      normalize(changed);
      parts = normalized_added_.cut(changed.bytes(), special);
    }
    for (const AddedTokens::Part& inner : parts) {
      const std::size_t begin = result.text.size();
      result.text.append(changed, inner.begin, inner.end);
      result.parts.push_back({begin, result.text.size(), inner.token});
    }
  }
  for (const PreTokenizerStep& step : pre_tokenizers_) step(result);
  return result;
}

template <class Token>
void StepsEngine::for_tokens(const AlignedText& text, SpecialText special,
                             const Token& token) const {
  const CutText whole = cut(text, special);
  std::vector<PieceToken> pieces;
  for (const CutText::Part& part : whole.parts) {
    if (part.token >= 0) {
      token(part.token, whole.text.source(part.begin, part.end));
      continue;
    }
    pieces.clear();
    model_->cut(whole.text.bytes(part.begin, part.end), special, pieces);
    for (const PieceToken& piece : pieces)
      token(piece.id, whole.text.source(part.begin + piece.begin, part.begin + piece.end));
  }
}

std::vector<std::int32_t> StepsEngine::ids_of(const AlignedText& text, SpecialText special) const {
  std::vector<std::int32_t> ids;
  for_tokens(text, special, [&](std::int32_t id, AlignedText::Source) { ids.push_back(id); });
  return ids;
}

std::vector<TokenSpan> StepsEngine::spans_of(std::string_view text, SpecialText special) const {
  refuse_long_text(text.size());
  std::vector<TokenSpan> spans;
  for_tokens(AlignedText(text), special, [&](std::int32_t, AlignedText::Source source) {
    spans.push_back({source.begin, source.end});
  });
  return spans;
}

std::vector<std::int32_t> StepsEngine::encode(std::string_view text) const {
  refuse_long_text(text.size());
  return ids_of(AlignedText(text), SpecialText::as_text);
}

std::vector<std::int32_t> StepsEngine::encode_with_special(std::string_view text) const {
  refuse_long_text(text.size());
  return ids_of(AlignedText(text), SpecialText::as_tokens);
}

// Only what comes from the very beginning counts as the beginning of a text.
std::vector<std::int32_t> StepsEngine::encode_rest(std::string_view text) const {
  refuse_long_text(text.size());
  return ids_of(AlignedText(text, 1), SpecialText::as_text);
}

std::vector<TokenSpan> StepsEngine::spans(std::string_view text) const {
  return spans_of(text, SpecialText::as_text);
}

std::vector<TokenSpan> StepsEngine::spans_with_special(std::string_view text) const {
  return spans_of(text, SpecialText::as_tokens);
}

// An added token takes spaces of the text with it (lstrip, rstrip). The unknown token may be added,
// too, but mostly comes from the model.
std::string StepsEngine::text_of_token(std::int32_t id, std::string_view own) const {
  const std::string& name = piece(id);
  const std::size_t begin = std::min(own.find(name), own.size());
  const bool spells_it = begin < own.size() && is_blank(own.substr(0, begin)) &&
                         is_blank(own.substr(begin + name.size()));
  const bool from_model =
      !is_added_[static_cast<std::size_t>(id)] || (id == special().unk && !spells_it);
  if (from_model) return name;
  AlignedText text(own);
  if (normalized_ids_.contains(id)) normalize(text);
  return std::string(text.bytes());
}

void StepsEngine::trim(std::string_view text, std::span<const std::int32_t> ids,
                       std::span<TokenSpan> spans) const {
  if (trimming_ == OffsetTrimming::none) return;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    TokenSpan& span = spans[t];
    const std::string token = text_of_token(ids[t], text.substr(span.begin, span.end - span.begin));
    span = trimmed(text, token, span, trimming_, t == 0 || span.begin == 0);
  }
}

std::int32_t StepsEngine::id(std::string_view piece) const {
  const std::int32_t found = vocabulary_.find(piece);
  return found < 0 ? vocabulary_.special().unk : found;
}

bool StepsEngine::begins_word(std::int32_t id) const {
  const std::string& text = piece(id);
  if (!continuing_prefix_.empty()) return !text.starts_with(continuing_prefix_);
  if (type_ != TokenizerType::byte_bpe || is_added_[static_cast<std::size_t>(id)])
    return text.starts_with(kMetaSymbol) || text.starts_with(' ');
  const auto bytes = bytes_of_letters(text);
  return bytes && !bytes->empty() &&
         (bytes->front() == ' ' || (bytes->front() >= '\t' && bytes->front() <= '\r'));
}

std::string StepsEngine::surface(std::int32_t id) const {
  const std::string& text = piece(id);
  if (is_added_[static_cast<std::size_t>(id)]) return text;
  if (type_ == TokenizerType::byte_bpe) return bytes_of_letters(text).value_or(text);
  if (type_ == TokenizerType::wordpiece)
    return begins_word(id) ? " " + text : text.substr(continuing_prefix_.size());
  if (ends_word(id)) return text.substr(0, text.size() - word_suffix_.size()) + " ";
  const auto byte = byte_of_piece(text);
  return byte ? std::string(1, *byte) : with_spaces(text);
}

std::unique_ptr<TextDecoder> StepsEngine::decoder() const {
  return std::make_unique<StepsDecoder>(*this, read_decoders(decoder_, kWhereOfSteps));
}

}  // namespace attend::detail
