// The routes of OpenAI.
#include <fmt/format.h>

#include <cstring>

#include "attend/core/json.h"
#include "attend/core/json_text.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/base64.h"
#include "attend/server/completion.h"
#include "attend/server/gathering.h"
#include "attend/server/service.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Prompts or texts in one request.
constexpr std::size_t kMostInputs = 2048;
constexpr std::size_t kLongestStop = 1024;

// Ids as text: a prompt or an input of tokens.
std::string text_of(const Json& ids, std::string_view name, const Tokenizer& tokenizer) {
  try {
    return tokenizer.decode(json_ids(ids, name));
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
}

// A string, a list of strings, a list of ids, or a list of lists of ids.
std::vector<std::string> inputs_of(const Parameters& parameters, std::string_view name,
                                   const Tokenizer& tokenizer) {
  const Json& value = *parameters.find(name);
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array() || value.empty() || value.size() > kMostInputs)
    throw HttpError{400,
                    fmt::format("{}: expected a string or a list of 1 to {}", name, kMostInputs)};
  if (value.front().is_number()) return {text_of(value, name, tokenizer)};
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

GenerationOptions generation_options(const Parameters& p, const Generator& generator) {
  GenerationOptions options = generator.default_options();
  options.max_tokens = static_cast<int>(p.whole("max_tokens", 1, 1 << 20, 16));
  options.sampling.seed = static_cast<std::uint64_t>(p.whole("seed", 0, std::int64_t{1} << 62, 1));
  options.sampling.top_p = static_cast<float>(p.number("top_p", 1e-6, 1, 1));
  options.sampling.top_k = static_cast<int>(p.whole("top_k", 0, 1 << 24, 0));
  options.sampling.temperature = static_cast<float>(p.number("temperature", 0, 100, 1));
  if (options.sampling.temperature == 0) {  // the most likely token
    options.sampling.temperature = 1;
    options.sampling.top_k = 1;
  }
  for (const char* penalty : {"presence_penalty", "frequency_penalty"})
    if (p.number(penalty, -2, 2, 0) != 0)
      throw HttpError{400, fmt::format("{}: only 0 is supported", penalty)};
  return options;
}

void completions(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  CompletionRequest request{.model = call->service.models().find<Generator>(p.text("model"))};
  request.prompts = inputs_of(p, "prompt", request.model->tokenizer);
  request.choices = static_cast<int>(p.whole("n", 1, 128, 1));
  if (request.prompts.size() * static_cast<std::size_t>(request.choices) > kMostInputs)
    throw HttpError{
        400, fmt::format("prompt and n: expected at most {} continuations in all", kMostInputs)};
  request.options = generation_options(p, *request.model->as<Generator>());
  request.stops = stops_of(p);
  request.echo = p.flag("echo", false);
  request.logprobs = p.whole("logprobs", 0, 5, 0) > 0;
  request.stream = p.flag("stream", false);
  if (const Json* const more = p.find("stream_options"); more != nullptr && more->is_object())
    request.stream_usage = more->value("include_usage", Json(false)) == Json(true);
  if (request.logprobs && (request.stream || !request.stops.empty() || request.echo))
    throw HttpError{400, "logprobs: not with stream, stop or echo"};
  complete(call, std::move(request));
}

void chat(const std::shared_ptr<Call>& call) {
  const ServedModelPointer model =
      call->service.models().find<Generator>(call->parameters.text("model"));
  throw HttpError{400, fmt::format("the model {} has no chat template; use /v1/completions",
                                   quote(model->name))};
}

Json vector_json(const Embedding& embedding, bool base64) {
  if (!base64) {
    Json list = Json::array();
    for (const float value : embedding.values) list.push_back(json_number(value));
    return list;
  }
  std::string bytes(embedding.values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), embedding.values.data(), bytes.size());
  return detail::to_base64(bytes);
}

void embeddings(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Embedder>(p.text("model"));
  const std::string format = p.text("encoding_format", "float");
  if (format != "float" && format != "base64")
    throw HttpError{
        400, fmt::format("encoding_format: expected float or base64, got {}", quote(format))};
  std::vector<std::string> inputs = inputs_of(p, "input", model->tokenizer);
  std::int64_t tokens = 0;
  for (const std::string& input : inputs) tokens += std::ssize(model->tokenizer.encode(input));
  const std::size_t count = inputs.size();
  const auto done = [call, model, tokens,
                     base64 = format == "base64"](const std::vector<Embedding>& embedded) {
    Json data = Json::array();
    for (const Embedding& one : embedded)
      data.push_back({{"object", "embedding"},
                      {"index", data.size()},
                      {"embedding", vector_json(one, base64)}});
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

void models(const std::shared_ptr<Call>& call) {
  Json data = Json::array();
  for (const ServedModelPointer& model : *call->service.models().all())
    data.push_back({{"id", model->name},
                    {"object", "model"},
                    {"created", model->loaded},
                    {"owned_by", "attend"},
                    {"task", model->task}});
  call->respond({{"object", "list"}, {"data", std::move(data)}});
}

std::vector<RouteField> completion_fields() {
  return {
      {"model", FieldType::text, "name of a language model, from /v1/models; default: the first"},
      {"prompt", FieldType::any, "text to continue, a list of texts, or ids of tokens", true},
      {"max_tokens", FieldType::whole, "most tokens to write (16)"},
      {"temperature", FieldType::number, "divides the logits (1); 0: the most likely token"},
      {"top_p", FieldType::number, "draw among the tokens that have this probability (1)"},
      {"top_k", FieldType::whole, "draw among this many tokens (0: all)"},
      {"n", FieldType::whole, "continuations of each prompt (1)"},
      {"seed", FieldType::whole, "equal seeds give equal answers (1)"},
      {"stop", FieldType::texts, "texts before which a continuation ends"},
      {"stream", FieldType::flag, "send the text while it is written, as events"},
      {"stream_options", FieldType::any, "{\"include_usage\": true}: count tokens at the end"},
      {"echo", FieldType::flag, "write the prompt before its continuation"},
      {"logprobs", FieldType::whole, "above 0: the log-probability of every token"},
      {"presence_penalty", FieldType::number, "only 0"},
      {"frequency_penalty", FieldType::number, "only 0"}};
}

}  // namespace

std::vector<Route> openai_routes() {
  const std::string_view group = "OpenAI";
  return {{"POST", "/v1/completions", group, "Continue texts with a language model",
           completion_fields(), R"({"prompt": "The old dog", "max_tokens": 20, "temperature": 0})",
           completions, Dialect::openai},
          {"POST",
           "/v1/chat/completions",
           group,
           "Answer messages with a language model that has a chat template",
           {{"model", FieldType::text, "name of a language model"},
            {"messages", FieldType::any, "list of {\"role\", \"content\"}", true}},
           "",
           chat,
           Dialect::openai},
          {"POST",
           "/v1/embeddings",
           group,
           "Turn texts into vectors",
           {{"input", FieldType::any, "text, list of texts, or ids of tokens", true},
            {"model", FieldType::text, "name of an embedding model; default: the first"},
            {"encoding_format", FieldType::text,
             "float, or base64: the bytes of 32-bit floats, little-endian"}},
           R"({"input": ["A dog sleeps.", "A cat eats."]})",
           embeddings,
           Dialect::openai},
          {"GET", "/v1/models", group, "List the models", {}, "", models, Dialect::openai}};
}

}  // namespace attend
