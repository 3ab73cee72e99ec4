#include "attend/interchange/chat_format.h"

#include <fmt/format.h>

#include <set>

#include "attend/core/json.h"
#include "attend/error.h"
#include "attend/interchange/tokenizer_directory.h"
#include "attend/interchange/tokenizer_json.h"

namespace attend {
namespace {

using Json = nlohmann::json;

constexpr const char* kChatSettings = "tokenizer_config.json";
constexpr const char* kTokenizer = "tokenizer.json";
constexpr const char* kTemplate = "chat_template.jinja";

Json settings_in(const ModelDirectory& directory, const char* name) {
  if (!directory.contains(name)) return Json::object();
  const std::string where = directory.path() + "/" + name;
  Json json = parse_sorted_json(directory.text(name), where);
  if (!json.is_object()) throw DataError(where + ": expected an object");
  return json;
}

// A text, or a list of named ones, of which "default" is for conversations.
std::string template_in(const Json& settings) {
  const auto found = settings.find("chat_template");
  if (found == settings.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) return "";
  for (const Json& one : *found)
    if (one.is_object() && one.value("name", Json()) == "default" && one.contains("template") &&
        one["template"].is_string())
      return one["template"].get<std::string>();
  return "";
}

// The special tokens that both files list, if the vocabulary has them and does not just fill up
// rows of the embeddings with them.
std::vector<std::string> marks_in(const Json& settings, const Json& tokenizer_file,
                                  const Tokenizer& tokenizer) {
  std::set<std::string> marks;
  const auto add = [&](const Json& token) {
    if (!token.is_object() || token.value("special", Json()) != true) return;
    const auto content = token.find("content");
    if (content == token.end() || !content->is_string()) return;
    const std::string piece = *content;
    const std::int32_t id = tokenizer.id(piece);
    if (piece.size() > 1 && id >= 0 && tokenizer.piece(id) == piece && piece != filler_piece(id))
      marks.insert(piece);
  };
  for (const auto& [json, name] :
       {std::pair{&settings, "added_tokens_decoder"}, std::pair{&tokenizer_file, "added_tokens"}})
    if (json->contains(name))
      for (const Json& token : (*json)[name]) add(token);
  return {marks.begin(), marks.end()};
}

}  // namespace

std::optional<ChatFormat> read_chat_format(const ModelDirectory& directory,
                                           const Tokenizer& tokenizer,
                                           std::vector<std::string>& remarks) {
  const Json settings = settings_in(directory, kChatSettings);
  const bool has_file = directory.contains(kTemplate);
  ChatFormat format;
  format.source = has_file ? directory.text(kTemplate) : template_in(settings);
  if (format.source.empty()) {
    const Json named = settings.value("chat_template", Json());
    if (!named.is_string() && !named.is_null())
      remarks.push_back(fmt::format(
          "{}/{}: chat_template: expected a text, or a list with one named default; the model is "
          "imported without chats",
          directory.path(), kChatSettings));
    return std::nullopt;
  }
  const SpecialPieces special = read_special_pieces(
      [&](std::string_view name) -> std::optional<std::string> {
        if (!directory.contains(name)) return std::nullopt;
        return directory.text(name);
      },
      directory.path());
  format.bos_token = special.bos;
  format.eos_token = special.eos;
  format.marks = marks_in(settings, settings_in(directory, kTokenizer), tokenizer);
  if (!special.unk.empty()) format.other_tokens["unk_token"] = special.unk;
  if (!special.pad.empty()) format.other_tokens["pad_token"] = special.pad;
  const std::string problem = chat_problem(format, tokenizer);
  if (!problem.empty())
    remarks.push_back(fmt::format("{}/{}: {}; the model is imported without chats",
                                  directory.path(), has_file ? kTemplate : kChatSettings, problem));
  return format;
}

nlohmann::json chat_settings(const ChatFormat& format, const Tokenizer& tokenizer) {
  Json settings{{"chat_template", format.source}};
  if (!format.bos_token.empty()) settings["bos_token"] = format.bos_token;
  if (!format.eos_token.empty()) settings["eos_token"] = format.eos_token;
  for (const auto& [name, token] : format.other_tokens) settings[name] = token;
  for (const std::string& mark : format.marks)
    settings["added_tokens_decoder"][fmt::format("{}", tokenizer.id(mark))] = {
        {"content", mark}, {"lstrip", false},      {"normalized", false},
        {"rstrip", false}, {"single_word", false}, {"special", true}};
  return settings;
}

}  // namespace attend
