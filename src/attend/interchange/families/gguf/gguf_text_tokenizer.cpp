#include "attend/interchange/families/gguf/gguf_text_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/strings/base64.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/gguf/gguf_pieces.h"
#include "attend/interchange/writing/tokenizer_writing.h"

namespace attend {

namespace {

using TextJson = nlohmann::json;
using detail::GgufPieces;
using detail::GgufPieceType;

constexpr std::string_view kWordBegin = "▁";
constexpr const char *kContinues = "##", *kLowercase = "tokenizer.ggml.normalizer.lowercase",
                     *kStripAccents = "tokenizer.ggml.normalizer.strip_accents",
                     *kCharacterMap = "tokenizer.ggml.precompiled_charsmap",
                     *kUnigramScores = "tokenizer.ggml.scores",
                     *kSpacePrefix = "tokenizer.ggml.add_space_prefix",
                     *kRemoveSpaces = "tokenizer.ggml.remove_extra_whitespaces",
                     *kBeginKey = "tokenizer.ggml.bos_token_id",
                     *kEndKey = "tokenizer.ggml.eos_token_id",
                     *kClassKey = "tokenizer.ggml.cls_token_id",
                     *kSeparatorKey = "tokenizer.ggml.seperator_token_id",
                     *kPaddingKey = "tokenizer.ggml.padding_token_id",
                     *kUnknownKey = "tokenizer.ggml.unknown_token_id",
                     *kMaskKey = "tokenizer.ggml.mask_token_id";
constexpr double kScoreOfUnused = -1e9;

// The words of BERT that are no text, by the id that llama.cpp assumes.
struct WordPieceIds {
  const char* key;
  const char* name;  // in tokenizer_config.json
  std::int64_t usual;
};
constexpr std::array kWordPieceIds{
    WordPieceIds{kClassKey, "cls_token", 101}, WordPieceIds{kSeparatorKey, "sep_token", 102},
    WordPieceIds{kPaddingKey, "pad_token", 0}, WordPieceIds{kUnknownKey, "unk_token", 100},
    WordPieceIds{kMaskKey, "mask_token", 103}};

std::optional<std::size_t> id_in(ForeignConfig& metadata, const GgufPieces& pieces, const char* key,
                                 std::int64_t usual) {
  const std::int64_t id = metadata.integer_or(key, usual, between(0, 4294967295.0));
  if (id < 0 || id >= std::ssize(pieces.texts)) return std::nullopt;
  return static_cast<std::size_t>(id);
}

TextJson special_token(const std::string& piece) {
  return {{"SpecialToken", {{"id", piece}, {"type_id", 0}}}};
}

TextJson template_of(const std::string& before, const std::string& after) {
  TextJson single = TextJson::array();
  if (!before.empty()) single.push_back(special_token(before));
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  if (!after.empty()) single.push_back(special_token(after));
  return {{"type", "TemplateProcessing"}, {"single", std::move(single)}};
}

TextJson token_of(std::size_t id, const std::string& content, bool special) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", special}};
}

GgufTokenizer files_of(const TextJson& file, const TextJson& settings, std::size_t pieces) {
  constexpr auto kReplace = TextJson::error_handler_t::replace;
  GgufTokenizer read{{}, static_cast<std::int64_t>(pieces)};
  read.files["tokenizer.json"] = file.dump(-1, ' ', false, kReplace);
  read.files["tokenizer_config.json"] = settings.dump(-1, ' ', false, kReplace);
  return read;
}

// "▁the" and "ing" for "the" and "##ing". Older files have "[MASK]" as it is.
std::string word_piece(const std::string& theirs, bool is_special) {
  if (theirs.starts_with(kWordBegin)) return theirs.substr(kWordBegin.size());
  const bool is_marked = theirs.starts_with('[') && theirs.ends_with(']');
  return is_special || is_marked ? theirs : kContinues + theirs;
}

bool has_capital(const std::string& piece) {
  return std::any_of(piece.begin(), piece.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

GgufTokenizer read_word_pieces(ForeignConfig& metadata) {
  GgufPieces pieces = detail::read_gguf_pieces(metadata, {-1, -1, -1});
  metadata.ignore({"tokenizer.ggml.pre", kUnigramScores, "tokenizer.ggml.merges",
                   "tokenizer.ggml.add_eos_token", kSpacePrefix, kRemoveSpaces});
  for (const char* flag : {"tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_sep_token"})
    metadata.require(flag, true);
  TextJson settings{{"tokenizer_class", "PreTrainedTokenizerFast"}}, added = TextJson::array();
  std::map<std::size_t, bool> special;
  for (std::size_t id = 0; id < pieces.texts.size(); ++id)
    if (pieces.types[id] == GgufPieceType::control || pieces.types[id] == GgufPieceType::unknown)
      special[id] = true;
  // llama.cpp calls the first one the begin of a text, too.
  const std::int64_t begin = metadata.integer_or(kBeginKey, 101, between(0, 4294967295.0));
  std::map<std::string_view, std::string> named;
  for (const WordPieceIds& one : kWordPieceIds) {
    const auto id = id_in(metadata, pieces, one.key, one.key == kClassKey ? begin : one.usual);
    if (!id) metadata.refuse(one.key, "there is no such token");
    special[*id] = true;
    settings[one.name] = named[one.name] = word_piece(pieces.texts[*id], true);
  }
  if (metadata.has(kBeginKey)) metadata.require(kClassKey, begin);
  TextJson vocabulary = TextJson::object();
  bool is_cased = false;
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) {
    const std::string piece = word_piece(pieces.texts[id], special.contains(id));
    if (!vocabulary.emplace(piece, id).second)
      metadata.refuse("tokenizer.ggml.tokens", fmt::format("{} appears twice", quote(piece)));
    if (special.contains(id)) added.push_back(token_of(id, piece, true));
    is_cased = is_cased || (!special.contains(id) && !piece.starts_with('[') && has_capital(piece));
  }
  // Older files do not say whether the model tells capitals from small letters.
  const bool lowercase = metadata.boolean_or(kLowercase, !is_cased);
  const TextJson file{
      {"version", "1.0"},
      {"added_tokens", std::move(added)},
      {"normalizer",
       {{"type", "BertNormalizer"},
        {"clean_text", true},
        {"handle_chinese_chars", true},
        {"strip_accents", metadata.boolean_or(kStripAccents, lowercase)},
        {"lowercase", lowercase}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor", template_of(named["cls_token"], named["sep_token"])},
      {"decoder", {{"type", "WordPiece"}, {"prefix", kContinues}, {"cleanup", true}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", named["unk_token"]},
        {"continuing_subword_prefix", kContinues},
        {"max_input_chars_per_word", 100},
        {"vocab", std::move(vocabulary)}}}};
  return files_of(file, settings, pieces.texts.size());
}

TextJson metaspace_of_words() {
  return {{"type", "Metaspace"},
          {"replacement", kWordBegin},
          {"prepend_scheme", "always"},
          {"split", true}};
}

TextJson cuts_of_words() {
  return {{"type", "Sequence"},
          {"pretokenizers", {{{"type", "WhitespaceSplit"}}, metaspace_of_words()}}};
}

TextJson read_character_map(ForeignConfig& metadata) {
  if (!metadata.has(kCharacterMap)) return nullptr;
  std::string bytes;
  for (const std::int64_t byte : metadata.integers(kCharacterMap, between(-128, 255)))
    bytes.push_back(static_cast<char>(byte));
  if (bytes.empty()) return nullptr;
  return {{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(bytes)}};
}

GgufTokenizer read_unigram(ForeignConfig& metadata) {
  GgufPieces pieces = detail::read_gguf_pieces(metadata, {-1, 1, 2});
  metadata.ignore({"tokenizer.ggml.pre", "tokenizer.ggml.merges"});
  for (const char* flag : {kSpacePrefix, kRemoveSpaces}) metadata.require(flag, true);
  const std::vector<double> scores = metadata.numbers(kUnigramScores);
  if (scores.size() != pieces.texts.size())
    metadata.refuse(kUnigramScores, fmt::format("expected {} scores, found {}", pieces.texts.size(),
                                                scores.size()));
  if (!pieces.unknown || !pieces.eos)
    metadata.refuse(pieces.eos ? kUnknownKey : kEndKey, "there is no such token");
  TextJson vocabulary = TextJson::array(), added = TextJson::array();
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) {
    const GgufPieceType type = pieces.types[id];
    const std::string& piece = pieces.texts[id];
    if (type == GgufPieceType::byte)
      metadata.refuse("tokenizer.ggml.token_type", "pieces for bytes are not supported there");
    vocabulary.push_back({piece, type == GgufPieceType::unused ? kScoreOfUnused : scores[id]});
    const bool special = type == GgufPieceType::control || type == GgufPieceType::unknown ||
                         piece.starts_with("<extra_id_");
    if (special || type == GgufPieceType::user_defined)
      added.push_back(token_of(id, piece, special));
  }
  const bool begins = metadata.boolean_or("tokenizer.ggml.add_bos_token", false),
             ends = metadata.boolean_or("tokenizer.ggml.add_eos_token", true);
  metadata.require("tokenizer.ggml.add_sep_token", false);
  TextJson settings{{"tokenizer_class", "PreTrainedTokenizerFast"}};
  const auto padding = id_in(metadata, pieces, kPaddingKey, 0);
  for (const auto& [name, id] : {std::pair{"bos_token", pieces.bos},
                                 {"eos_token", pieces.eos},
                                 {"unk_token", pieces.unknown}})
    if (const auto piece = pieces.text(id)) settings[name] = *piece;
  if (padding) settings["pad_token"] = pieces.texts[*padding];
  const TextJson file{
      {"version", "1.0"},
      {"added_tokens", std::move(added)},
      {"normalizer", read_character_map(metadata)},
      {"pre_tokenizer", cuts_of_words()},
      {"post_processor", template_of(begins ? pieces.text(pieces.bos).value_or("") : "",
                                     ends ? pieces.text(pieces.eos).value_or("") : "")},
      {"decoder", metaspace_of_words()},
      {"model",
       {{"type", "Unigram"},
        {"unk_id", *pieces.unknown},
        {"vocab", std::move(vocabulary)},
        {"byte_fallback", false}}}};
  return files_of(file, settings, pieces.texts.size());
}

[[noreturn]] void refuse_text_tokenizer(const std::string& what) {
  throw ConfigError(fmt::format("GGUF has no equal for its tokenizer: {}", what));
}

// Writes what both kinds have.
class TextTokenizerWriter {
 public:
  TextTokenizerWriter(const Tokenizer& tokenizer, GgufEntries& entries)
      : tokenizer_(tokenizer),
        entries_(entries),
        file_(parse_sorted_json(write_tokenizer_json(tokenizer, {}), "its tokenizer")),
        types_(static_cast<std::size_t>(tokenizer.vocab_size()),
               static_cast<std::int32_t>(GgufPieceType::normal)) {}

  void write(const TextSpecialTokens& marks) {
    for (const TextJson& token : file_["added_tokens"]) {
      for (const char* flag : {"single_word", "lstrip", "rstrip"})
        if (token.value(flag, false)) refuse_text_tokenizer(fmt::format("the flag {}", flag));
      const bool special = token.value("special", false);
      types_[token.at("id").get<std::size_t>()] =
          static_cast<std::int32_t>(special ? GgufPieceType::control : GgufPieceType::user_defined);
    }
    const std::string type = file_.at("model").at("type");
    if (type == "WordPiece") {
      add_word_pieces();
    } else if (type == "Unigram") {
      add_unigram();
    } else {
      refuse_text_tokenizer(fmt::format("its pieces are {}", type));
    }
    entries_.add("tokenizer.ggml.token_type", std::span<const std::int32_t>(types_));
    const bool is_bert = type == "WordPiece";
    entries_.add_flag("tokenizer.ggml.add_bos_token", !marks.prefix.empty());
    entries_.add_flag(is_bert ? "tokenizer.ggml.add_sep_token" : "tokenizer.ggml.add_eos_token",
                      !marks.suffix.empty());
    const SpecialTokens& special = tokenizer_.special_tokens();
    const auto add_id = [&](const char* key, std::int32_t id) {
      if (id >= 0) entries_.add_count(key, id);
    };
    add_id(kBeginKey, special.bos);
    add_id(is_bert ? kSeparatorKey : kEndKey, special.eos);
    add_id(kPaddingKey, special.pad);
    add_id(kUnknownKey, special.unk);
  }

 private:
  void add_word_pieces() {
    const TextJson &normalizer = file_["normalizer"], &model = file_["model"];
    const bool is_berts = normalizer.is_object() && normalizer.at("type") == "BertNormalizer" &&
                          normalizer.value("clean_text", true) &&
                          normalizer.value("handle_chinese_chars", true) &&
                          file_["pre_tokenizer"] == TextJson{{"type", "BertPreTokenizer"}} &&
                          model.value("continuing_subword_prefix", kContinues) == kContinues &&
                          model.value("max_input_chars_per_word", 100) == 100;
    if (!is_berts) refuse_text_tokenizer("it splits texts otherwise than BERT does");
    const bool lowercase = normalizer.value("lowercase", true);
    const TextJson& strips = normalizer["strip_accents"];
    entries_.add("tokenizer.ggml.model", "bert");
    entries_.add_flag(kLowercase, lowercase);
    entries_.add_flag(kStripAccents, strips.is_boolean() ? strips.get<bool>() : lowercase);
    std::vector<std::string> pieces;
    for (std::int32_t id = 0; id < tokenizer_.vocab_size(); ++id) {
      const std::string& piece = tokenizer_.piece(id);
      const bool is_word =
          types_[static_cast<std::size_t>(id)] == static_cast<std::int32_t>(GgufPieceType::normal);
      pieces.push_back(!is_word                        ? piece
                       : piece.starts_with(kContinues) ? piece.substr(2)
                                                       : std::string(kWordBegin) + piece);
      if (piece == "[MASK]") entries_.add_count(kMaskKey, id);
    }
    entries_.add("tokenizer.ggml.tokens", pieces);
    entries_.add_count(kClassKey, tokenizer_.special_tokens().bos);
  }

  void add_unigram() {
    const TextJson &model = file_["model"], &normalizer = file_["normalizer"];
    if (file_["pre_tokenizer"] != cuts_of_words())
      refuse_text_tokenizer("it splits texts otherwise than T5 does");
    entries_.add("tokenizer.ggml.model", "t5");
    if (!normalizer.is_null()) add_character_map(normalizer);
    const TextJson& listed = model.at("vocab");
    std::vector<std::string> pieces;
    std::vector<float> scores;
    for (std::int32_t id = 0; id < tokenizer_.vocab_size(); ++id) {
      const auto place = static_cast<std::size_t>(id);
      const bool is_listed = place < listed.size();
      const float score = is_listed ? listed[place][1].get<float>() : 0.0f;
      pieces.push_back(tokenizer_.piece(id));
      scores.push_back(score);
      const bool is_plain = types_[place] == static_cast<std::int32_t>(GgufPieceType::normal);
      if (is_plain && (!is_listed || score <= static_cast<float>(kScoreOfUnused)))
        types_[place] = static_cast<std::int32_t>(GgufPieceType::unused);
    }
    if (const std::int32_t unknown = tokenizer_.unk_id(); unknown >= 0)
      types_[static_cast<std::size_t>(unknown)] = static_cast<std::int32_t>(GgufPieceType::unknown);
    entries_.add("tokenizer.ggml.tokens", pieces);
    entries_.add(kUnigramScores, std::span<const float>(scores));
    entries_.add_flag(kSpacePrefix, true);
    entries_.add_flag(kRemoveSpaces, true);
  }

  void add_character_map(const TextJson& normalizer) {
    if (normalizer.value("type", "") != "Precompiled")
      refuse_text_tokenizer("it changes texts otherwise than by a map of characters");
    const std::string bytes = from_base64(normalizer.at("precompiled_charsmap").get<std::string>());
    entries_.add_bytes(kCharacterMap, std::as_bytes(std::span(bytes)));
  }

  const Tokenizer& tokenizer_;
  GgufEntries& entries_;
  TextJson file_;
  std::vector<std::int32_t> types_;
};

}  // namespace

GgufTokenizer read_gguf_text_tokenizer(ForeignConfig& metadata) {
  metadata.ignore({"tokenizer.huggingface.json"});
  return metadata.choice("tokenizer.ggml.model", {"bert", "t5"}) == 0 ? read_word_pieces(metadata)
                                                                      : read_unigram(metadata);
}

void add_gguf_text_tokenizer(const Tokenizer& tokenizer, const TextSpecialTokens& marks,
                             GgufEntries& entries) {
  TextTokenizerWriter(tokenizer, entries).write(marks);
}

}  // namespace attend
