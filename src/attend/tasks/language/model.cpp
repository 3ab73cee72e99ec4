#include "attend/tasks/language/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

// log p of all ids except the first, which is only input.
float log_probability(const LanguageModel& model, const std::vector<std::int32_t>& ids) {
  const LanguageBatch batch{Ragged::one(std::span(ids).first(ids.size() - 1)),
                            std::vector(ids.begin() + 1, ids.end()),
                            {0}};
  const auto result = static_cast<float>(-negative_log_likelihood(*model.network, batch));
  require_finite(std::span(&result, 1), "log-probability of a passage", model.source);
  return result;
}

const std::string kFirstTokenKey = "attend.first_token";
const std::string kGenerationKey = "attend.generation";

std::int32_t read_first_token(const Checkpoint& checkpoint, const Tokenizer& tokenizer) {
  const std::string where = checkpoint.source + ": " + kFirstTokenKey;
  const auto ids = json_ids(parse_json(checkpoint.text(kFirstTokenKey), where), where);
  if (ids.size() != 1 || !is_in_vocabulary(ids, tokenizer))
    throw DataError(where + ": expected one id of the vocabulary");
  return ids.front();
}

}  // namespace

LanguageModel::LanguageModel(std::shared_ptr<LanguageTransformer> network_, Tokenizer tokenizer_,
                             LanguageOptions context_, ContinuousCacheOptions cache_)
    : network(std::move(network_)),
      tokenizer(std::move(tokenizer_)),
      context(context_),
      cache(cache_),
      text(text_of_lines(tokenizer.eos_id(), tokenizer.eos_id())) {}

std::vector<std::int32_t> LanguageModel::prompt_of(const std::vector<std::int32_t>& ids) const {
  std::vector<std::int32_t> prompt = text.around(ids);
  if (!prompt.empty()) return prompt;
  if (text.start < 0)
    throw DataError(
        "the prompt has no tokens, and the model names no token that begins a text: write some "
        "text");
  return {text.start};
}

std::vector<std::int32_t> LanguageModel::ids(std::string_view from) const {
  return tokenizer.encode(from, text.special_text());
}

std::vector<std::int32_t> LanguageModel::prompt_ids(std::string_view from,
                                                    SpecialText special) const {
  if (!text.has_lines()) return prompt_of(tokenizer.encode(from, special));
  std::vector<std::int32_t> ids;
  for (std::size_t begin = 0; begin <= from.size();) {
    const std::size_t end = std::min(from.find('\n', begin), from.size());
    if (begin == 0) {
      ids = text.prefix;
    } else {
      ids.push_back(tokenizer.eos_id());
    }
    const std::vector<std::int32_t> line = tokenizer.encode(from.substr(begin, end - begin));
    ids.insert(ids.end(), line.begin(), line.end());
    begin = end + 1;
  }
  return ids;
}

std::vector<std::int32_t> LanguageModel::passage_ids(std::string_view from) const {
  std::vector<std::int32_t> ids = text.around(this->ids(from));
  if (text.has_lines()) ids.push_back(tokenizer.eos_id());
  return ids;
}

std::vector<std::int32_t> LanguageModel::conversation_ends() const {
  return text.ends.empty() ? std::vector{tokenizer.eos_id()} : text.ends;
}

int LanguageModel::context_for(int asked) const {
  const int tokens = asked == 0 ? context.sequence_length : asked;
  require_positions("context", tokens, network->config());
  return tokens;
}

Metadata LanguageModel::configuration() const {
  Metadata metadata{{"attend.config", options_to_json(network->config())},
                    {"attend.context", options_to_json(context)}};
  if (cache.used()) metadata["attend.cache"] = options_to_json(cache);
  if (!text.has_lines() || !text.forbidden.empty()) {
    metadata[kLanguageFormatKey] = text.to_json();
  } else if (text != text_of_lines(tokenizer.eos_id(), tokenizer.eos_id())) {
    metadata[kFirstTokenKey] = fmt::format("[{}]", text.prefix.front());
  }
  if (generation != GenerationDefaults{}) metadata[kGenerationKey] = options_to_json(generation);
  if (chat) metadata[kChatKey] = chat->to_json();
  return metadata;
}

std::int64_t LanguageModel::longest_input() const { return network->config().learned_positions(); }

TextEncoder LanguageModel::text_encoder() const {
  return {
      tokenizer,
      {.bos = text.prefix.empty() ? -1 : text.prefix.front(), .eos = tokenizer.eos_id()},
      network->config().n_layers,
      network->config().width_of_embeddings(),
      [network = network] { return network->embeddings(); },
      [network = network](const Ragged& texts, Pass& pass) { return network->hidden(texts, pass); },
      std::nullopt,
      text.special_text()};
}

GoldenInput LanguageModel::random_input(Random& random) const {
  std::vector<std::int32_t> ids = random_ids(random, tokenizer);
  ids = text.around(std::move(ids));
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(context.sequence_length) + 1));
  return {std::move(ids)};
}

std::vector<std::vector<float>> LanguageModel::golden_outputs(
    const std::vector<GoldenInput>& inputs) const {
  std::vector<std::vector<float>> outputs;
  for (const GoldenInput& input : inputs) {
    if (std::ssize(input[0]) < 2 || std::ssize(input[0]) > context.sequence_length + 1)
      throw DataError(
          fmt::format("{}: expected two or more ids, as many as the context holds, found {}",
                      kGoldenKey, input[0].size()));
    outputs.push_back({log_probability(*this, input[0])});
  }
  return outputs;
}

LanguageModel language_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, LanguageModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  auto config = read_options<LanguageTransformerConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  const auto context = read_options<LanguageOptions>(checkpoint, "attend.context");
  const auto cache = read_options_if_any<ContinuousCacheOptions>(checkpoint, "attend.cache");
  auto network = read_network(checkpoint, config.n_layers,
                              [&] { return std::make_shared<LanguageTransformer>(config); });
  LanguageModel model(std::move(network), std::move(tokenizer), context, cache);
  if (checkpoint.metadata.contains(kFirstTokenKey))
    model.text =
        text_of_lines(read_first_token(checkpoint, model.tokenizer), model.tokenizer.eos_id());
  if (checkpoint.metadata.contains(kLanguageFormatKey))
    model.text = LanguageFormat::from_json(checkpoint.text(kLanguageFormatKey), model.tokenizer,
                                           checkpoint.source + ": " + kLanguageFormatKey);
  model.generation = read_options_if_any<GenerationDefaults>(checkpoint, kGenerationKey);
  if (checkpoint.metadata.contains(kChatKey))
    model.chat =
        ChatFormat::from_json(checkpoint.text(kChatKey), checkpoint.source + ": " + kChatKey);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  return model;
}

LanguageModel load_language_model(const std::filesystem::path& path) {
  return read_checkpoint(path, language_model);
}

}  // namespace attend
