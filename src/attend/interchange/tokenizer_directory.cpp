#include "attend/interchange/tokenizer_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/json.h"
#include "attend/core/json_object.h"
#include "attend/core/quote.h"
#include "attend/error.h"

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

// Directories without a tokenizer.json are read as the one that the tokenizers library would have
// made of their files.
class OlderDirectory {
 public:
  OlderDirectory(const FileText& file, const std::string& path, SpecialPieces special,
                 std::int64_t ids)
      : path_(path),
        special_(std::move(special)),
        ids_(ids),
        options_(parse_sorted_json(file(kOptionsFile).value_or("{}"),
                                   fmt::format("{}/{}", path, kOptionsFile))) {}

  ForeignTokenizer read_vocab_txt(const std::string& lines) {
    const std::string where = path_ + "/vocab.txt";
    Json vocabulary = Json::object();
    for (const std::string& piece : lines_of(lines)) {
      const std::size_t id = vocabulary.size();
      if (!vocabulary.emplace(piece, id).second)
        throw DataError(fmt::format("{}: {} appears twice", where, quote(piece)));
    }
    for (const auto& [piece, usual] :
         {std::pair{&special_.bos, "[CLS]"}, std::pair{&special_.eos, "[SEP]"},
          std::pair{&special_.pad, "[PAD]"}, std::pair{&special_.unk, "[UNK]"}})
      if (piece->empty()) *piece = usual;
    const bool lowercase = flag("do_lower_case", true);
    const Json normalizer{{"type", "BertNormalizer"},
                          {"clean_text", true},
                          {"handle_chinese_chars", flag("tokenize_chinese_chars", true)},
                          {"lowercase", lowercase},
                          {"strip_accents", flag("strip_accents", lowercase)}};
    return read({{"normalizer", normalizer},
                 {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                 {"post_processor", marks()},
                 {"model", {{"type", "WordPiece"}, {"unk_token", special_.unk}}}},
                vocabulary, where);
  }

  ForeignTokenizer read_vocab_json(const std::string& content, const std::string& merge_lines) {
    const std::string where = path_ + "/vocab.json";
    const Json vocabulary = parse_sorted_json(content, where);
    Json merges = Json::array();
    for (const std::string& line : lines_of(merge_lines))
      if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
    Json file{{"pre_tokenizer",
               {{"type", "ByteLevel"}, {"add_prefix_space", flag("add_prefix_space", false)}}},
              {"model", {{"type", "BPE"}, {"merges", merges}}}};
    // RoBERTa and BART have marks around a text. GPT-2 has none, and one token for everything.
    if (special_.bos != special_.eos) file["post_processor"] = marks();
    if (special_.unk != special_.eos && vocabulary.contains(special_.unk))
      file["model"]["unk_token"] = special_.unk;
    return read(std::move(file), vocabulary, where);
  }

 private:
  bool flag(const char* name, bool usual) {
    return JsonObject(options_, fmt::format("{}/{}", path_, kOptionsFile)).flag(name, usual);
  }

  Json marks() const {
    return {{"type", "BertProcessing"},
            {"cls", Json::array({special_.bos, 0})},
            {"sep", Json::array({special_.eos, 0})}};
  }

  ForeignTokenizer read(Json file, const Json& vocabulary, const std::string& where) const {
    file["model"]["vocab"] = vocabulary;
    Json& added = file["added_tokens"] = Json::array();
    for (const std::string* piece : {&special_.bos, &special_.eos, &special_.pad, &special_.unk})
      if (vocabulary.contains(*piece))
        added.push_back({{"id", vocabulary[*piece]}, {"content", *piece}, {"special", true}});
    return read_tokenizer_json(file.dump(-1, ' ', false, Json::error_handler_t::replace), special_,
                               where, ids_);
  }

  std::string path_;
  SpecialPieces special_;
  std::int64_t ids_;
  Json options_;
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
  const SpecialPieces special = read_special_pieces(file, path);
  if (const auto json = file("tokenizer.json"))
    return read_tokenizer_json(*json, special, path + "/tokenizer.json", ids);
  OlderDirectory older(file, path, special, ids);
  if (const auto lines = file("vocab.txt")) return older.read_vocab_txt(*lines);
  const auto vocabulary = file("vocab.json"), merges = file("merges.txt");
  if (vocabulary && merges) return older.read_vocab_json(*vocabulary, *merges);
  throw DataError(fmt::format(
      "{}: expected a tokenizer.json, a vocab.txt, or a vocab.json with a merges.txt, found none",
      path));
}

}  // namespace attend
