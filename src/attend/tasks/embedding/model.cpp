#include "attend/tasks/embedding/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

const std::string kPromptsKey = "attend.prompts", kPromptKey = "attend.prompt",
                  kPoolsPromptKey = "attend.pools_prompt", kSimilarityKey = "attend.similarity";

TextPrompts read_prompts(const Checkpoint& checkpoint) {
  TextPrompts prompts;
  const std::string where = fmt::format("{}: {}", checkpoint.source, kPromptsKey);
  if (checkpoint.metadata.contains(kPromptsKey)) {
    const auto json = parse_json(checkpoint.text(kPromptsKey), where);
    if (!json.is_object()) throw DataError(where + ": expected names and texts");
    for (const auto& [name, text] : json.items()) {
      if (!text.is_string())
        throw DataError(fmt::format("{}: {}: expected a text", where, quote(name)));
      prompts.texts[name] = text.get<std::string>();
    }
  }
  if (checkpoint.metadata.contains(kPromptKey)) {
    prompts.usual = checkpoint.text(kPromptKey);
    if (!prompts.texts.contains(prompts.usual))
      throw DataError(fmt::format("{}: {}: {} is not the name of a prompt", checkpoint.source,
                                  kPromptKey, quote(prompts.usual)));
  }
  return prompts;
}

Similarity read_similarity(const Checkpoint& checkpoint) {
  if (!checkpoint.metadata.contains(kSimilarityKey)) return Similarity::cosine;
  const std::string name = checkpoint.text(kSimilarityKey);
  if (const auto similarity = similarity_of(name)) return *similarity;
  throw DataError(fmt::format("{}: {}: expected {}, found {}", checkpoint.source, kSimilarityKey,
                              fmt::join(enum_names(Similarity{}), ", "), quote(name)));
}

}  // namespace

std::optional<Similarity> similarity_of(std::string_view name) {
  const auto names = enum_names(Similarity{});
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Similarity>(found - names.begin());
}

EmbeddingModel::EmbeddingModel(std::shared_ptr<TextEmbedder> network_, Tokenizer tokenizer_,
                               TextLengthOptions length_)
    : EncoderModel(std::move(network_), std::move(tokenizer_)), length(length_) {}

Metadata EmbeddingModel::configuration() const {
  Metadata metadata{{"attend.config", options_to_json(network->config())},
                    {"attend.text", options_to_json(length)}};
  if (!prompts.texts.empty()) metadata[kPromptsKey] = nlohmann::json(prompts.texts).dump();
  if (!prompts.usual.empty()) metadata[kPromptKey] = prompts.usual;
  if (!pools_prompt) metadata[kPoolsPromptKey] = "false";
  if (similarity != Similarity::cosine)
    metadata[kSimilarityKey] = enum_names(similarity)[static_cast<std::size_t>(similarity)];
  write_special_text(special_text, metadata);
  return metadata;
}

TextEncoder EmbeddingModel::text_encoder() const {
  TextEncoder encoder = EncoderModel::text_encoder();
  encoder.pooling = TextPooling{length,
                                prompts,
                                pools_prompt,
                                similarity,
                                special_text,
                                network->config().vector_width(),
                                [network = network](const Tensor& tokens, const Ids& offsets) {
                                  const NoGradient guard;
                                  Pass pass = Pass::inference();
                                  return network->pooled(Variable(tokens), offsets, pass).value();
                                }};
  return encoder;
}

Tensor EmbeddingModel::outputs(const Ragged& texts) const { return text_vectors(*this, texts); }

EmbeddingModel embedding_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, EmbeddingModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  const auto length = read_options<TextLengthOptions>(checkpoint, "attend.text");
  auto config = read_options<EmbedderConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  auto network = read_network(checkpoint, config.n_encoder_layers,
                              [&] { return std::make_shared<TextEmbedder>(config); });
  EmbeddingModel model(std::move(network), std::move(tokenizer), length);
  model.prompts = read_prompts(checkpoint);
  model.pools_prompt = !checkpoint.metadata.contains(kPoolsPromptKey);
  model.similarity = read_similarity(checkpoint);
  model.special_text = read_special_text(checkpoint);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  from_configuration(checkpoint, [&] {
    classifier_ids({}, model.special(), length);  // rejects a length without room for a token
    require_positions("max-length", length.max_length, config);
  });
  return model;
}

Tensor text_vectors(const EmbeddingModel& model, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor result = model.network->forward(texts, pass).value().to_host();
  require_finite(result.span(), "the vector of a text", model.source);
  return result;
}

}  // namespace attend
