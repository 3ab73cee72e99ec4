// Chats with language models that have a chat template, as OpenAI's.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/server/routes/completion_requests.h"
#include "attend/server/service.h"
#include "attend/tasks/language/chat.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMessages = 512;

// A string, or the texts of a list of parts. Where the template does not go through the parts, each
// is a line, as in vLLM and llama.cpp.
Json content_of(const Json& message, bool as_parts) {
  const auto found = message.find("content");
  if (found == message.end() || found->is_null()) return "";
  if (found->is_string()) return *found;
  constexpr const char* kExpected = "messages: expected contents of text";
  if (!found->is_array()) throw HttpError{400, kExpected};
  std::string text;
  Json parts = Json::array();
  for (const Json& part : *found) {
    const bool is_text = part.is_object() && part.value("type", Json()) == "text" &&
                         part.contains("text") && part["text"].is_string();
    if (!is_text) throw HttpError{400, kExpected};
    if (!parts.empty()) text += '\n';
    text += part["text"].get<std::string>();
    parts.push_back({{"type", "text"}, {"text", part["text"]}});
  }
  return as_parts ? parts : Json(text);
}

// Null and empty members of a message say nothing; others than these would be lost.
void require_text_only(const Json& message) {
  for (const auto& [name, value] : message.items()) {
    const bool is_read =
        name == "role" || name == "content" || (name == "name" && value.is_string());
    const bool says_nothing = value.is_null() || (value.is_structured() && value.empty());
    if (!is_read && !says_nothing)
      throw HttpError{400, fmt::format("messages: expected role and content, {} is not supported",
                                       quote(name))};
  }
}

// `in_parts`: where a content is a list, the template sees its parts.
Json messages_of(const Parameters& p, bool in_parts) {
  const Json& list = *p.find("messages");
  if (!list.is_array() || list.empty() || list.size() > kMostMessages)
    throw HttpError{400, fmt::format("messages: expected a list of 1 to {}", kMostMessages)};
  Json messages = Json::array();
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("role") || !one["role"].is_string())
      throw HttpError{400, "messages: expected objects with role and content"};
    require_text_only(one);
    messages.push_back({{"role", one["role"]}, {"content", content_of(one, in_parts)}});
    if (const Json name = one.value("name", Json()); name.is_string())
      messages.back()["name"] = name;
  }
  return messages;
}

// Names that apply_chat_template() of transformers has for parameters of its own.
constexpr std::string_view kOwnNames[] = {"messages",
                                          "conversation",
                                          "tools",
                                          "documents",
                                          "chat_template",
                                          "add_generation_prompt",
                                          "continue_final_message",
                                          "tokenize"};

ChatOptions chat_options(const Parameters& p) {
  ChatOptions options;
  options.continue_final_message = p.flag("continue_final_message", false);
  options.add_generation_prompt = p.flag("add_generation_prompt", !options.continue_final_message);
  if (options.continue_final_message && options.add_generation_prompt)
    throw HttpError{400, "continue_final_message: not together with add_generation_prompt"};
  if (const Json* const values = p.find("chat_template_kwargs")) {
    if (!values->is_object()) throw HttpError{400, "chat_template_kwargs: expected an object"};
    for (const std::string_view name : kOwnNames)
      if (values->contains(name))
        throw HttpError{400, fmt::format("chat_template_kwargs: {} is not supported here", name)};
    options.values = *values;
  }
  if (const Json* const documents = p.find("documents")) {
    const bool are_objects =
        documents->is_array() && std::all_of(documents->begin(), documents->end(),
                                             [](const Json& one) { return one.is_object(); });
    if (!are_objects) throw HttpError{400, "documents: expected a list of objects"};
    options.values["documents"] = *documents;
  }
  return options;
}

}  // namespace

void chat(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Generator>(p.text("model"));
  if (!model->chat_problem.empty())
    throw HttpError{400, fmt::format("the model {} cannot chat: {}; use /v1/completions",
                                     quote(model->name), printable(model->chat_problem))};
  if (model->chat == nullptr)
    throw HttpError{400, fmt::format("the model {} has no chat template; use /v1/completions",
                                     quote(model->name))};
  CompletionRequest request = completion_request(p, model);
  request.logprobs = p.flag("logprobs", false);
  request.options.likeliest = static_cast<int>(p.whole("top_logprobs", 0, kMostLikeliest, 0));
  if (request.options.likeliest > 0 && !request.logprobs)
    throw HttpError{400, "top_logprobs: needs \"logprobs\": true"};
  const ChatOptions options = chat_options(p);
  request.in_message = options.continue_final_message;
  const bool in_parts = model->chat->reads_parts() && !options.continue_final_message;
  request.conversation = model->chat->tokens(messages_of(p, in_parts), options);
  if (request.conversation.empty())
    throw HttpError{400, "messages: the chat template writes nothing for them"};
  // The default is the rest of the context.
  request.options.max_tokens =
      most_tokens(p, 1, call->service.options().max_new_tokens,
                  model->as<Generator>()->context() - std::ssize(request.conversation));
  complete(call, std::move(request));
}

}  // namespace attend
