// Chat templates of language models: the text that a model reads for a conversation. Templates are
// written in Jinja. What this writes is what Jinja writes, in the environment that transformers
// gives to chat templates; what it cannot do alike is refused when it is reached.
#pragma once

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

// Const functions may be called from any number of threads at once.
class ChatTemplate {
 public:
  // Throws DataError "line 3: ..." for what Jinja does not read either.
  explicit ChatTemplate(std::string_view source);

  // `values`: an object, such as {"messages": [{"role": "user", "content": "..."}],
  // "add_generation_prompt": true, "bos_token": "<s>"}. now: what strftime_now() says; without,
  // the time of the machine. Throws DataError for what the template refuses, "... is not supported"
  // for what Jinja could do, and for a template that runs or writes too long.
  std::string render(const nlohmann::ordered_json& values,
                     std::optional<std::tm> now = std::nullopt) const;

  // Whether it goes through the parts of a message's content; others expect one text.
  bool reads_parts() const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

}  // namespace attend
