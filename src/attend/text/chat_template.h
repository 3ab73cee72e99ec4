// Chat templates of language models: the text that a model reads for a conversation. Templates are
// written in Jinja; this is the part of it that they use.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

namespace detail {
class TemplateRun;
using TemplateStatement = std::function<void(TemplateRun& run)>;
}  // namespace detail

// Expressions with members, slices, operators, conditions, filters, tests and methods; if, for,
// set, namespaces, macros; raise_exception(). Const functions may be called from any number of
// threads at once.
class ChatTemplate {
 public:
  // Throws DataError "line 3: ..." for what cannot be read or is not supported.
  explicit ChatTemplate(std::string_view source);

  // `values`: an object, such as {"messages": [{"role": "user", "content": "..."}],
  // "add_generation_prompt": true, "bos_token": "<s>"}. Throws DataError for what the template
  // refuses, and for one that runs or writes too long.
  std::string render(const nlohmann::ordered_json& values) const;

 private:
  std::vector<detail::TemplateStatement> statements_;
};

}  // namespace attend
