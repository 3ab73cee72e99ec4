// The routes of OpenAI.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/base64.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/server/completions/completion.h"
#include "attend/server/http/form.h"
#include "attend/server/routes/completion_requests.h"
#include "attend/server/routes/openai_fields.h"
#include "attend/server/routes/vectors.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/submission.h"
#include "attend/text/text_stream.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Prompts or texts in one request.
constexpr std::size_t kMostInputs = 2048;
constexpr std::size_t kMostEchoed = 4 << 20;  // bytes of prompts in a response

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

void completions(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  CompletionRequest request =
      completion_request(p, call->service.models().find<Generator>(p.text("model")));
  request.options.max_tokens = most_tokens(p, 0, call->service.options().max_new_tokens, 16);
  request.options.special_tokens = p.flag("special_tokens", false);
  request.prompts = inputs_of(p, "prompt", request.model->tokenizer);
  GenerationOptions reading;
  reading.special_tokens = request.options.special_tokens;
  const TextPreparer prepare = preparer_of(*call, *request.model);
  for (CompletionPrompt& prompt : request.prompts) {
    if (!prompt.ids.empty()) continue;
    prompt.text = prepare.in_parts(prompt.text, '\n');
    prompt.ids = request.model->as<Generator>()->prompt_ids(prompt.text, reading);
  }
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
  const TextPreparer prepare = preparer_of(*call, *model);
  for (CompletionPrompt& input : inputs_of(p, "input", model->tokenizer))
    inputs.push_back(input.ids.empty() ? prepare(input.text)
                                       : text_to_embed(std::move(input), model->tokenizer));
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
  submit<Embedding>(call, *model->as<Embedder>(), EmbeddingRequest{std::move(inputs)}, count, done);
}

Json listed_model(const ServedModel& model) {
  return {{"id", model.name},
          {"object", "model"},
          {"created", model.loaded_at},
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
