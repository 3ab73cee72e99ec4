#include "attend/interchange/tokenizer_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/json.h"
#include "attend/core/json_object.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/named_tokenizers.h"

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
  TokenizerDirectory(const FileText& file, const std::string& path, std::int64_t ids)
      : file_(file),
        settings_{object_in(file, path, "config.json"), object_in(file, path, kOptionsFile),
                  object_in(file, path, "special_tokens_map.json"), path},
        special_(read_special_pieces(file, path)),
        added_(read_named_tokens(file, path)),
        ids_(ids) {}

  ForeignTokenizer read() {
    if (const auto content = file_("tokenizer.json")) return read_json(*content);
    if (const auto lines = file_("vocab.txt")) {
      const std::string where = settings_.path + "/vocab.txt";
      return build(class_or("BertTokenizer"), read_vocab_txt(*lines, where), false, where);
    }
    const auto vocabulary = file_("vocab.json"), merges = file_("merges.txt");
    if (!vocabulary || !merges)
      throw DataError(fmt::format(
          "{}: expected a tokenizer.json, a vocab.txt, or a vocab.json with a merges.txt, found "
          "none",
          settings_.path));
    // RoBERTa and BART have marks around a text. GPT-2 has none, and one token for everything.
    const char* const usual = special_.bos != special_.eos ? "RobertaTokenizer" : "GPT2Tokenizer";
    const std::string where = settings_.path + "/vocab.json";
    return build(class_or(usual), read_vocab_json(*vocabulary, *merges, where), false, where);
  }

 private:
  std::string class_or(const char* usual) const {
    const std::string named = detail::named_tokenizer_class(settings_, false);
    return named.empty() ? usual : named;
  }

  ForeignTokenizer read_json(const std::string& content) {
    const std::string where = settings_.path + "/tokenizer.json";
    const bool works_on_bytes = content.find("\"ByteLevel\"") != content.npos;
    const std::string named = detail::named_tokenizer_class(settings_, works_on_bytes);
    if (named.empty()) return read_tokenizer_json(content, names(), where, ids_);
    Json file = parse_sorted_json(content, where);
    JsonObject(file, where).object("model");
    return build(named, std::move(file), true, where);
  }

  ForeignTokenizer build(const std::string& named, Json file, bool is_tokenizer_json,
                         const std::string& where) {
    file = detail::named_tokenizer_json(named, settings_, std::move(file), is_tokenizer_json);
    JsonObject model(file["model"], where);
    detail::name_usual_pieces(named, model.at("vocab"), special_);
    return read_tokenizer_json(file.dump(-1, ' ', false, Json::error_handler_t::replace), names(),
                               where, ids_);
  }

  TokenNames names() const {
    TokenNames names(special_);
    names.added = added_;
    return names;
  }

  const FileText& file_;
  detail::TokenizerSettings settings_;
  SpecialPieces special_;
  std::vector<NamedToken> added_;
  std::int64_t ids_;
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
                                          std::int64_t ids) {
  return TokenizerDirectory(file, path, ids).read();
}

}  // namespace attend
