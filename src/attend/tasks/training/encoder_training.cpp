#include "attend/tasks/training/encoder_training.h"

#include <fmt/format.h>

#include "attend/core/strings/counted.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/tagging/model.h"

namespace attend {

namespace {

template <class Model>
KnownEncoder encoder_of(const Model& model) {
  const auto& config = model.network->config();
  KnownEncoder encoder{config, model.tokenizer, model.text_length(), model.special().bos >= 0};
  if constexpr (requires { config.pooling; }) encoder.pooling = config.pooling;
  return encoder;
}

}  // namespace

KnownEncoder known_encoder(const Checkpoint& checkpoint, std::string_view wanted) {
  if (is_for<ClassificationModel>(checkpoint)) return encoder_of(classification_model(checkpoint));
  if (is_for<TaggingModel>(checkpoint)) return encoder_of(tagging_model(checkpoint));
  if (is_for<EmbeddingModel>(checkpoint)) return encoder_of(embedding_model(checkpoint));
  refuse_task(checkpoint, wanted);
}

std::string encoder_note(const EncoderConfig& config) {
  return fmt::format("model: transformer encoder, {}, d-model {}, {}",
                     counted(config.n_encoder_layers, "layer"), config.d_model,
                     counted(config.n_heads, "head"));
}

}  // namespace attend
