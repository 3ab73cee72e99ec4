// The routes of OpenAI.
#include <fmt/format.h>

#include <cstring>

#include "attend/core/base64.h"
#include "attend/core/json.h"
#include "attend/core/json_text.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/server/completion.h"
#include "attend/server/gathering.h"
#include "attend/server/http/form.h"
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

// Ids as text: a prompt or an input of tokens.
std::string text_of(const Json& ids, std::string_view name, const Tokenizer& tokenizer) {
  try {
    TextStream stream(tokenizer, TextStream::LineBreaks::kept);
    std::string text;
    for (const std::int32_t id : json_ids(ids, name)) text += stream.add(id);
    return text + stream.finish();
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
}

// A string, a list of strings, a list of ids, or a list of lists of ids.
std::vector<std::string> inputs_of(const Parameters& parameters, std::string_view name,
                                   const Tokenizer& tokenizer) {
  const Json& value = *parameters.find(name);
  if (value.is_string()) return {value.get<std::string>()};
  const bool is_ids = value.is_array() && !value.empty() && value.front().is_number();
  if (is_ids) return {text_of(value, name, tokenizer)};
  if (!value.is_array() || value.empty() || value.size() > kMostInputs)
    throw HttpError{400,
                    fmt::format("{}: expected a string or a list of 1 to {}", name, kMostInputs)};
  std::vector<std::string> inputs;
  for (const Json& one : value)
    inputs.push_back(one.is_string() ? one.get<std::string>() : text_of(one, name, tokenizer));
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

// `most_tokens`: by default.
GenerationOptions generation_options(const Parameters& p, const Generator& generator,
                                     std::int64_t most_tokens) {
  GenerationOptions options = generator.default_options();
  const char* const limit = p.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  options.max_tokens = static_cast<int>(p.whole(limit, 1, 1 << 20, most_tokens));
  options.sampling.seed = static_cast<std::uint64_t>(p.whole("seed", 0, std::int64_t{1} << 62, 1));
  options.sampling.top_p = static_cast<float>(p.number("top_p", 1e-6, 1, 1));
  options.sampling.top_k = static_cast<int>(p.whole("top_k", 0, 1 << 24, 0));
  options.sampling.temperature = static_cast<float>(p.number("temperature", 0, 100, 1));
  options.repetition_penalty = static_cast<float>(p.number("repetition_penalty", 1e-6, 1e6, 1));
  options.min_tokens = static_cast<int>(p.whole("min_tokens", 0, 1 << 20, 0));
  if (options.sampling.temperature == 0) {  // the most likely token
    options.sampling.temperature = 1;
    options.sampling.top_k = 1;
  }
  for (const char* penalty : {"presence_penalty", "frequency_penalty"})
    if (p.number(penalty, -2, 2, 0) != 0)
      throw HttpError{400, fmt::format("{}: only 0 is supported", penalty)};
  return options;
}

// What completions and chats have in common.
CompletionRequest request_of(const Parameters& p, const ServedModelPointer& model,
                             std::int64_t most_tokens) {
  CompletionRequest request{.model = model};
  request.choices = static_cast<int>(p.whole("n", 1, 128, 1));
  request.options = generation_options(p, *model->as<Generator>(), most_tokens);
  request.stops = stops_of(p);
  request.stream = p.flag("stream", false);
  if (const Json* const more = p.find("stream_options"); more != nullptr && more->is_object())
    request.stream_usage = more->value("include_usage", Json(false)) == Json(true);
  return request;
}

void completions(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  CompletionRequest request =
      request_of(p, call->service.models().find<Generator>(p.text("model")), 16);
  request.prompts = inputs_of(p, "prompt", request.model->tokenizer);
  if (request.prompts.size() * static_cast<std::size_t>(request.choices) > kMostInputs)
    throw HttpError{
        400, fmt::format("prompt and n: expected at most {} continuations in all", kMostInputs)};
  request.echo = p.flag("echo", false);
  std::size_t echoed = 0;
  for (const std::string& prompt : request.prompts)
    echoed += prompt.size() * static_cast<std::size_t>(request.choices);
  if (request.echo && echoed > kMostEchoed)
    throw HttpError{
        413, fmt::format("echo: expected prompts of at most {} bytes in all choices", kMostEchoed)};
  request.logprobs = p.whole("logprobs", 0, 5, 0) > 0;
  if (request.logprobs && (request.stream || !request.stops.empty() || request.echo))
    throw HttpError{400, "logprobs: not with stream, stop or echo"};
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

Json messages_of(const Parameters& p) {
  const Json& list = *p.find("messages");
  if (!list.is_array() || list.empty() || list.size() > kMostMessages)
    throw HttpError{400, fmt::format("messages: expected a list of 1 to {}", kMostMessages)};
  Json messages = Json::array();
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("role") || !one["role"].is_string())
      throw HttpError{400, "messages: expected objects with role and content"};
    messages.push_back({{"role", one["role"]}, {"content", content_of(one)}});
  }
  return messages;
}

void chat(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Generator>(p.text("model"));
  if (model->chat == nullptr)
    throw HttpError{400, fmt::format("the model {} has no chat template; use /v1/completions",
                                     quote(model->name))};
  if (p.flag("logprobs", false)) throw HttpError{400, "logprobs: not supported for chats"};
  CompletionRequest request = request_of(p, model, 1024);
  request.conversation = model->chat->tokens(messages_of(p));
  if (request.conversation.empty())
    throw HttpError{400, "messages: the chat template writes nothing for them"};
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

void embeddings(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Embedder>(p.text("model"));
  const std::string format = p.text("encoding_format", "float");
  if (format != "float" && format != "base64")
    throw HttpError{
        400, fmt::format("encoding_format: expected float or base64, got {}", quote(format))};
  const std::int64_t width = p.whole("dimensions", 0, 1 << 20, 0);
  std::vector<std::string> inputs = inputs_of(p, "input", model->tokenizer);
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

// `own`, then the fields that completions and chats have in common.
std::vector<RouteField> with_common_fields(std::vector<RouteField> own) {
  for (const RouteField& field :
       {RouteField{"temperature", FieldType::number,
                   "divides the logits (1); 0: the most likely token"},
        RouteField{"top_p", FieldType::number,
                   "draw among the most likely tokens that together have this probability (1)"},
        RouteField{"top_k", FieldType::whole, "draw among this many most likely tokens (0: all)"},
        RouteField{"repetition_penalty", FieldType::number,
                   "divides the logits of tokens in the context (1)"},
        RouteField{"min_tokens", FieldType::whole, "tokens before a chat's answer may end (0)"},
        RouteField{"n", FieldType::whole, "continuations of each prompt (1)"},
        RouteField{"seed", FieldType::whole, "equal seeds give equal answers (1)"},
        RouteField{"stop", FieldType::texts, "stop strings: a continuation ends before them"},
        RouteField{"stream", FieldType::flag, "send the text while it is written, as events"},
        RouteField{"stream_options", FieldType::any,
                   "{\"include_usage\": true}: count tokens at the end"},
        RouteField{"presence_penalty", FieldType::number, "only 0"},
        RouteField{"frequency_penalty", FieldType::number, "only 0"}})
    own.push_back(field);
  return own;
}

constexpr RouteField kLanguageModel{
    "model", FieldType::text, "name of a language model, from /v1/models; default: the first"};

std::vector<RouteField> completion_fields() {
  return with_common_fields(
      {kLanguageModel,
       {"prompt", FieldType::any, "text to continue, a list of texts, or ids of tokens", true},
       {"max_tokens", FieldType::whole, "most tokens to write (16)"},
       {"echo", FieldType::flag, "write the prompt before its continuation"},
       {"logprobs", FieldType::whole, "above 0: the log-probability of every token"}});
}

std::vector<RouteField> chat_fields() {
  return with_common_fields(
      {kLanguageModel,
       {"messages", FieldType::any, "list of {\"role\", \"content\"}", true},
       {"max_completion_tokens", FieldType::whole, "most tokens to write (1024)"},
       {"max_tokens", FieldType::whole, "older name of max_completion_tokens"},
       {"logprobs", FieldType::flag, "only false"}});
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
          {"POST",
           "/v1/embeddings",
           group,
           "Turn texts into vectors",
           {{"input", FieldType::any, "text, list of texts, or ids of tokens", true},
            {"model", FieldType::text, "name of an embedding model; default: the first"},
            {"dimensions", FieldType::whole,
             "keep this many values of each vector, and scale it to length 1; 0: all"},
            {"encoding_format", FieldType::text,
             "float, or base64: the bytes of 32-bit floats, little-endian"}},
           R"({"input": ["A dog sleeps.", "A cat eats."]})",
           embeddings,
           Dialect::openai},
          {"GET", "/v1/models", group, "List the models", {}, "", models, Dialect::openai},
          {"GET", kOneModelPath, group, "Describe a model", {}, "", one_model, Dialect::openai}};
}

}  // namespace attend
