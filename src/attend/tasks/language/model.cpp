#include "attend/tasks/language/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json.h"
#include "attend/error.h"
#include "attend/tasks/golden.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_reading.h"

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
      first_token(tokenizer.eos_id()) {}

int LanguageModel::context_for(int asked) const {
  const int tokens = asked == 0 ? context.sequence_length : asked;
  require_positions("context", tokens, network->config());
  return tokens;
}

Metadata LanguageModel::configuration() const {
  Metadata metadata{{"attend.config", options_to_json(network->config())},
                    {"attend.context", options_to_json(context)}};
  if (cache.used()) metadata["attend.cache"] = options_to_json(cache);
  if (first_token != tokenizer.eos_id())
    metadata[kFirstTokenKey] = fmt::format("[{}]", first_token);
  if (chat) metadata[kChatKey] = chat->to_json();
  return metadata;
}

std::int64_t LanguageModel::longest_input() const { return network->config().learned_positions(); }

TextEncoder LanguageModel::text_encoder() const {
  return {tokenizer,
          {.bos = first_token, .eos = tokenizer.eos_id()},
          network->config().n_layers,
          network->config().d_model,
          [network = network] { return network->embeddings(); },
          [network = network](const Ragged& texts, Pass& pass) {
            return network->hidden(texts, pass);
          }};
}

GoldenInput LanguageModel::random_input(Random& random) const {
  std::vector<std::int32_t> ids = random_ids(random, tokenizer);
  ids.insert(ids.begin(), first_token);
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
  auto network = read_network(checkpoint, config.n_layers, [&] {
    return std::make_shared<LanguageTransformer>(config, LanguageTransformer::Purpose::inference);
  });
  LanguageModel model(std::move(network), std::move(tokenizer), context, cache);
  if (checkpoint.metadata.contains(kFirstTokenKey))
    model.first_token = read_first_token(checkpoint, model.tokenizer);
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
