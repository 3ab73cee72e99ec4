#include "attend/interchange/tokenizers/sentencepiece_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "attend/core/strings/base64.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/named_classes.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"

namespace attend::detail {
namespace {

using SourceJson = nlohmann::json;

SentencePieceModel checked_model(std::string_view bytes, const std::string& where) {
  try {
    return read_sentencepiece_model(bytes);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}: not a SentencePiece model that can be used ({})", where, error.what()));
  }
}

std::string type_of_source(const SentencePieceModel& model, std::string_view type) {
  if (!type.empty()) return std::string(type);
  return model.type == ModelType::unigram ? "Unigram" : "BPE";
}

SourceJson pieces_of_source(const SentencePieceModel& model, const std::vector<std::string>& names,
                            const std::string& type) {
  SourceJson pieces = type == "BPE" ? SourceJson::object() : SourceJson::array();
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (type == "BPE") {
      pieces[names[id]] = id;
    } else {
      pieces.push_back({names[id], double{model.pieces[id].score}});
    }
  }
  return pieces;
}

// A pair of pieces that joins to a piece.
struct RankedMerge {
  double rank;  // the least first
  std::size_t id;
  std::string_view left, right;
};

// All pairs of `parts` that join to one of `joined`: part -> (rank, id).
using Parts = std::unordered_map<std::string_view, std::pair<double, std::size_t>>;
std::vector<RankedMerge> merges_to(const Parts& parts) {
  std::vector<RankedMerge> merges;
  for (const auto& [whole, rank] : parts) {
    for (std::size_t cut = 0; next_code_point(whole, cut), cut < whole.size();) {
      const std::string_view left = whole.substr(0, cut), right = whole.substr(cut);
      if (parts.contains(left) && parts.contains(right))
        merges.push_back({rank.first, rank.second, left, right});
    }
  }
  return merges;
}

template <class Key>
SourceJson sorted_merges(std::vector<RankedMerge> merges, const Key& key) {
  std::sort(merges.begin(), merges.end(),
            [&](const RankedMerge& a, const RankedMerge& b) { return key(a) < key(b); });
  SourceJson list = SourceJson::array();
  for (const RankedMerge& merge : merges)
    list.push_back({std::string(merge.left), std::string(merge.right)});
  return list;
}

// If two merges make the same piece, the one with the shorter left side comes first.
SourceJson merges_by_id(const std::vector<std::string>& names) {
  Parts parts;
  for (std::size_t id = 0; id < names.size(); ++id)
    parts[names[id]] = {static_cast<double>(id), id};
  return sorted_merges(merges_to(parts), [](const RankedMerge& merge) {
    return std::tuple(merge.id, count_code_points(merge.left));
  });
}

SourceJson merges_by_score(const SentencePieceModel& model, const std::vector<std::string>& names) {
  Parts parts;
  for (std::size_t id = 0; id < names.size(); ++id)
    if (model.pieces[id].type == PieceType::normal)
      parts[names[id]] = {-double{model.pieces[id].score}, id};
  return sorted_merges(merges_to(parts), [](const RankedMerge& merge) {
    return std::tuple(merge.rank, merge.id, merge.left, merge.right);
  });
}

std::vector<std::string> names_of_pieces(const SentencePieceModel& model) {
  std::vector<std::string> names;
  for (const ModelPiece& piece : model.pieces) names.emplace_back(piece.text);
  return names;
}

std::vector<TokenMention> never_split(const SentencePieceModel& model) {
  std::vector<TokenMention> mentions;
  for (const ModelPiece& piece : model.pieces) {
    const bool special = piece.type == PieceType::control;
    if (special || piece.type == PieceType::user_defined)
      mentions.push_back({{.text = piece.text, .piece = {.id = -1, .special = special}},
                          true,
                          std::optional(false)});
  }
  return mentions;
}

// The generic tokenizer.

// Pieces get the names that tokenizer_config.json gives their ids.
void rename_pieces(const TokenizerSettings& settings, std::vector<std::string>& names) {
  if (!settings.lists_tokens()) return;
  std::map<std::size_t, std::string> wanted;
  for (const auto& [key, value] : settings.tokenizer["added_tokens_decoder"].items()) {
    std::size_t id = names.size();
    std::from_chars(key.data(), key.data() + key.size(), id);
    const std::string where = settings.path + "/tokenizer_config.json: added_tokens_decoder";
    if (id < names.size()) wanted[id] = JsonObject(value, where).text("content");
  }
  std::unordered_set<std::string> kept;  // by pieces with another id
  for (std::size_t id = 0; id < names.size(); ++id)
    if (!wanted.contains(id)) kept.insert(names[id]);
  for (const auto& [id, name] : wanted)
    if (!kept.contains(name)) names[id] = name;
}

SourceJson replacement(const char* kind, const char* pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}};
}

SourceJson generic_normalizer(const SentencePieceModel& model, bool legacy) {
  SourceJson steps = SourceJson::array();
  const ModelNormalizer& normalizer = model.normalizer;
  if (!normalizer.map_bytes.empty())
    steps.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(normalizer.map_bytes)}});
  if (normalizer.remove_extra_spaces) {
    steps.push_back(replacement("Regex", "\\A +| +\\z", ""));
    steps.push_back(replacement("Regex", " {2,}", " "));
  }
  if (normalizer.escape_spaces) steps.push_back(replacement("String", " ", "▁"));
  if (normalizer.dummy_prefix && legacy) steps.push_back(replacement("Regex", "\\A▁", "▁▁"));
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("()[]{}?*+-|^$\\.&~# \t\n\r\v\f").find(c) != std::string_view::npos)
      result += '\\';
    result += c;
  }
  return result;
}

// User-defined pieces stand alone, the longest first.
SourceJson generic_pre_tokenizer(const SentencePieceModel& model, bool legacy,
                                 std::vector<std::string> user_defined) {
  SourceJson steps = SourceJson::array();
  if (model.normalizer.dummy_prefix)
    steps.push_back({{"type", "Metaspace"},
                     {"replacement", "▁"},
                     {"prepend_scheme", legacy ? "always" : "first"},
                     {"split", false}});
  std::stable_sort(user_defined.begin(), user_defined.end(), [](const auto& a, const auto& b) {
    return count_code_points(a) > count_code_points(b);
  });
  std::string pattern;
  for (const std::string& piece : user_defined)
    pattern += (pattern.empty() ? "" : "|") + escaped(piece);
  if (!pattern.empty())
    steps.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}});
  if (steps.empty()) return nullptr;
  return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

SourceJson generic_decoder(const SentencePieceModel& model) {
  SourceJson steps = SourceJson::array({replacement("String", "▁", " ")});
  if (model.byte_fallback) steps.push_back({{"type", "ByteFallback"}});
  if (model.normalizer.dummy_prefix || model.byte_fallback) steps.push_back({{"type", "Fuse"}});
  if (model.normalizer.dummy_prefix)
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return {{"type", "Sequence"}, {"decoders", steps}};
}

}  // namespace

TokenizerSource read_sentencepiece_source(std::string_view bytes, std::string_view type,
                                          const std::string& where) {
  const SentencePieceModel model = checked_model(bytes, where);
  const std::vector<std::string> names = names_of_pieces(model);
  TokenizerSource source{.kind = TokenizerSource::Kind::sentencepiece};
  SourceJson& file = source.file["model"];
  file["type"] = type_of_source(model, type);
  file["vocab"] = pieces_of_source(model, names, file["type"]);
  if (file["type"] == "BPE") {
    file["merges"] = merges_by_id(names);
  } else {
    file["unk_id"] = model.unk_id;
  }
  source.character_map = to_base64(model.normalizer.map_bytes);
  source.pieces = never_split(model);
  return source;
}

TokenizerSource read_generic_sentencepiece(std::string_view bytes,
                                           const TokenizerSettings& settings,
                                           const std::string& where) {
  const SentencePieceModel model = checked_model(bytes, where);
  JsonObject own(settings.tokenizer, settings.path + "/tokenizer_config.json");
  const bool legacy = own.flag("legacy", true);
  std::vector<std::string> names = names_of_pieces(model);
  const std::string type = type_of_source(model, "");
  if (type == "BPE") rename_pieces(settings, names);
  TokenizerSource source{.kind = TokenizerSource::Kind::sentencepiece};
  std::vector<std::string> user_defined;
  for (std::size_t id = 0; id < names.size(); ++id)
    if (model.pieces[id].type == PieceType::user_defined) user_defined.push_back(names[id]);
  SourceJson& file = source.file["model"];
  file = {{"type", type},
          {"vocab", pieces_of_source(model, names, type)},
          {"byte_fallback", model.byte_fallback}};
  if (type == "BPE") {
    file["merges"] = merges_by_score(model, names);
    file["unk_token"] = std::string(model.special.unknown);
    file["fuse_unk"] = true;
    file["ignore_merges"] = !user_defined.empty();
  } else {
    file["unk_id"] = model.unk_id;
  }
  source.file["normalizer"] = generic_normalizer(model, legacy);
  source.file["pre_tokenizer"] = generic_pre_tokenizer(model, legacy, user_defined);
  source.file["decoder"] = generic_decoder(model);
  source.pieces = never_split(model);
  std::erase_if(source.pieces, [](const TokenMention& one) { return !one.token.piece.special; });
  const auto name = [&](const char* key, std::int32_t id, std::string_view piece) {
    if (id >= 0) source.names.emplace_back(key, piece);
  };
  name("bos_token", model.bos_id, model.special.bos);
  name("eos_token", model.eos_id, model.special.eos);
  name("unk_token", model.unk_id, model.special.unknown);
  const auto usual = [&](const char* key) {
    for (const auto& [known, piece] : source.names)
      if (known == key) return piece;
    return std::string();
  };
  ClassSettings marks(settings);
  source.file["post_processor"] =
      added_marks(marks, usual("bos_token").c_str(), usual("eos_token").c_str());
  source.keeps_tokens_raw = model.normalizer.dummy_prefix;
  return source;
}

}  // namespace attend::detail
