#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_models.h"
#include "attend/text/huggingface/piece_decoder.h"
#include "attend/text/huggingface/pre_tokenizers.h"
#include "attend/text/huggingface/text_normalizers.h"

namespace attend::detail {
namespace {

using StepJson = nlohmann::json;

constexpr const char* kMeta = "▁";

// The steps of the member, those of sequences one by one.
void add_steps(const StepJson& step, const char* list_of_sequence, const std::string& where,
               StepJson& steps) {
  JsonObject part(step, where);
  if (part.text("type") != "Sequence") {
    steps.push_back(step);
    return;
  }
  for (const StepJson& element : part.list(list_of_sequence))
    add_steps(element, list_of_sequence, where, steps);
  part.finish();
}

StepJson steps_of(JsonObject& file, const char* name, const char* list_of_sequence) {
  StepJson steps = StepJson::array();
  if (const StepJson* const member = file.find(name))
    add_steps(*member, list_of_sequence, fmt::format("{}: {}", file.where(), name), steps);
  return steps;
}

// Older files say add_prefix_space. The library refuses it beside another scheme.
void modernize_metaspace(StepJson& steps, const std::string& where) {
  for (StepJson& step : steps) {
    if (step["type"] != "Metaspace") continue;
    JsonObject part(step, where);
    part.text("type");
    const std::string meta = part.text("replacement", kMeta);
    part.text("str_rep", meta);
    const bool prefix = part.flag("add_prefix_space", true), split = part.flag("split", true);
    const std::string scheme = part.text("prepend_scheme", prefix ? "always" : "never");
    if (!prefix && scheme == "always") part.refuse("prepend_scheme", "first or never");
    part.finish();
    step = {{"type", "Metaspace"},
            {"replacement", meta},
            {"prepend_scheme", prefix ? scheme : "never"},
            {"split", split}};
  }
}

// A file without a decoder gets the one that goes with the pieces.
StepJson usual_decoder(const StepsDescription& d) {
  for (const StepJson& step : d.pre_tokenizer)
    if (step["type"] == "ByteLevel" || step["type"] == "Metaspace") return StepJson::array({step});
  if (d.model.type != PieceModelType::wordpiece) return StepJson::array();
  return StepJson::array(
      {{{"type", "WordPiece"}, {"prefix", d.model.continuing_prefix}, {"cleanup", true}}});
}

void read_steps_around(JsonObject& file, StepsDescription& d) {
  d.normalizer = steps_of(file, "normalizer", "normalizers");
  d.pre_tokenizer = steps_of(file, "pre_tokenizer", "pretokenizers");
  d.decoder = steps_of(file, "decoder", "decoders");
  modernize_metaspace(d.pre_tokenizer, file.where() + ": pre_tokenizer");
  modernize_metaspace(d.decoder, file.where() + ": decoder");
  if (d.decoder.empty()) d.decoder = usual_decoder(d);
  // The same checks as the engine's, in the words of this file.
  read_normalizers(d.normalizer, file.where() + ": normalizer");
  read_pre_tokenizers(d.pre_tokenizer, file.where() + ": pre_tokenizer");
  read_decoders(d.decoder, file.where() + ": decoder");
}

std::int32_t side_of_merge(const ForeignVocabulary& vocabulary, const std::string& piece,
                           const std::string& where) {
  const std::int32_t id = vocabulary.id(piece);
  if (id < 0)
    throw DataError(fmt::format("{}: merges: {} is not in the vocabulary", where, quote(piece)));
  return id;
}

// ["a b"] or [["a", "b"]].
std::pair<std::string, std::string> sides_of(const StepJson& merge, const std::string& where) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  const std::string text = merge.is_string() ? merge.get<std::string>() : "";
  const std::size_t space = text.find(' ');
  if (space == text.npos || text.find(' ', space + 1) != text.npos)
    throw DataError(fmt::format("{}: merges: expected two pieces, found {}", where, quote(text)));
  return {text.substr(0, space), text.substr(space + 1)};
}

// A piece and its score, as Unigram lists them.
void add_scored_piece(const StepJson& entry, ForeignVocabulary& vocabulary,
                      std::vector<double>& scores, const std::string& where) {
  const bool fits =
      entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number();
  if (!fits) throw DataError(fmt::format("{}: vocab: expected pieces with scores", where));
  vocabulary.add(entry[0].get<std::string>(), std::ssize(scores), where);
  scores.push_back(entry[1].get<double>());
}

PieceModelDescription read_unigram(JsonObject& model, ForeignVocabulary& vocabulary,
                                   const ForeignTemplate& marks) {
  // The library trims the text of unknown tokens there, as normalization leaves it.
  if (marks.trimming != OffsetTrimming::none)
    throw DataError(fmt::format("{}: Unigram is not supported beside trim_offsets", model.where()));
  PieceModelDescription d{.type = PieceModelType::unigram};
  for (const StepJson& entry : model.list("vocab"))
    add_scored_piece(entry, vocabulary, d.scores, model.where());
  if (model.find("unk_id") == nullptr)
    throw DataError(
        fmt::format("{}: expected a model with an unknown token (unk_id)", model.where()));
  d.unknown = static_cast<std::int32_t>(
      model.integer("unk_id", 0, std::max<std::int64_t>(std::ssize(d.scores) - 1, 0)));
  d.byte_fallback = model.flag("byte_fallback", false);
  if (d.scores.empty()) model.refuse("vocab", "pieces with scores");
  const std::string unknown = vocabulary.pieces()[static_cast<std::size_t>(d.unknown)];
  vocabulary.finish(unknown, marks);
  return d;
}

// The id of the model's unknown token.
std::int32_t finish_with_unknown(JsonObject& model, const std::string& unknown,
                                 ForeignVocabulary& vocabulary, const ForeignTemplate& marks) {
  vocabulary.add_all(model.at("vocab"), model.where() + ": vocab");
  if (!unknown.empty() && vocabulary.id(unknown) < 0)
    throw DataError(
        fmt::format("{}: unk_token: {} is not in the vocabulary", model.where(), quote(unknown)));
  vocabulary.finish(unknown, marks);
  return unknown.empty() ? -1 : vocabulary.id(unknown);
}

PieceModelDescription read_bpe(JsonObject& model, ForeignVocabulary& vocabulary,
                               const ForeignTemplate& marks) {
  PieceModelDescription d{.type = PieceModelType::bpe};
  if (model.find("dropout") != nullptr && model.at("dropout") != 0) model.refuse("dropout", "none");
  d.unknown = finish_with_unknown(model, model.text("unk_token", ""), vocabulary, marks);
  d.byte_fallback = model.flag("byte_fallback", false);
  d.fuse_unknown = model.flag("fuse_unk", false);
  d.ignore_merges = model.flag("ignore_merges", false);
  d.continuing_prefix = model.text("continuing_subword_prefix", "");
  d.word_suffix = model.text("end_of_word_suffix", "");
  for (const StepJson& merge : model.list("merges")) {
    const auto [left, right] = sides_of(merge, model.where());
    d.merges.emplace_back(side_of_merge(vocabulary, left, model.where()),
                          side_of_merge(vocabulary, right, model.where()));
  }
  return d;
}

PieceModelDescription read_wordpiece(JsonObject& model, ForeignVocabulary& vocabulary,
                                     const ForeignTemplate& marks) {
  PieceModelDescription d{.type = PieceModelType::wordpiece};
  d.unknown = finish_with_unknown(model, model.text("unk_token", "[UNK]"), vocabulary, marks);
  d.continuing_prefix = model.text("continuing_subword_prefix", "##");
  if (model.find("max_input_chars_per_word") != nullptr)
    d.longest_word = model.integer("max_input_chars_per_word", 1, 1 << 20);
  return d;
}

// Older files do not name the type of their model.
std::string type_of(JsonObject& model) {
  if (model.find("type") != nullptr) return model.text("type");
  if (model.find("merges") != nullptr) return "BPE";
  return model.find("unk_id") != nullptr ? "Unigram" : "WordPiece";
}

PieceModelDescription read_model(JsonObject& model, ForeignVocabulary& vocabulary,
                                 const ForeignTemplate& marks) {
  const std::string type = type_of(model);
  if (type == "WordPiece") return read_wordpiece(model, vocabulary, marks);
  if (type == "Unigram") return read_unigram(model, vocabulary, marks);
  if (type == "BPE") return read_bpe(model, vocabulary, marks);
  throw DataError(fmt::format("{}: {} is not supported; WordPiece, BPE and Unigram are",
                              model.where(), quote(type)));
}

}  // namespace

Tokenizer read_foreign_steps(JsonObject& file, ForeignVocabulary& vocabulary,
                             const ForeignTemplate& marks) {
  JsonObject model = file.object("model");
  StepsDescription description{.vocabulary = {}};
  description.model = read_model(model, vocabulary, marks);
  model.finish();
  description.model.outside = vocabulary.outside_model();
  description.vocabulary = vocabulary.list();
  description.added = vocabulary.added_pieces();
  description.trimming = marks.trimming;
  read_steps_around(file, description);
  return Tokenizer::from_bytes(tokenizer_bytes(description));
}

}  // namespace attend::detail
