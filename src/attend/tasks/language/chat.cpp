#include "attend/tasks/language/chat.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/json.h"
#include "attend/core/json_text.h"
#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Put into marks that stand in a content, and taken out again: no text has this character.
constexpr std::string_view kDivider = "\ufdd0";

std::string text_member(const Json& json, const char* name, const std::string& where) {
  const Json& value = json_member(json, name, where);
  if (!value.is_string()) throw DataError(fmt::format("{}: {}: expected a string", where, name));
  return value.get<std::string>();
}

std::string without_divider(std::string text) {
  for (std::size_t at = text.find(kDivider); at != text.npos; at = text.find(kDivider, at))
    text.erase(at, kDivider.size());
  return text;
}

// With a divider behind the first character of every mark.
std::string divided(std::string text, const std::vector<std::string>& marks) {
  text = without_divider(std::move(text));
  for (const std::string& mark : marks)
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      text.insert(at + 1, kDivider);
  return text;
}

// The first mark in the text, the longest of several at one place; npos if there is none.
std::pair<std::size_t, std::string_view> first_mark(std::string_view text,
                                                    const std::vector<std::string>& marks) {
  std::pair<std::size_t, std::string_view> first{text.npos, {}};
  for (const std::string& mark : marks) {
    const std::size_t at = text.find(mark);
    if (at < first.first ||
        (at == first.first && at != text.npos && mark.size() > first.second.size()))
      first = {at, mark};
  }
  return first;
}

}  // namespace

std::string ChatFormat::to_json() const {
  return json_text(Json{
      {"template", source}, {"bos_token", bos_token}, {"eos_token", eos_token}, {"marks", marks}});
}

ChatFormat ChatFormat::from_json(std::string_view text, const std::string& where) {
  const Json json = parse_json(text, where);
  ChatFormat format{text_member(json, "template", where), text_member(json, "bos_token", where),
                    text_member(json, "eos_token", where)};
  for (const Json& mark : json_member(json, "marks", where)) {
    if (!mark.is_string()) throw DataError(where + ": marks: expected strings");
    format.marks.push_back(mark);
  }
  return format;
}

Chat::Chat(const ChatFormat& format, Tokenizer tokenizer)
    : template_([&] {
        try {
          return ChatTemplate(format.source);
        } catch (const DataError& error) {
          throw DataError(fmt::format("chat template: {}", error.what()));
        }
      }()),
      format_(format),
      tokenizer_(std::move(tokenizer)) {
  for (const std::string& mark : format_.marks)
    if (mark.size() < 2 || tokenizer_.piece(std::max(0, tokenizer_.id(mark))) != mark)
      throw DataError(fmt::format("chat template: {} is no token of the model", quote(mark)));
}

std::vector<std::int32_t> Chat::tokens(nlohmann::ordered_json messages) const {
  for (Json& message : messages)
    message["content"] = divided(message["content"].get<std::string>(), format_.marks);
  const std::string text = template_.render(Json{{"messages", std::move(messages)},
                                                 {"add_generation_prompt", true},
                                                 {"bos_token", format_.bos_token},
                                                 {"eos_token", format_.eos_token}});
  std::vector<std::int32_t> tokens;
  for (std::string_view rest = text; !rest.empty();) {
    const auto [at, mark] = first_mark(rest, format_.marks);
    const std::string before = without_divider(std::string(rest.substr(0, at)));
    if (!before.empty())
      for (const std::int32_t id : tokenizer_.encode(before)) tokens.push_back(id);
    if (at == rest.npos) break;
    tokens.push_back(tokenizer_.id(mark));
    rest.remove_prefix(at + mark.size());
  }
  return tokens;
}

void require_usable(const ChatFormat& format, const Tokenizer& tokenizer) {
  const Chat chat(format, tokenizer);
  if (chat.tokens({{{"role", "user"}, {"content", "Hello!"}}}).empty())
    throw DataError("chat template: it writes nothing for a question");
}

}  // namespace attend
