// Tokens that the files beside a tokenizer.json add to the tokenizer.
#include <algorithm>
#include <charconv>
#include <limits>

#include "attend/core/json.h"
#include "attend/core/json_object.h"
#include "attend/interchange/tokenizer_directory.h"

namespace attend {
namespace {

using NamesJson = nlohmann::json;

constexpr const char* kNamesFile = "tokenizer_config.json";

// "[MASK]", or an object with the flags of the token.
NamedToken token_of(const NamesJson& value, const std::string& where) {
  if (value.is_string()) return {value.get<std::string>(), {.id = -1, .special = true}};
  JsonObject token(value, where);
  const bool special = token.flag("special", true);
  return {token.text("content"),
          {.id = -1,
           .special = special,
           .normalized = token.flag("normalized", !special),
           .single_word = token.flag("single_word", false),
           .lstrip = token.flag("lstrip", false),
           .rstrip = token.flag("rstrip", false)}};
}

std::int32_t id_of(std::string_view text) {
  std::int32_t id = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), id).ptr;
  return end == text.data() + text.size() ? id : -1;
}

// The special tokens of a file by their names, and lists of more.
void add_special(const NamesJson& file, const std::string& where, std::vector<NamedToken>& tokens) {
  for (const char* name : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                           "cls_token", "mask_token"}) {
    const auto value = file.find(name);
    if (value != file.end() && (value->is_string() || value->is_object()))
      tokens.push_back(token_of(*value, where));
  }
  for (const char* name : {"additional_special_tokens", "extra_special_tokens"}) {
    const auto list = file.find(name);
    if (list == file.end() || !list->is_structured()) continue;
    for (const NamesJson& value : *list)
      if (value.is_string() || value.is_object()) tokens.push_back(token_of(value, where));
  }
}

std::optional<NamesJson> read_object(const FileText& file, const std::string& path,
                                     const char* name) {
  const auto content = file(name);
  if (!content) return std::nullopt;
  const std::string where = path + "/" + name;
  NamesJson json = parse_sorted_json(*content, where);
  JsonObject(json, where);  // refuses what is no object
  return json;
}

}  // namespace

std::vector<NamedToken> read_named_tokens(const FileText& file, const std::string& path) {
  std::vector<NamedToken> tokens;
  const auto config = read_object(file, path, kNamesFile);
  const auto listed = config ? config->find("added_tokens_decoder") : NamesJson::const_iterator{};
  const bool lists = config && listed != config->end() && listed->is_object();
  if (lists) {
    for (const auto& [id, value] : listed->items()) {
      JsonObject token(value, path + "/" + kNamesFile + ": added_tokens_decoder");
      NamedToken named = token_of(value, token.where());
      named.piece.special = token.flag("special", false);
      named.piece.normalized = token.flag("normalized", !named.piece.special);
      named.piece.id = id_of(id);
      tokens.push_back(std::move(named));
    }
  }
  if (config) add_special(*config, path + "/" + kNamesFile, tokens);
  if (lists) return tokens;  // it makes the older files superfluous
  if (const auto map = read_object(file, path, "special_tokens_map.json"))
    add_special(*map, path + "/special_tokens_map.json", tokens);
  if (const auto older = read_object(file, path, "added_tokens.json")) {
    for (const auto& [text, id] : older->items()) {
      const bool special = std::any_of(tokens.begin(), tokens.end(),
                                       [&text = text](const auto& t) { return t.text == text; });
      NamedToken named{text, {.id = -1, .special = special, .normalized = !special}};
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      if (id.is_number_integer())
        named.piece.id = static_cast<std::int32_t>(std::clamp<std::int64_t>(id, -1, kMost));
      tokens.insert(tokens.begin(), std::move(named));
    }
  }
  return tokens;
}

}  // namespace attend
