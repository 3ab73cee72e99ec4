// SentencePiece models in a tokenizer.json: Unigram, and BPE on characters.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/base64.h"
#include "attend/interchange/writing/tokenizer_writing_parts.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"

namespace attend::detail {
namespace {

using PieceJson = nlohmann::json;

constexpr const char* kMetaSymbol = "▁";
constexpr double kNeverChosen = -1e9;  // the score of pieces that are in no text

PieceJson sequence(const char* list, const PieceJson& parts) {
  if (parts.empty()) return nullptr;
  return parts.size() == 1 ? parts.front() : PieceJson{{"type", "Sequence"}, {list, parts}};
}

PieceJson normalizer_of(const ModelNormalizer& normalizer) {
  PieceJson parts = PieceJson::array();
  if (!normalizer.map_bytes.empty())
    parts.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(normalizer.map_bytes)}});
  if (normalizer.remove_extra_spaces) {
    parts.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    parts.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  }
  return sequence("normalizers", parts);
}

PieceJson metaspace(bool prefix) {
  return {{"type", "Metaspace"},
          {"replacement", kMetaSymbol},
          {"prepend_scheme", prefix ? "always" : "never"},
          {"split", true}};
}

PieceJson decoder_of(const SentencePieceModel& model) {
  const bool prefix = model.normalizer.dummy_prefix;
  if (!model.byte_fallback) return metaspace(prefix);
  PieceJson parts = PieceJson::array();
  parts.push_back({{"type", "Replace"}, {"pattern", {{"String", kMetaSymbol}}}, {"content", " "}});
  parts.push_back({{"type", "ByteFallback"}});
  parts.push_back({{"type", "Fuse"}});
  if (prefix) parts.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return sequence("decoders", parts);
}

PieceJson unigram_of(const SentencePieceModel& model, std::int32_t unknown) {
  PieceJson pieces = PieceJson::array();
  for (const ModelPiece& piece : model.pieces)
    pieces.push_back(
        {piece.text, piece.type == PieceType::unused ? kNeverChosen : double{piece.score}});
  return {{"type", "Unigram"},
          {"unk_id", unknown},
          {"vocab", pieces},
          {"byte_fallback", model.byte_fallback}};
}

// Every pair of pieces that joins to a piece, the highest score first.
PieceJson merges_of(const SentencePieceModel& model) {
  std::unordered_set<std::string_view> sides;
  std::vector<const ModelPiece*> joined;
  for (const ModelPiece& piece : model.pieces) {
    if (piece.type != PieceType::normal) continue;
    sides.insert(piece.text);
    joined.push_back(&piece);
  }
  std::stable_sort(joined.begin(), joined.end(),
                   [](const ModelPiece* a, const ModelPiece* b) { return a->score > b->score; });
  PieceJson merges = PieceJson::array();
  for (const ModelPiece* piece : joined) {
    const std::string_view text = piece->text;
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const std::string_view left = text.substr(0, cut), right = text.substr(cut);
      if (sides.contains(left) && sides.contains(right))
        merges.push_back(std::string(left) + " " + std::string(right));
    }
  }
  return merges;
}

PieceJson bpe_of(const SentencePieceModel& model, const std::vector<std::string>& pieces,
                 const std::string& unknown) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", unknown},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", model.byte_fallback},
          {"ignore_merges", false},
          {"vocab", vocabulary_json(pieces)},
          {"merges", merges_of(model)}};
}

void require_writable(const SentencePieceModel& model) {
  if (model.type == ModelType::word)
    refuse_to_write(option_text("whole words ({} word)", as_flag("tokenizer")));
  if (model.denormalizes) refuse_to_write("a map of characters for decoding");
  if (model.spaces_end_words) refuse_to_write("spaces that end words");
  if (!model.normalizer.escape_spaces) refuse_to_write("spaces that stay spaces");
  if (model.first_unknown_piece < model.pieces.size()) refuse_to_write("pieces without an id");
  // Its programs look for added tokens before spaces become part of pieces.
  for (const ModelPiece& piece : model.pieces)
    if (piece.type == PieceType::user_defined && piece.text.starts_with(kMetaSymbol))
      refuse_to_write(option_text("words that are one token ({})", as_flag("user-symbols")));
}

}  // namespace

void write_foreign_sentencepiece(const Tokenizer& tokenizer, PieceJson& file) {
  const SentencePieceModel model = read_sentencepiece_model(tokenizer.bytes());
  require_writable(model);
  std::vector<std::string> pieces;
  std::map<std::int32_t, bool> added;
  for (const ModelPiece& piece : model.pieces) {
    const auto id = static_cast<std::int32_t>(pieces.size());
    if (piece.type == PieceType::control) added[id] = true;
    if (piece.type == PieceType::user_defined) added[id] = false;
    pieces.emplace_back(piece.text);
  }
  file["added_tokens"] = added_tokens_json(pieces, added);
  file["normalizer"] = normalizer_of(model.normalizer);
  file["pre_tokenizer"] = metaspace(model.normalizer.dummy_prefix);
  file["decoder"] = decoder_of(model);
  file["model"] = model.type == ModelType::unigram
                      ? unigram_of(model, tokenizer.unk_id())
                      : bpe_of(model, pieces, tokenizer.piece(tokenizer.unk_id()));
}

}  // namespace attend::detail
