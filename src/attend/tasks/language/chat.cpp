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

std::string without_divider(std::string_view text) {
  std::string result;
  for (std::size_t at; (at = text.find(kDivider)) != text.npos;) {
    result += text.substr(0, at);
    text.remove_prefix(at + kDivider.size());
  }
  return result.append(text);
}

// With a divider after the first character of every mark.
std::string divided(std::string_view content, const std::vector<std::string>& marks) {
  const std::string text = without_divider(content);
  std::vector<bool> is_cut(text.size() + 1, false);
  for (const std::string& mark : marks)
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      is_cut[at + 1] = true;
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_cut[at]) result += kDivider;
    result += text[at];
  }
  return result;
}

// Finds the marks of a text from the left, the longest of several at one place.
class MarkFinder {
 public:
  struct Found {
    std::size_t at = std::string_view::npos;
    std::string_view mark = {};
  };

  MarkFinder(std::string_view text, const std::vector<std::string>& marks) : text_(text) {
    for (const std::string& mark : marks) next_.push_back({text.find(mark), mark});
  }

  // The first one that does not begin before `from`, which never decreases.
  Found first_from(std::size_t from) {
    Found first;
    for (Found& next : next_) {
      if (next.at < from) next.at = text_.find(next.mark, from);
      if (next.at < first.at || (next.at == first.at && next.mark.size() > first.mark.size()))
        first = next;
    }
    return first;
  }

 private:
  std::string_view text_;
  std::vector<Found> next_;  // of every mark
};

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
  MarkFinder marks(text, format_.marks);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto [at, mark] = marks.first_from(begin);
    const std::string before =
        without_divider(std::string_view(text).substr(begin, at == text.npos ? at : at - begin));
    if (!before.empty())
      for (const std::int32_t id : tokenizer_.encode(before)) tokens.push_back(id);
    if (at == text.npos) break;
    tokens.push_back(tokenizer_.id(mark));
    begin = at + mark.size();
  }
  return tokens;
}

void require_usable(const ChatFormat& format, const Tokenizer& tokenizer) {
  const Chat chat(format, tokenizer);
  if (chat.tokens({{{"role", "user"}, {"content", "Hello!"}}}).empty())
    throw DataError("chat template: it writes nothing for a question");
}

}  // namespace attend
