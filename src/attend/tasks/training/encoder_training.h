// What the training of encoders has in common, whatever their output: tags, labels or vectors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/data/classification.h"
#include "attend/models/encoder_transformer.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/tasks/training/text_data.h"
#include "attend/tasks/training/training_task.h"
#include "attend/text/tokenizer.h"
#include "attend/train/trainer.h"

namespace attend {

// An encoder trains in minutes, in a few epochs.
inline TrainerOptions encoder_trainer() {
  TrainerOptions trainer;
  trainer.max_epochs = 10;
  trainer.schedule.learning_rate = 1e-3f;
  trainer.schedule.warmup_steps = 100;
  return trainer;
}

// The options of a task: a struct derived from it adds kName, the task's name for `attend train`,
// and kHelp.
template <class Data, class Model, class Loss>
struct EncoderTraining {
  Data data;
  TokenizerOptions tokenizer;
  Model model;
  Loss loss;
  TrainerOptions trainer = encoder_trainer();
  std::shared_ptr<const Checkpoint> initial = nullptr;  // the model to start from
};

// The options by topic: the sections of a configuration file and of the help.
template <class Data, class Model, class Loss, class Visitor>
void groups(EncoderTraining<Data, Model, Loss>& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.tokenizer);
  visit("model", o.model);
  visit("loss", o.loss);
  visit("training", o.trainer);
}

// The encoder of a model that a training starts from, whatever its head.
struct KnownEncoder {
  EncoderConfig config;
  Tokenizer tokenizer;
  TextLengthOptions length;
  bool bos = false;                               // before every text
  std::optional<Pooling> pooling = std::nullopt;  // a tagger has none
};

// Reads the encoder of a classifier, a tagger or an embedding model. Throws DataError for another
// kind, which asks for `wanted`: "embedding or classification".
KnownEncoder known_encoder(const Checkpoint& checkpoint, std::string_view wanted);

// The vocabulary and the longest text of a model become those of the options.
template <class Data, class Model, class Loss>
void adopt_text(EncoderTraining<Data, Model, Loss>& o, const Tokenizer& tokenizer,
                const TextLengthOptions& length) {
  adopt_vocabulary(o.tokenizer, tokenizer);
  o.data.length.max_length = length.max_length;
  if constexpr (requires { o.data.length.truncation; })
    o.data.length.truncation = length.truncation;
}

// The same, and its architecture.
template <class Data, class Model, class Loss>
void adopt_encoder(EncoderTraining<Data, Model, Loss>& o, const KnownEncoder& encoder) {
  static_cast<EncoderConfig&>(o.model) = encoder.config;
  adopt_text(o, encoder.tokenizer, encoder.length);
}

// "model: transformer encoder, 2 layers, d-model 256, 4 heads"
std::string encoder_note(const EncoderConfig& config);

}  // namespace attend
