#include "attend/server/completions/token_logprobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/json/json_text.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/text_stream.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// "token", "logprob" and "bytes" of a chat.
Json chat_json(const Tokenizer& tokenizer, const ScoredToken& token) {
  Json bytes = Json::array();
  for (const char byte : TextStream::token_bytes(tokenizer, token.id))
    bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", shown_token(tokenizer, token.id)},
          {"logprob", json_number(token.score)},
          {"bytes", std::move(bytes)}};
}

}  // namespace

std::string shown_token(const Tokenizer& tokenizer, std::int32_t id) {
  std::string bytes = TextStream::token_bytes(tokenizer, id);
  if (is_utf8(bytes)) return bytes;
  std::string shown = "bytes:";
  for (const char byte : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return shown;
}

void TokenLogprobs::add_prompt(std::span<const GeneratedToken> tokens, std::string_view text) {
  std::string_view rest = text;
  for (const GeneratedToken& token : tokens) {
    std::string own = token.text;
    // The string of a special token may stand in the text.
    if (const std::string bytes = TextStream::token_bytes(tokenizer_, token.id);
        own.empty() && is_utf8(bytes) && rest.starts_with(bytes))
      own = bytes;
    tokens_.push_back({{token.id, token.score}, token.likeliest, written_});
    written_ += count_code_points(own);
    rest.remove_prefix(std::min(own.size(), rest.size()));
  }
  written_ = count_code_points(text);
}

void TokenLogprobs::add(const GeneratedToken& token) {
  tokens_.push_back({{token.id, token.score}, token.likeliest, written_});
  written_ += count_code_points(token.text);
}

Json TokenLogprobs::take_completion() {
  Json tokens = Json::array(), values = Json::array(), tops = Json::array(),
       offsets = Json::array();
  for (const Token& token : tokens_) {
    tokens.push_back(shown_token(tokenizer_, token.chosen.id));
    offsets.push_back(token.offset);
    if (std::isnan(token.chosen.score)) {
      values.push_back(nullptr);
      tops.push_back(nullptr);
      continue;
    }
    values.push_back(json_number(token.chosen.score));
    Json top = Json::object();
    for (const ScoredToken& one : token.likeliest)
      top[shown_token(tokenizer_, one.id)] = json_number(one.score);
    top[tokens.back().get<std::string>()] = values.back();
    tops.push_back(std::move(top));
  }
  tokens_.clear();
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(values)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

Json TokenLogprobs::take_chat() {
  Json content = Json::array();
  for (const Token& token : tokens_) {
    Json one = chat_json(tokenizer_, token.chosen);
    Json top = Json::array();
    for (const ScoredToken& likely : token.likeliest) top.push_back(chat_json(tokenizer_, likely));
    one["top_logprobs"] = std::move(top);
    content.push_back(std::move(one));
  }
  tokens_.clear();
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

}  // namespace attend
