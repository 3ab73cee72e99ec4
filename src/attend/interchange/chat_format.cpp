#include "attend/interchange/chat_format.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_directory.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"

namespace attend {
namespace {

using Json = nlohmann::json;

constexpr const char* kChatSettings = "tokenizer_config.json";
constexpr const char* kTokenizer = "tokenizer.json";
constexpr const char* kTemplate = "chat_template.jinja";
constexpr const char* kTemplates = "additional_chat_templates";

Json settings_in(const ModelDirectory& directory, const char* name) {
  if (!directory.contains(name)) return Json::object();
  const std::string where = directory.path() + "/" + name;
  Json json = parse_sorted_json(directory.text(name), where);
  if (!json.is_object()) throw DataError(where + ": expected an object");
  return json;
}

// Templates by name, as transformers finds them: those in files, otherwise those in the settings. A
// single one is the default.
struct Templates {
  std::map<std::string, std::string> by_name = {};
  std::string where = {};  // the file of the default
  bool is_readable = true;

  void add(const Json& name, const Json& source) {
    is_readable = is_readable && name.is_string() && source.is_string();
    if (is_readable) by_name[name.get<std::string>()] = source.get<std::string>();
  }
};

Templates templates_in_files(const ModelDirectory& directory) {
  Templates templates;
  if (directory.contains(kTemplate)) {
    templates.add("default", directory.text(kTemplate));
    templates.where = kTemplate;
  }
  if (!directory.contains(kTemplates) || directory.is_in_memory()) return templates;
  const ModelDirectory others = directory.folder(kTemplates);
  constexpr std::string_view kEnd = ".jinja";
  for (const std::string& name : others.names()) {
    if (!name.ends_with(kEnd)) continue;
    templates.add(name.substr(0, name.size() - kEnd.size()), others.text(name));
    if (templates.where.empty() || name == "default.jinja")
      templates.where = std::string(kTemplates) + "/" + name;
  }
  return templates;
}

// A text, a list of {"name", "template"}, or an object of texts by their names.
Templates templates_in_settings(const Json& settings) {
  Templates templates;
  templates.where = kChatSettings;
  const Json value = settings.value("chat_template", Json());
  if (value.is_string()) {
    templates.add("default", value);
  } else if (value.is_object()) {
    for (const auto& [name, source] : value.items()) templates.add(name, source);
  } else if (value.is_array()) {
    for (const Json& one : value)
      one.is_object() ? templates.add(one.value("name", Json()), one.value("template", Json()))
                      : templates.add({}, {});
  } else {
    templates.is_readable = value.is_null();
  }
  return templates;
}

// A text, or an object with the text as its content. Empty: neither.
std::string token_in(const Json& value) {
  const Json text = value.is_object() ? value.value("content", Json()) : value;
  return text.is_string() ? text.get<std::string>() : "";
}

// The tokens that a file names: those of every model, and those of this one, such as "image_token".
std::map<std::string, std::string> named_tokens(const Json& file) {
  std::map<std::string, std::string> tokens;
  const auto add = [&](const std::string& name, const Json& value) {
    if (std::string token = token_in(value); !token.empty()) tokens[name] = std::move(token);
  };
  for (const auto& [name, value] : file.items())
    if (name.ends_with("_token")) add(name, value);
  for (const char* more : {"extra_special_tokens", "model_specific_special_tokens"}) {
    const auto found = file.find(more);
    if (found == file.end() || !found->is_object()) continue;
    for (const auto& [name, value] : found->items()) add(name, value);
  }
  return tokens;
}

// The special tokens of tokenizer.json and of the files beside it, if the vocabulary has them and
// does not just fill up rows of the embeddings with them.
std::vector<std::string> marks_in(const Json& tokenizer_file,
                                  std::initializer_list<const Json*> others,
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
  for (const Json& token : tokenizer_file.value("added_tokens", Json::array())) add(token);
  const auto add_special = [&](const Json& token) {
    add({{"special", true}, {"content", token_in(token)}});
  };
  for (const Json* file : others) {
    for (const Json& token : file->value("added_tokens_decoder", Json::object())) add(token);
    for (const auto& [name, token] : named_tokens(*file)) add_special(token);
    for (const char* list : {"additional_special_tokens", "extra_special_tokens"})
      for (const Json& token : file->value(list, Json::array())) add_special(token);
  }
  return {marks.begin(), marks.end()};
}

}  // namespace

std::optional<ChatFormat> read_chat_format(const ModelDirectory& directory,
                                           const Tokenizer& tokenizer,
                                           std::vector<std::string>& remarks) {
  const Json settings = settings_in(directory, kChatSettings);
  Templates templates = templates_in_files(directory);
  if (templates.by_name.empty()) templates = templates_in_settings(settings);
  const std::string where = directory.path() + "/" + templates.where;
  const auto found = templates.by_name.find("default");
  if (!templates.is_readable || found == templates.by_name.end()) {
    if (!templates.is_readable || !templates.by_name.empty())
      remarks.push_back(fmt::format(
          "{}: chat_template: expected a text, or a list with one named default; the model is "
          "imported without chats",
          where));
    return std::nullopt;
  }
  if (found->second.empty()) return std::nullopt;
  ChatFormat format{.source = found->second};
  // An older file, which counts where the settings do not list the tokens themselves.
  const Json older = settings.contains("added_tokens_decoder")
                         ? Json::object()
                         : settings_in(directory, "special_tokens_map.json");
  format.other_tokens = named_tokens(older);  // the first file that names one counts
  format.other_tokens.merge(named_tokens(settings));
  const auto taken = [&](const char* name) {
    const auto token = format.other_tokens.extract(name);
    return token.empty() ? std::string() : token.mapped();
  };
  format.bos_token = taken("bos_token");
  format.eos_token = taken("eos_token");
  format.marks = marks_in(settings_in(directory, kTokenizer), {&settings, &older}, tokenizer);
  const std::string problem = chat_problem(format, tokenizer);
  if (!problem.empty())
    remarks.push_back(fmt::format("{}: {}; the model is imported without chats", where, problem));
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
