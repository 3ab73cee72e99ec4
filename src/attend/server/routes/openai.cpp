// The routes of OpenAI.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "attend/core/base64.h"
#include "attend/core/json.h"
#include "attend/core/json_text.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/server/completion.h"
#include "attend/server/gathering.h"
#include "attend/server/http/form.h"
#include "attend/server/routes/openai_fields.h"
#include "attend/server/routes/vectors.h"
#include "attend/server/service.h"
#include "attend/text/text_stream.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Prompts or texts in one request.
constexpr std::size_t kMostInputs = 2048;
constexpr std::size_t kMostEchoed = 4 << 20;  // bytes of prompts in a response
constexpr std::size_t kLongestStop = 1024;
constexpr std::size_t kMostMessages = 512;
constexpr std::int64_t kMostLikeliest = 20;  // tokens beside each, as in OpenAI's chats

// Ids as text.
std::string text_of(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  try {
    TextStream stream(tokenizer, TextStream::LineBreaks::kept);
    std::string text;
    for (const std::int32_t id : ids) text += stream.add(id);
    return text + stream.finish();
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
}

CompletionPrompt input_of(const Json& value, std::string_view name, const Tokenizer& tokenizer) {
  if (value.is_string()) return {value.get<std::string>()};
  try {
    std::vector<std::int32_t> ids = json_ids(value, name);
    if (ids.empty()) throw HttpError{400, fmt::format("{}: expected at least one token", name)};
    std::string text = text_of(ids, tokenizer);
    return {std::move(text), std::move(ids)};
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
}

// A string, a list of strings, a list of ids, or a list of lists of ids.
std::vector<CompletionPrompt> inputs_of(const Parameters& parameters, std::string_view name,
                                        const Tokenizer& tokenizer) {
  const Json& value = *parameters.find(name);
  const bool is_one =
      value.is_string() || (value.is_array() && !value.empty() && value.front().is_number());
  if (is_one) return {input_of(value, name, tokenizer)};
  if (!value.is_array() || value.empty() || value.size() > kMostInputs)
    throw HttpError{400,
                    fmt::format("{}: expected a string or a list of 1 to {}", name, kMostInputs)};
  std::vector<CompletionPrompt> inputs;
  for (const Json& one : value) inputs.push_back(input_of(one, name, tokenizer));
  return inputs;
}

std::vector<std::string> stops_of(const Parameters& parameters) {
  std::vector<std::string> stops = parameters.texts("stop");
  if (stops.size() > 16) throw HttpError{400, "stop: expected at most 16 strings"};
  for (const std::string& stop : stops)
    if (stop.size() > kLongestStop)
      throw HttpError{400, fmt::format("stop: expected strings of at most {} bytes", kLongestStop)};
  std::erase(stops, "");
  return stops;
}

// The tokens to write: what the request says, at most as many as the server allows.
int most_tokens(const Parameters& p, std::int64_t allowed, std::int64_t if_absent) {
  const char* const name = p.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  const std::int64_t most = p.whole(name, 1, std::numeric_limits<int>::max(),
                                    std::clamp<std::int64_t>(if_absent, 1, allowed));
  if (most > allowed)
    throw HttpError{400, fmt::format("{}: expected at most {}, the max-new-tokens of the server, "
                                     "got {}",
                                     name, allowed, most)};
  return static_cast<int>(most);
}

GenerationOptions generation_options(const Parameters& p, const Generator& generator) {
  GenerationOptions options = generator.default_options();
  options.sampling.seed = p.seed("seed", 1);
  options.sampling.top_p = static_cast<float>(p.number("top_p", 0, 1, options.sampling.top_p));
  options.sampling.top_k = static_cast<int>(p.whole("top_k", -1, 1 << 24, options.sampling.top_k));
  options.sampling.temperature =
      static_cast<float>(p.number("temperature", 0, 100, options.sampling.temperature));
  options.repetition_penalty =
      static_cast<float>(p.number("repetition_penalty", 1e-6, 1e6, options.repetition_penalty));
  options.min_tokens = static_cast<int>(p.whole("min_tokens", 0, 1 << 20, options.min_tokens));
  return options;
}

// Whether the stream ends with the numbers of tokens.
bool wants_usage(const Parameters& p) {
  static constexpr std::string_view kMembers[] = {"include_usage", "include_obfuscation",
                                                  "continuous_usage_stats"};
  const Json* const options = p.object("stream_options", kMembers);
  if (options == nullptr) return false;
  if (options->value("continuous_usage_stats", Json()) == Json(true))
    throw HttpError{400, "stream_options: continuous_usage_stats is not supported"};
  const Json usage = options->value("include_usage", Json());
  if (!usage.is_null() && !usage.is_boolean())
    throw HttpError{400, "stream_options: expected true or false as include_usage"};
  return usage == Json(true);
}

// What completions and chats have in common.
CompletionRequest request_of(const Parameters& p, const ServedModelPointer& model) {
  CompletionRequest request{.model = model};
  request.choices = static_cast<int>(p.whole("n", 1, 128, 1));
  request.options = generation_options(p, *model->as<Generator>());
  request.stops = stops_of(p);
  request.stream = p.flag("stream", false);
  request.stream_usage = wants_usage(p);
  return request;
}

void completions(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  CompletionRequest request =
      request_of(p, call->service.models().find<Generator>(p.text("model")));
  request.options.max_tokens = most_tokens(p, call->service.options().max_new_tokens, 16);
  request.options.special_tokens = p.flag("special_tokens", false);
  request.prompts = inputs_of(p, "prompt", request.model->tokenizer);
  if (request.prompts.size() * static_cast<std::size_t>(request.choices) > kMostInputs)
    throw HttpError{
        400, fmt::format("prompt and n: expected at most {} continuations in all", kMostInputs)};
  if (p.whole("best_of", 1, 128, request.choices) != request.choices)
    throw HttpError{400, "best_of: expected the same number as n, as nothing else is supported"};
  request.echo = p.flag("echo", false);
  std::size_t echoed = 0;
  for (const CompletionPrompt& prompt : request.prompts)
    echoed += prompt.text.size() * static_cast<std::size_t>(request.choices);
  if (request.echo && echoed > kMostEchoed)
    throw HttpError{
        413, fmt::format("echo: expected prompts of at most {} bytes in all choices", kMostEchoed)};
  request.logprobs = p.has("logprobs");
  request.options.likeliest = static_cast<int>(p.whole("logprobs", 0, kMostLikeliest, 0));
  if (request.logprobs && request.echo) throw HttpError{400, "logprobs: not with echo"};
  complete(call, std::move(request));
}

// A string, or the texts of a list of parts.
std::string content_of(const Json& message) {
  const auto found = message.find("content");
  if (found == message.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  std::string text;
  for (const Json& part : *found) {
    const bool is_text = part.is_object() && part.value("type", Json()) == "text" &&
                         part.contains("text") && part["text"].is_string();
    if (!is_text) throw HttpError{400, "messages: expected contents of text"};
    text += part["text"].get<std::string>();
  }
  return text;
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

Json messages_of(const Parameters& p) {
  const Json& list = *p.find("messages");
  if (!list.is_array() || list.empty() || list.size() > kMostMessages)
    throw HttpError{400, fmt::format("messages: expected a list of 1 to {}", kMostMessages)};
  Json messages = Json::array();
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("role") || !one["role"].is_string())
      throw HttpError{400, "messages: expected objects with role and content"};
    require_text_only(one);
    messages.push_back({{"role", one["role"]}, {"content", content_of(one)}});
    if (const Json name = one.value("name", Json()); name.is_string())
      messages.back()["name"] = name;
  }
  return messages;
}

void chat(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Generator>(p.text("model"));
  if (!model->chat_problem.empty())
    throw HttpError{400, fmt::format("the model {} cannot chat: {}; use /v1/completions",
                                     quote(model->name), printable(model->chat_problem))};
  if (model->chat == nullptr)
    throw HttpError{400, fmt::format("the model {} has no chat template; use /v1/completions",
                                     quote(model->name))};
  CompletionRequest request = request_of(p, model);
  request.logprobs = p.flag("logprobs", false);
  request.options.likeliest = static_cast<int>(p.whole("top_logprobs", 0, kMostLikeliest, 0));
  if (request.options.likeliest > 0 && !request.logprobs)
    throw HttpError{400, "top_logprobs: needs \"logprobs\": true"};
  request.conversation = model->chat->tokens(messages_of(p));
  if (request.conversation.empty())
    throw HttpError{400, "messages: the chat template writes nothing for them"};
  // By default the rest of the context.
  request.options.max_tokens =
      most_tokens(p, call->service.options().max_new_tokens,
                  model->as<Generator>()->context() - std::ssize(request.conversation));
  complete(call, std::move(request));
}

Json vector_json(const std::vector<float>& values, bool base64) {
  if (!base64) {
    Json list = Json::array();
    for (const float value : values) list.push_back(json_number(value));
    return list;
  }
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return to_base64(bytes);
}

// A model embeds texts: that of ids only if its tokens are these, perhaps with those around a text.
std::string text_to_embed(CompletionPrompt input, const Tokenizer& tokenizer) {
  if (input.ids.empty()) return std::move(input.text);
  const SpecialTokens& special = tokenizer.special_tokens();
  std::span<const std::int32_t> ids = input.ids;
  if (ids.front() == special.bos) ids = ids.subspan(1);
  if (!ids.empty() && ids.back() == special.eos) ids = ids.first(ids.size() - 1);
  if (!std::ranges::equal(tokenizer.encode(input.text), ids))
    throw HttpError{400,
                    "input: the model's tokenizer splits the text of these ids into other tokens; "
                    "send the text"};
  return std::move(input.text);
}

void embeddings(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Embedder>(p.text("model"));
  const std::string format = p.text("encoding_format", "float");
  if (format != "float" && format != "base64")
    throw HttpError{
        400, fmt::format("encoding_format: expected float or base64, got {}", quote(format))};
  const std::int64_t width = dimensions_of(p, *model->as<Embedder>());
  std::vector<std::string> inputs;
  for (CompletionPrompt& input : inputs_of(p, "input", model->tokenizer))
    inputs.push_back(text_to_embed(std::move(input), model->tokenizer));
  std::int64_t tokens = 0;
  for (const std::string& input : inputs) tokens += std::ssize(model->tokenizer.encode(input));
  const std::size_t count = inputs.size();
  const auto done = [call, model, tokens, width,
                     base64 = format == "base64"](const std::vector<Embedding>& embedded) {
    Json data = Json::array();
    for (const Embedding& one : embedded)
      data.push_back({{"object", "embedding"},
                      {"index", data.size()},
                      {"embedding", vector_json(first_values(one, width, width > 0), base64)}});
    call->respond({{"object", "list"},
                   {"data", std::move(data)},
                   {"model", model->name},
                   {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
  };
  call->on_hang_up(call->service.jobs().submit(
      *model->as<Embedder>(), EmbeddingRequest{std::move(inputs)},
      gather<Embedding>(count, done, [call](std::exception_ptr error) { call->fail(error); }),
      call->spend()));
}

Json listed_model(const ServedModel& model) {
  return {{"id", model.name},
          {"object", "model"},
          {"created", model.loaded},
          {"owned_by", "attend"},
          {"task", model.task}};
}

void models(const std::shared_ptr<Call>& call) {
  Json data = Json::array();
  for (const ServedModelPointer& model : call->service.models().all())
    data.push_back(listed_model(*model));
  call->respond({{"object", "list"}, {"data", std::move(data)}});
}

constexpr std::string_view kOneModelPath = "/v1/models/";

void one_model(const std::shared_ptr<Call>& call) {
  const std::string_view path = call->exchange->request().path;
  const std::string name = decoded_path_text(path.substr(kOneModelPath.size()));
  for (const ServedModelPointer& model : call->service.models().all())
    if (model->name == name) return call->respond(listed_model(*model));
  throw HttpError{404, fmt::format("there is no model {}", quote(name))};
}

}  // namespace

std::vector<Route> openai_routes() {
  const std::string_view group = "OpenAI";
  return {{"POST", "/v1/completions", group, "Continue texts with a language model",
           completion_fields(), R"({"prompt": "The old dog", "max_tokens": 20, "temperature": 0})",
           completions, Dialect::openai},
          {"POST", "/v1/chat/completions", group,
           "Answer messages with a language model that has a chat template", chat_fields(),
           R"({"messages": [{"role": "user", "content": "How are you?"}], "max_tokens": 50})", chat,
           Dialect::openai},
          {"POST", "/v1/embeddings", group, "Turn texts into vectors", embedding_fields(),
           R"({"input": ["A dog sleeps.", "A cat eats."]})", embeddings, Dialect::openai},
          {"GET", "/v1/models", group, "List the models", {}, "", models, Dialect::openai},
          {"GET", kOneModelPath, group, "Describe a model", {}, "", one_model, Dialect::openai}};
}

}  // namespace attend
