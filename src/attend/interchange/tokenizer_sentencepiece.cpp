#include <fmt/format.h>

#include <algorithm>

#include "attend/core/quote.h"
#include "attend/core/utf8.h"
#include "attend/error.h"
#include "attend/interchange/base64.h"
#include "attend/interchange/tokenizer_models.h"

namespace attend::detail {
namespace {

constexpr std::string_view kMeta = "▁";
constexpr float kUnreached = -1e9f;  // score of a piece that no merge makes

// Spaces as meta symbols, two and more spaces as one, line ends as spaces.
void read_replace(TypedPart& part, SentencePieceDescription& description) {
  const ForeignPattern pattern = pattern_of(part);
  const std::string content = part.part.text("content");
  part.part.finish();
  const bool space = content == " " || content == kMeta;
  if (!pattern.is_expression && pattern.text == " " && content == kMeta) return;
  if (pattern.is_expression && pattern.text == R"(\n)" && space) return;  // a text is one line
  if (pattern.is_expression && pattern.text == " {2,}" && space) {
    description.remove_extra_spaces = true;
  } else {
    refuse_part(part);
  }
}

void read_text_normalizer(JsonObject& file, SentencePieceDescription& description) {
  for (TypedPart& part : parts_of(file, "normalizer", "normalizers")) {
    if (part.type == "Precompiled") {
      description.character_map = from_base64(part.part.text("precompiled_charsmap"));
      part.part.finish();
    } else if (part.type == "Replace") {
      read_replace(part, description);
    } else if (part.type == "Prepend") {
      require_text(part, "prepend", kMeta);
      description.dummy_prefix = true;
      part.part.finish();
    } else if (part.type == "Strip") {  // drops leading and trailing spaces
      require_flag(part, "strip_right", true, true);
      part.part.flag("strip_left", true);
      part.part.finish();
    } else {
      refuse_part(part);
    }
  }
}

void read_metaspace(TypedPart& part, SentencePieceDescription& description) {
  require_text(part, "replacement", kMeta);
  part.part.text("str_rep", kMeta);
  part.part.flag("split", true);
  const bool prefix = part.part.flag("add_prefix_space", true);
  const std::string scheme = part.part.text("prepend_scheme", prefix ? "always" : "never");
  if (scheme != "always" && scheme != "first" && scheme != "never")
    part.part.refuse("prepend_scheme", "always, first or never");
  description.dummy_prefix = scheme != "never";
  part.part.finish();
}

void read_spaces(JsonObject& file, SentencePieceDescription& description) {
  for (TypedPart& part : parts_of(file, "pre_tokenizer", "pretokenizers")) {
    if (part.type == "Metaspace") {
      read_metaspace(part, description);
    } else if (part.type == "WhitespaceSplit") {
      description.remove_extra_spaces = true;
    } else if (part.type == "Split") {
      // Parts end with a space, which merges never cross anyway.
      const ForeignPattern pattern = pattern_of(part);
      if (pattern.is_expression || pattern.text != " ") refuse_part(part);
      require_text(part, "behavior", "MergedWithPrevious");
      require_flag(part, "invert", false, false);
      part.part.finish();
    } else {
      refuse_part(part);
    }
  }
}

// All but the model itself.
SentencePieceDescription read_around(JsonObject& file, ModelType type) {
  SentencePieceDescription description{.type = type};
  description.dummy_prefix = description.remove_extra_spaces = false;
  read_spaces(file, description);
  read_text_normalizer(file, description);
  require_decoder(file, {"Metaspace", "Replace", "ByteFallback", "Fuse", "Strip"});
  return description;
}

PieceType type_of_piece(const std::string& piece, const ForeignVocabulary& vocabulary,
                        bool byte_fallback) {
  if (piece == vocabulary.special().unk) return PieceType::unknown;
  if (vocabulary.is_control(piece)) return PieceType::control;
  const bool is_byte = piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
  return byte_fallback && is_byte ? PieceType::byte : PieceType::normal;
}

Tokenizer make_sentencepiece(JsonObject& file, SentencePieceDescription description,
                             const ForeignVocabulary& vocabulary,
                             const std::vector<float>& scores) {
  description.special = vocabulary.special();
  if (description.special.unk.empty())
    throw DataError(fmt::format("{}: expected a model with an unknown token", file.where()));
  for (std::size_t i = 0; i < vocabulary.pieces().size(); ++i) {
    const std::string& piece = vocabulary.pieces()[i];
    const bool unreached = i < scores.size() && scores[i] == kUnreached;
    description.pieces.push_back(
        {piece, i < scores.size() ? scores[i] : 0.0f,
         unreached ? PieceType::unused
                   : type_of_piece(piece, vocabulary, description.byte_fallback)});
  }
  for (const std::int32_t id : vocabulary.added_text())
    description.pieces[static_cast<std::size_t>(id)].type = PieceType::user_defined;
  return Tokenizer::from_bytes(sentencepiece_bytes(description));
}

// A piece and its score, as Unigram lists them.
void add_scored_piece(const nlohmann::json& entry, ForeignVocabulary& vocabulary,
                      std::vector<float>& scores, const std::string& where) {
  const bool fits =
      entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number();
  if (!fits) throw DataError(fmt::format("{}: vocab: expected pieces with scores", where));
  vocabulary.add(entry[0].get<std::string>(), std::ssize(scores), where);
  scores.push_back(entry[1].get<float>());
}

// The score of each piece: its earliest merge ranks it. Characters need no merge; a longer piece
// that no merge makes occurs in no text.
std::vector<float> scores_of_merges(JsonObject& model, const ForeignVocabulary& vocabulary) {
  std::vector<float> scores(vocabulary.pieces().size(), 0.0f);
  float rank = 0;
  for (const auto& [left, right] : read_foreign_merges(model)) {
    const std::int32_t id = vocabulary.id(left + right);
    if (id < 0)
      throw DataError(fmt::format("{}: merges: {} is not in the vocabulary", model.where(),
                                  quote(left + right)));
    float& score = scores[static_cast<std::size_t>(id)];
    if (score == 0.0f) score = rank -= 1;
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::string& piece = vocabulary.pieces()[i];
    const bool is_text = type_of_piece(piece, vocabulary, true) == PieceType::normal;
    if (scores[i] == 0.0f && is_text && count_code_points(piece) > 1) scores[i] = kUnreached;
  }
  return scores;
}

}  // namespace

Tokenizer read_foreign_unigram(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                               const ForeignTemplate& marks) {
  SentencePieceDescription description = read_around(file, ModelType::unigram);
  std::vector<float> scores;
  for (const nlohmann::json& entry : model.list("vocab"))
    add_scored_piece(entry, vocabulary, scores, model.where());
  std::string unknown;
  if (model.find("unk_id") != nullptr)
    unknown = vocabulary.pieces()[static_cast<std::size_t>(
        model.integer("unk_id", 0, std::max<std::int64_t>(std::ssize(scores) - 1, 0)))];
  vocabulary.finish(unknown, marks);
  description.byte_fallback = model.flag("byte_fallback", false);
  model.finish();
  return make_sentencepiece(file, std::move(description), vocabulary, scores);
}

Tokenizer read_foreign_bpe(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                           const ForeignTemplate& marks) {
  SentencePieceDescription description = read_around(file, ModelType::bpe);
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(affix, "").empty()) model.refuse(affix, "none");
  if (model.find("dropout") != nullptr) model.refuse("dropout", "none");
  if (model.flag("ignore_merges", false)) model.refuse("ignore_merges", "false");
  // SentencePiece joins unknown neighbors, which byte fallback leaves none of.
  const bool fused = model.flag("fuse_unk", false) || model.flag("byte_fallback", false);
  if (!fused) model.refuse("fuse_unk", "true");
  vocabulary.add_all(model.at("vocab"), model.where() + ": vocab");
  vocabulary.finish(model.text("unk_token", ""), marks);
  description.byte_fallback = model.flag("byte_fallback", false);
  const std::vector<float> scores = scores_of_merges(model, vocabulary);
  model.finish();
  return make_sentencepiece(file, std::move(description), vocabulary, scores);
}

}  // namespace attend::detail
