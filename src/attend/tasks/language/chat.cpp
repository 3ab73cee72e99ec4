#include "attend/tasks/language/chat.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Put into marks that stand in a message, and taken out again: no text has this character.
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

// The bytes of the first character; one if there is no other character.
std::size_t size_of_first(std::string_view mark) {
  std::size_t size = 0;
  next_code_point(mark, size);
  return size < mark.size() ? size : 1;
}

// With a divider after the first character of every mark.
std::string divided(std::string_view content, const std::vector<std::string>& marks) {
  const std::string text = without_divider(content);
  std::vector<bool> is_cut(text.size() + 1, false);
  for (const std::string& mark : marks) {
    const std::size_t first = size_of_first(mark);
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      is_cut[at + first] = true;
  }
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_cut[at]) result += kDivider;
    result += text[at];
  }
  return result;
}

// The same for every string in a value.
void divide(Json& value, const std::vector<std::string>& marks) {
  if (value.is_string()) value = divided(value.get<std::string>(), marks);
  if (value.is_structured())
    for (Json& part : value) divide(part, marks);
}

// Stands after the text of a message that is continued. A template may trim the space at its end,
// and then trims those of the message.
constexpr std::string_view kContinued = "THE_MESSAGE_CONTINUES_HERE ";

// What the template has written up to there.
std::string text_to_continue(const std::string& written, std::string_view message) {
  const std::string_view word = unicode::strip_right(kContinued);
  const std::size_t end = written.rfind(word);
  if (end == written.npos || written.find(unicode::strip(message)) == written.npos)
    throw DataError(
        "the last message cannot be continued: the chat template does not write it as "
        "it is");
  const std::string text = written.substr(0, end);
  if (std::string_view(written).substr(end).starts_with(kContinued)) return text;
  return std::string(unicode::strip_right(text));
}

// The parts between dividers.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = text.find(kDivider)) != text.npos;) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + kDivider.size());
  }
  parts.push_back(text);
  return parts;
}

// The words, each with the spaces before it: tokenizers split text there in any case.
std::vector<std::string_view> words_of(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (!is_space(text[at]) || is_space(text[at - 1])) continue;
    words.push_back(text.substr(begin, at - begin));
    begin = at;
  }
  words.push_back(text.substr(begin));
  return words;
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
  Json json{
      {"template", source}, {"bos_token", bos_token}, {"eos_token", eos_token}, {"marks", marks}};
  if (!other_tokens.empty()) json["other_tokens"] = other_tokens;
  return json_text(json);
}

ChatFormat ChatFormat::from_json(std::string_view text, const std::string& where) {
  const Json json = parse_json(text, where);
  ChatFormat format{text_member(json, "template", where), text_member(json, "bos_token", where),
                    text_member(json, "eos_token", where)};
  for (const Json& mark : json_member(json, "marks", where)) {
    if (!mark.is_string()) throw DataError(where + ": marks: expected strings");
    format.marks.push_back(mark);
  }
  if (!json.contains("other_tokens")) return format;
  for (const auto& [name, token] : json["other_tokens"].items()) {
    if (!token.is_string()) throw DataError(where + ": other_tokens: expected strings");
    format.other_tokens[name] = token;
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
      tokenizer_(std::move(tokenizer)),
      reads_parts_(template_.reads_parts()),
      is_mark_(static_cast<std::size_t>(tokenizer_.vocab_size()), false) {
  for (const std::string& mark : format_.marks) {
    const std::int32_t id = std::max(0, tokenizer_.id(mark));
    if (mark.size() < 2 || tokenizer_.piece(id) != mark)
      throw DataError(fmt::format("chat template: {} is no token of the model", quote(mark)));
    // What is unknown in a text gets this id, and is no role.
    if (id != tokenizer_.unk_id()) is_mark_[static_cast<std::size_t>(id)] = true;
    // SentencePiece has no text that begins with a symbol of the user: it puts a space before it.
    const auto is_mark = [&](const std::string& text) {
      return tokenizer_.encode(text, SpecialText::as_tokens) == std::vector{id};
    };
    marks_are_tokens_ = marks_are_tokens_ && is_mark(mark);
    spaces_[mark] = {is_mark("\n" + mark), is_mark(mark + "\n")};
  }
}

bool Chat::append_unmarked(std::string_view text, std::vector<std::int32_t>& tokens) const {
  if (text.empty()) return true;
  const std::vector<std::int32_t> ids =
      tokens.empty() ? tokenizer_.encode(text) : tokenizer_.encode_rest(text);
  for (const std::int32_t id : ids)
    if (is_mark_[static_cast<std::size_t>(id)]) return false;
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  return true;
}

// Marks may take the white space beside them, and tokenizers treat what follows them in their own
// ways: the tokens are those of the whole text, unless a message looks like a mark in it.
std::vector<std::int32_t> Chat::tokens_of_whole(std::string_view text) const {
  if (!marks_are_tokens_ || text.find(kDivider) != text.npos) return {};
  std::vector<std::int32_t> tokens = tokenizer_.encode(text, SpecialText::as_tokens), found, wanted;
  const SpecialTokens& special = tokenizer_.special_tokens();
  for (const std::int32_t id : tokens)
    if (is_mark_[static_cast<std::size_t>(id)] || id == special.bos || id == special.eos ||
        id == special.pad)
      found.push_back(id);
  MarkFinder marks(text, format_.marks);
  for (auto next = marks.first_from(0); next.at != text.npos;
       next = marks.first_from(next.at + next.mark.size()))
    wanted.push_back(tokenizer_.id(next.mark));
  return found == wanted ? tokens : std::vector<std::int32_t>{};
}

// Some tokenizers find marks as they stand in a text, or after normalization: of letters of full
// width, for example. Only then is the text cut, the finer the smaller the part with the mark. A
// character that is a mark alone is left out.
void Chat::append_text(std::string_view text, std::vector<std::int32_t>& tokens) const {
  if (append_unmarked(without_divider(text), tokens)) return;
  for (const std::string_view part : parts_of(text)) {
    if (append_unmarked(part, tokens)) continue;
    for (const std::string_view word : words_of(part)) {
      if (append_unmarked(word, tokens)) continue;
      for (const std::string_view character : characters_of(word))
        append_unmarked(character, tokens);
    }
  }
}

std::string Chat::text(nlohmann::ordered_json messages, const ChatOptions& options) const {
  std::string last;
  if (options.continue_final_message) {
    if (messages.empty() || !messages.back().value("content", Json()).is_string())
      throw DataError("the last message cannot be continued: it has no content");
    last = messages.back()["content"];
    messages.back()["content"] = last + std::string(kContinued);
  }
  // Tools and documents are none, not undefined, as transformers has it.
  Json values{{"messages", std::move(messages)},
              {"tools", nullptr},
              {"documents", nullptr},
              {"add_generation_prompt", options.add_generation_prompt}};
  for (const auto& [name, token] : format_.other_tokens) values[name] = token;
  if (!format_.bos_token.empty()) values["bos_token"] = format_.bos_token;
  if (!format_.eos_token.empty()) values["eos_token"] = format_.eos_token;
  values.update(options.values);
  const std::string text = template_.render(values);
  return options.continue_final_message ? text_to_continue(text, last) : text;
}

std::vector<std::int32_t> Chat::tokens(nlohmann::ordered_json messages,
                                       const ChatOptions& options) const {
  ChatOptions plain = options;
  divide(messages, format_.marks);
  divide(plain.values, format_.marks);
  const std::string text = this->text(std::move(messages), plain);
  std::vector<std::int32_t> tokens = tokens_of_whole(text);
  if (!tokens.empty()) return tokens;
  MarkFinder marks(text, format_.marks);
  bool taken = false;  // the white space after the last mark
  for (std::size_t begin = 0; begin < text.size();) {
    const auto [at, mark] = marks.first_from(begin);
    std::string_view part = std::string_view(text).substr(begin, at == text.npos ? at : at - begin);
    const Sides takes = at == text.npos ? Sides{} : spaces_.find(mark)->second;
    if (taken) part = unicode::strip_left(part);
    append_text(takes.left ? unicode::strip_right(part) : part, tokens);
    if (at == text.npos) break;
    tokens.push_back(tokenizer_.id(mark));
    taken = takes.right;
    begin = at + mark.size();
  }
  return tokens;
}

std::string chat_problem(const ChatFormat& format, const Tokenizer& tokenizer) {
  try {
    require_usable(format, tokenizer);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

void require_usable(const ChatFormat& format, const Tokenizer& tokenizer) {
  const Chat chat(format, tokenizer);
  if (chat.tokens({{{"role", "user"}, {"content", "Hello!"}}}).empty())
    throw DataError("chat template: it writes nothing for a question");
}

}  // namespace attend
