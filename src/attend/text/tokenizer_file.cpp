#include "attend/text/tokenizer_file.h"

#include <fmt/format.h>

#include "attend/core/json.h"
#include "attend/core/json_object.h"
#include "attend/core/number_range.h"
#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

using Json = nlohmann::json;

constexpr const char* kWhere = "its JSON";

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
  const std::vector<std::int32_t> sides = members.ids("merges");
  if (sides.size() % 2 != 0) throw DataError("a merge has one side");
  for (std::size_t i = 0; i < sides.size(); i += 2) d.merges.emplace_back(sides[i], sides[i + 1]);
  d.patterns = members.texts("patterns");
  d.prefix_space = members.flag("prefix_space");
  d.ignore_merges = members.flag("ignore_merges");
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
  std::vector<std::int32_t> sides;
  sides.reserve(2 * d.merges.size());
  for (const auto& [left, right] : d.merges) sides.insert(sides.end(), {left, right});
  json["merges"] = sides;
  json["patterns"] = d.patterns;
  json["prefix_space"] = d.prefix_space;
  json["ignore_merges"] = d.ignore_merges;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_tokenizer_file(std::string_view bytes) { return bytes.starts_with('{'); }

std::variant<WordPieceDescription, ByteBpeDescription> read_tokenizer_file(std::string_view bytes) {
  const Json json = parse_sorted_json(bytes, kWhere);
  JsonObject members(json, kWhere);
  const std::string engine = members.text("engine");
  std::variant<WordPieceDescription, ByteBpeDescription> description;
  if (engine == "wordpiece") {
    description = read_wordpiece(members);
  } else if (engine == "byte_bpe") {
    description = read_byte_bpe(members);
  } else {
    throw DataError(fmt::format("the engine {} is not known", quote(engine)));
  }
  members.finish();
  return description;
}

}  // namespace attend::detail
