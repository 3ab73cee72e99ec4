// ELECTRA (Clark et al. 2020), as transformers has it: BERT with narrower embeddings in small
// models and another head.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr std::array kElectraHead{
    NameRule{"head.*", "classifier.dense.*"},
    NameRule{"output.*", "classifier.out_proj.*"},
};

// What tells replaced tokens, and what replaces them.
constexpr std::array<std::string_view, 5> kElectraIgnorable{
    "embeddings.position_ids", "*.embeddings.position_ids", "discriminator_predictions.*.*",
    "generator_predictions.*.*", "generator_lm_head.*"};

constexpr const char* kElectraWidth = "embedding_size";

EncoderConfig read_electra_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  const int width = read_int(config, kElectraWidth, kWidths);
  if (width != shape.d_model) shape.embedding_width = width;
  config.ignore({"embedding_dim", "generator_hidden_size", "summary_type", "summary_use_proj",
                 "summary_activation", "summary_last_dropout"});
  return shape;
}

nlohmann::ordered_json electra_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json[kElectraWidth] = shape.width_of_embeddings();
  return json;
}

}  // namespace

ForeignModel read_electra(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_electra_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "electra.",
                         .encoder = kBertEncoder,
                         .head = kElectraHead,
                         .head_options = {.activation = Activation::gelu},
                         .ignorable = kElectraIgnorable},
                        read_tokenizer_of(directory));
}

std::optional<TextFiles> write_electra(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "electra",
                        .class_prefix = "Electra",
                        .head_dropout = "classifier_dropout",
                        .has_token_types = true,
                        .settings = electra_settings},
                       equal);
}

}  // namespace attend
