// The log-probabilities of the tokens of a continuation, in the forms of OpenAI's completions and
// chat completions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/generator.h"
#include "attend/text/tokenizer.h"

namespace attend {

class TokenLogprobs {
 public:
  explicit TokenLogprobs(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}

  // The tokens of the prompt, before all others, and its text, in which they have their positions.
  void add_prompt(std::span<const GeneratedToken> tokens, std::string_view text);
  void add(const GeneratedToken& token);
  bool empty() const { return tokens_.empty(); }

  // Returns all tokens since the last call: {"tokens", "token_logprobs", "top_logprobs",
  // "text_offset"}, with the position in characters of the text where each token begins. The chosen
  // tokens are among the top ones. What nothing predicts has null for both.
  nlohmann::ordered_json take_completion();
  // {"content": [{"token", "logprob", "bytes", "top_logprobs"}]}.
  nlohmann::ordered_json take_chat();

 private:
  struct Token {
    ScoredToken chosen;
    std::vector<ScoredToken> likeliest;
    std::size_t offset = 0;
  };

  Tokenizer tokenizer_;
  std::vector<Token> tokens_;
  std::size_t written_ = 0;  // characters before the next token
};

// The text of a token. Bytes that are no whole characters: "bytes:\xe2\x82".
std::string shown_token(const Tokenizer& tokenizer, std::int32_t id);

}  // namespace attend
