#include "attend/interchange/tokenizers/tokenizer_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/named_tokenizers.h"
#include "attend/interchange/tokenizers/sentencepiece_source.h"

namespace attend {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOptionsFile = "tokenizer_config.json";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    at = end + 1;
  }
  return lines;
}

// "[CLS]", or an object with the piece as its content.
std::string piece_named(JsonObject& names, std::string_view name) {
  const Json* const value = names.find(name);
  if (value == nullptr) return "";
  return value->is_object() ? names.object(name).text("content") : names.text(name);
}

void read_names(JsonObject names, SpecialPieces& pieces) {
  const auto take = [&](std::string& piece, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (piece.empty()) piece = piece_named(names, key);
  };
  take(pieces.bos, {"bos_token", "cls_token"});
  take(pieces.eos, {"eos_token", "sep_token"});
  take(pieces.pad, {"pad_token"});
  take(pieces.unk, {"unk_token"});
}

Json object_in(const FileText& file, const std::string& path, std::string_view name) {
  return parse_sorted_json(file(name).value_or("{}"), fmt::format("{}/{}", path, name));
}

// Files of older programs, with the model of the tokenizer.json that they make.
Json read_vocab_txt(const std::string& lines, const std::string& where) {
  Json vocabulary = Json::object();
  for (const std::string& piece : lines_of(lines)) {
    const std::size_t id = vocabulary.size();
    if (!vocabulary.emplace(piece, id).second)
      throw DataError(fmt::format("{}: {} appears twice", where, quote(piece)));
  }
  return {{"model", {{"vocab", std::move(vocabulary)}}}};
}

Json read_vocab_json(const std::string& content, const std::string& merge_lines,
                     const std::string& where) {
  Json merges = Json::array();
  for (const std::string& line : lines_of(merge_lines))
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  return {{"model", {{"vocab", parse_sorted_json(content, where)}, {"merges", std::move(merges)}}}};
}

// A directory as transformers reads it.
class TokenizerDirectory {
 public:
  TokenizerDirectory(const FileText& file, const std::string& path,
                     const TokenizerDirectoryOptions& options)
      : file_(file),
        settings_{object_in(file, path, "config.json"), object_in(file, path, kOptionsFile),
                  object_in(file, path, "special_tokens_map.json"),
                  object_in(file, path, "added_tokens.json"), path},
        special_(read_special_pieces(file, path)),
        options_(options) {}

  ForeignTokenizer read() {
    refuse_other_options();
    if (const auto content = file_("tokenizer.json")) return read_json(*content);
    if (auto foreign = read_sentencepiece()) return std::move(*foreign);
    if (const auto lines = file_("vocab.txt")) {
      const std::string where = settings_.path + "/vocab.txt";
      return build(class_or("BertTokenizer"), vocabulary_of(read_vocab_txt(*lines, where)), where);
    }
    const auto vocabulary = file_("vocab.json"), merges = file_("merges.txt");
    if (!vocabulary || !merges)
      throw DataError(fmt::format(
          "{}: expected a tokenizer.json, a SentencePiece model ({}), a vocab.txt, or a vocab.json "
          "with a merges.txt, found none",
          settings_.path, detail::sentencepiece_file_of(named())));
    // RoBERTa and BART have marks around a text. GPT-2 has none, and one token for everything.
    const char* const usual = special_.bos != special_.eos ? "RobertaTokenizer" : "GPT2Tokenizer";
    const std::string where = settings_.path + "/vocab.json";
    return build(class_or(usual), vocabulary_of(read_vocab_json(*vocabulary, *merges, where)),
                 where);
  }

 private:
  using Source = detail::TokenizerSource;

  // Texts would have other tokens.
  void refuse_other_options() const {
    JsonObject own(settings_.tokenizer, settings_.path + "/" + std::string(kOptionsFile));
    if (own.flag("split_special_tokens", false))
      throw OptionError<DataError>(
          "{}: split_special_tokens: expected false ({} or {} of commands do it), found {}",
          own.where(), as_flag("no-special-tokens"), as_flag("split-special-tokens"),
          quote("true"));
  }

  static Source vocabulary_of(Json file) { return {Source::Kind::vocabulary, std::move(file)}; }
  std::string named() const { return detail::named_tokenizer_class(settings_, false); }
  std::string class_or(const char* usual) const {
    const std::string name = named();
    return detail::is_built_here(name) ? name : usual;
  }

  ForeignTokenizer read_json(const std::string& content) {
    const std::string where = settings_.path + "/tokenizer.json";
    const bool works_on_bytes = content.find("\"ByteLevel\"") != content.npos;
    Source source{Source::Kind::tokenizer_json, parse_sorted_json(content, where)};
    JsonObject(source.file, where).object("model");
    source.character_map = character_map_in(source.file);
    const std::string name = detail::named_tokenizer_class(settings_, works_on_bytes);
    if (detail::is_built_elsewhere(name))
      throw DataError(fmt::format(
          "{}: its class {} takes only the vocabulary from this file, and what it builds is not "
          "supported; name PreTrainedTokenizerFast as tokenizer_class in {} to take the file as it "
          "is",
          where, quote(name), kOptionsFile));
    return build(name, std::move(source), where);
  }

  // The first step that has a map decides.
  static std::string character_map_in(const Json& file) {
    const auto map_of = [](const Json& step) -> std::string {
      const bool has = step.is_object() && step.contains("precompiled_charsmap") &&
                       step["precompiled_charsmap"].is_string();
      return has ? step["precompiled_charsmap"].get<std::string>() : "";
    };
    const auto normalizer = file.find("normalizer");
    if (normalizer == file.end() || !normalizer->is_object()) return "";
    const auto list = normalizer->find("normalizers");
    if (list == normalizer->end() || !list->is_array()) return map_of(*normalizer);
    for (const Json& step : *list)
      if (std::string map = map_of(step); !map.empty()) return map;
    return "";
  }

  std::optional<ForeignTokenizer> read_sentencepiece() {
    std::string name = named(), file_name = "tokenizer.model";
    auto bytes = file_(file_name);
    if (!bytes && name == detail::kGenericTokenizer) {  // as the class that its files name
      JsonObject own(settings_.tokenizer, settings_.path + "/" + std::string(kOptionsFile));
      const std::string own_name = own.text("tokenizer_class", "");
      if (detail::is_built_here(own_name)) name = own_name;
    }
    if (!bytes) bytes = file_(file_name = detail::sentencepiece_file_of(name));
    if (!bytes) return std::nullopt;
    const std::string where = settings_.path + "/" + file_name;
    if (name != detail::kGenericTokenizer && !detail::is_built_here(name))
      throw DataError(
          fmt::format("{}: the class {} of its tokenizer is not supported; save it "
                      "with a tokenizer.json",
                      where, quote(name)));
    return build(name,
                 name == detail::kGenericTokenizer
                     ? detail::read_generic_sentencepiece(*bytes, settings_, where)
                     : detail::read_sentencepiece_source(*bytes, detail::model_of(name), where),
                 where);
  }

  ForeignTokenizer build(const std::string& name, Source source, const std::string& where) {
    TokenNames names(special_);
    names.added = detail::added_tokens_of(name, settings_, source);
    detail::build_named_tokenizer(name, settings_, source);
    JsonObject model(source.file["model"], where);
    model.at("vocab");
    name_pieces_of_model(source, names.special);
    detail::name_pieces_of_class(name, settings_, source.file["model"], names.special);
    if (options_.pad_begins) begin_with_pad(names.special);
    const std::string content = source.file.dump(-1, ' ', false, Json::error_handler_t::replace);
    ForeignTokenizer foreign = read_tokenizer_json(content, names, where, options_.ids);
    if (options_.marks_are_ends && end_with_marks(foreign, names.special))
      foreign = read_tokenizer_json(content, names, where, options_.ids);
    foreign.pair.numbers_texts = foreign.pair.numbers_texts && gives_token_types(name);
    return foreign;
  }

  // Whether the model gets token types, by `model_input_names` or else by the class.
  bool gives_token_types(const std::string& built) const {
    const auto names = settings_.tokenizer.find("model_input_names");
    if (names != settings_.tokenizer.end() && names->is_array())
      return std::find(names->begin(), names->end(), "token_type_ids") != names->end();
    const auto own = settings_.tokenizer.find("tokenizer_class");
    if (own != settings_.tokenizer.end() && own->is_string() &&
        own->get_ref<const std::string&>().starts_with("DistilBert"))
      return false;
    return built == "BertTokenizer" || built == "DebertaV2Tokenizer";
  }

  static void name_pieces_of_model(const Source& source, SpecialPieces& special) {
    for (const auto& [name, text] : source.names)
      for (const auto& [piece, key] : {std::pair{&special.bos, "bos_token"},
                                       {&special.eos, "eos_token"},
                                       {&special.unk, "unk_token"}})
        if (name == key && piece->empty()) *piece = text;
  }

  // Returns whether that changes `special`.
  static bool end_with_marks(const ForeignTokenizer& foreign, SpecialPieces& special) {
    const SpecialPieces before = special;
    const auto only = [&](const std::vector<std::int32_t>& marks) {
      return marks.size() == 1 ? foreign.tokenizer.piece(marks.front()) : "";
    };
    special.bos = only(foreign.prefix);
    special.eos = only(foreign.suffix);
    return special.bos != before.bos || special.eos != before.eos;
  }

  static void begin_with_pad(SpecialPieces& special) {
    for (const auto& [piece, usual] :
         {std::pair{&special.pad, "<pad>"}, {&special.eos, "</s>"}, {&special.unk, "<unk>"}})
      if (piece->empty()) *piece = usual;
    special.bos = special.pad;
  }

  const FileText& file_;
  detail::TokenizerSettings settings_;
  SpecialPieces special_;
  TokenizerDirectoryOptions options_;
};

}  // namespace

SpecialPieces read_special_pieces(const FileText& file, const std::string& path) {
  SpecialPieces pieces;
  for (const std::string_view name : {kOptionsFile, std::string_view("special_tokens_map.json")}) {
    const std::optional<std::string> content = file(name);
    if (!content) continue;
    const std::string where = fmt::format("{}/{}", path, name);
    const Json json = parse_sorted_json(*content, where);
    read_names(JsonObject(json, where), pieces);
  }
  return pieces;
}

ForeignTokenizer read_tokenizer_directory(const FileText& file, const std::string& path,
                                          const TokenizerDirectoryOptions& options) {
  return TokenizerDirectory(file, path, options).read();
}

}  // namespace attend
