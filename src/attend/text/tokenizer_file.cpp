#include "attend/text/tokenizer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/core/options/number_range.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

using Json = nlohmann::json;

constexpr const char* kWhere = "its JSON";
constexpr std::int64_t kLongestWordOfAll = 1 << 20;

Json json_of(const SpecialTokens& special) {
  return {{"bos", special.bos}, {"eos", special.eos}, {"pad", special.pad}, {"unk", special.unk}};
}

SpecialTokens read_special(JsonObject members) {
  const auto id = [&](const char* name) {
    return static_cast<std::int32_t>(
        members.integer(name, -1, static_cast<std::int64_t>(kVocabularySizes.most)));
  };
  const SpecialTokens special{id("bos"), id("eos"), id("pad"), id("unk")};
  members.finish();
  return special;
}

Json json_of(const TextNormalization& normalization) {
  return {{"form", name_of(normalization.form)},
          {"fold_case", normalization.fold_case},
          {"clean_spaces", normalization.clean_spaces}};
}

TextNormalization read_normalization(JsonObject members) {
  TextNormalization normalization;
  const std::string form = members.text("form");
  const auto found = unicode_form(form);
  if (!found) throw DataError(fmt::format("the Unicode form {} is not known", quote(form)));
  normalization.form = *found;
  normalization.fold_case = members.flag("fold_case");
  normalization.clean_spaces = members.flag("clean_spaces");
  members.finish();
  return normalization;
}

Json json_of(const char* engine, const PieceList& list, const TextNormalization& normalization) {
  return {{"engine", engine},
          {"pieces", list.pieces},
          {"controls", list.controls},
          {"special", json_of(list.special)},
          {"normalization", json_of(normalization)}};
}

PieceList read_piece_list(JsonObject& members) {
  return {members.texts("pieces"), members.ids("controls"),
          read_special(members.object("special"))};
}

Json json_of(const std::vector<std::pair<std::int32_t, std::int32_t>>& merges) {
  std::vector<std::int32_t> sides;
  sides.reserve(2 * merges.size());
  for (const auto& [left, right] : merges) sides.insert(sides.end(), {left, right});
  return sides;
}

std::vector<std::pair<std::int32_t, std::int32_t>> read_merges(JsonObject& members) {
  const std::vector<std::int32_t> sides = members.ids("merges");
  if (sides.size() % 2 != 0) throw DataError("a merge has one side");
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;
  merges.reserve(sides.size() / 2);
  for (std::size_t i = 0; i < sides.size(); i += 2) merges.emplace_back(sides[i], sides[i + 1]);
  return merges;
}

WordPieceDescription read_wordpiece(JsonObject& members) {
  WordPieceDescription d{.vocabulary = read_piece_list(members),
                         .normalization = read_normalization(members.object("normalization"))};
  d.clean_text = members.flag("clean_text");
  d.cjk_blanks = members.flag("cjk_blanks");
  d.strip_accents = members.flag("strip_accents");
  d.lowercase = members.flag("lowercase");
  d.split_punctuation = members.flag("split_punctuation");
  return d;
}

ByteBpeDescription read_byte_bpe(JsonObject& members) {
  ByteBpeDescription d{.vocabulary = read_piece_list(members),
                       .normalization = read_normalization(members.object("normalization"))};
  d.added = members.ids("added");
  d.merges = read_merges(members);
  d.patterns = members.texts("patterns");
  d.prefix_space = members.flag("prefix_space");
  d.ignore_merges = members.flag("ignore_merges");
  return d;
}

constexpr const char* kTrimming = "trimming";
constexpr std::array<std::string_view, 3> kTrimmings{"none", "all", "all_but_one"};

constexpr std::array<std::string_view, 4> kModelTypes{"Unigram", "BPE", "WordPiece", "SubwordNmt"};

Json json_of(const AddedPiece& piece) {
  return {{"id", piece.id},
          {"special", piece.special},
          {"normalized", piece.normalized},
          {"single_word", piece.single_word},
          {"lstrip", piece.lstrip},
          {"rstrip", piece.rstrip}};
}

std::int32_t read_id(JsonObject& members, const char* name, std::int64_t least) {
  return static_cast<std::int32_t>(
      members.integer(name, least, static_cast<std::int64_t>(kVocabularySizes.most)));
}

AddedPiece read_added(JsonObject& members) {
  AddedPiece piece{.id = read_id(members, "id", 0)};
  piece.special = members.flag("special");
  piece.normalized = members.flag("normalized");
  piece.single_word = members.flag("single_word");
  piece.lstrip = members.flag("lstrip");
  piece.rstrip = members.flag("rstrip");
  members.finish();
  return piece;
}

bool has_prefix(PieceModelType type) {
  return type == PieceModelType::bpe || type == PieceModelType::wordpiece;
}

Json json_of(const PieceModelDescription& model) {
  Json json{{"type", kModelTypes[static_cast<std::size_t>(model.type)]},
            {"unknown", model.unknown},
            {"outside", model.outside},
            {"byte_fallback", model.byte_fallback}};
  if (model.type == PieceModelType::unigram) json["scores"] = model.scores;
  if (model.type == PieceModelType::bpe) {
    json["merges"] = json_of(model.merges);
    json["fuse_unknown"] = model.fuse_unknown;
    json["ignore_merges"] = model.ignore_merges;
    json["word_suffix"] = model.word_suffix;
  }
  if (model.type == PieceModelType::subword_nmt) {
    json["codes"] = model.codes;
    json["suffix_apart"] = model.suffix_apart;
    json["word_suffix"] = model.word_suffix;
  }
  if (has_prefix(model.type)) json["continuing_prefix"] = model.continuing_prefix;
  if (model.type == PieceModelType::wordpiece) json["longest_word"] = model.longest_word;
  return json;
}

PieceModelDescription read_piece_model(JsonObject members) {
  const std::string type = members.text("type");
  const auto found = std::find(kModelTypes.begin(), kModelTypes.end(), type);
  if (found == kModelTypes.end()) members.refuse("type", "Unigram, BPE, WordPiece or SubwordNmt");
  PieceModelDescription model{.type = static_cast<PieceModelType>(found - kModelTypes.begin())};
  model.unknown = read_id(members, "unknown", -1);
  model.outside = members.ids("outside");
  model.byte_fallback = members.flag("byte_fallback");
  if (model.type == PieceModelType::unigram) {
    for (const Json& score : members.list("scores")) {
      if (!score.is_number() || !std::isfinite(score.get<double>()))
        throw DataError("a score is no number");
      model.scores.push_back(score.get<double>());
    }
  }
  if (has_prefix(model.type)) model.continuing_prefix = members.text("continuing_prefix");
  if (model.type == PieceModelType::subword_nmt) {
    for (const Json& code : members.list("codes")) {
      if (!code.is_string()) members.refuse("codes", "strings");
      model.codes.push_back(code.get<std::string>());
    }
    model.suffix_apart = members.flag("suffix_apart");
    model.word_suffix = members.text("word_suffix");
  }
  if (model.type == PieceModelType::bpe) {
    model.merges = read_merges(members);
    model.fuse_unknown = members.flag("fuse_unknown");
    model.ignore_merges = members.flag("ignore_merges");
    model.word_suffix = members.text("word_suffix");
  }
  if (model.type == PieceModelType::wordpiece)
    model.longest_word = members.integer("longest_word", 1, kLongestWordOfAll);
  members.finish();
  return model;
}

OffsetTrimming read_trimming(JsonObject& members) {
  const std::string name = members.text(kTrimming, kTrimmings[0]);
  const auto found = std::find(kTrimmings.begin(), kTrimmings.end(), name);
  if (found == kTrimmings.end()) members.refuse(kTrimming, "none, all or all_but_one");
  return static_cast<OffsetTrimming>(found - kTrimmings.begin());
}

StepsDescription read_steps(JsonObject& members) {
  StepsDescription d{.vocabulary = read_piece_list(members)};
  for (JsonObject& piece : members.objects("added")) d.added.push_back(read_added(piece));
  d.normalizer = members.list("normalizer");
  d.pre_tokenizer = members.list("pre_tokenizer");
  d.decoder = members.list("decoder");
  d.model = read_piece_model(members.object("model"));
  d.trimming = read_trimming(members);
  return d;
}

}  // namespace

std::string tokenizer_bytes(const WordPieceDescription& d) {
  Json json = json_of("wordpiece", d.vocabulary, d.normalization);
  json["clean_text"] = d.clean_text;
  json["cjk_blanks"] = d.cjk_blanks;
  json["strip_accents"] = d.strip_accents;
  json["lowercase"] = d.lowercase;
  json["split_punctuation"] = d.split_punctuation;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tokenizer_bytes(const ByteBpeDescription& d) {
  Json json = json_of("byte_bpe", d.vocabulary, d.normalization);
  json["added"] = d.added;
  json["merges"] = json_of(d.merges);
  json["patterns"] = d.patterns;
  json["prefix_space"] = d.prefix_space;
  json["ignore_merges"] = d.ignore_merges;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tokenizer_bytes(const StepsDescription& d) {
  Json added = Json::array();
  for (const AddedPiece& piece : d.added) added.push_back(json_of(piece));
  Json json{{"engine", "steps"},
            {"pieces", d.vocabulary.pieces},
            {"controls", d.vocabulary.controls},
            {"special", json_of(d.vocabulary.special)},
            {"added", added},
            {"normalizer", d.normalizer},
            {"pre_tokenizer", d.pre_tokenizer},
            {"decoder", d.decoder},
            {"model", json_of(d.model)}};
  if (d.trimming != OffsetTrimming::none)
    json[kTrimming] = kTrimmings[static_cast<std::size_t>(d.trimming)];
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_tokenizer_file(std::string_view bytes) { return bytes.starts_with('{'); }

bool has_foreign_steps(std::string_view bytes) {
  // Quotes within a string have a backslash.
  return is_tokenizer_file(bytes) && bytes.find(R"("engine":"steps")") != std::string_view::npos;
}

TokenizerDescription read_tokenizer_file(std::string_view bytes) {
  const Json json = parse_sorted_json(bytes, kWhere);
  JsonObject members(json, kWhere);
  const std::string engine = members.text("engine");
  TokenizerDescription description;
  if (engine == "wordpiece") {
    description = read_wordpiece(members);
  } else if (engine == "byte_bpe") {
    description = read_byte_bpe(members);
  } else if (engine == "steps") {
    description = read_steps(members);
  } else {
    throw DataError(fmt::format("the engine {} is not known", quote(engine)));
  }
  members.finish();
  return description;
}

}  // namespace attend::detail
