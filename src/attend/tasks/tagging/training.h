// Trains a tagger of words from files: its options, and the preparation of its objective.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/core/options.h"
#include "attend/models/token_tagger.h"
#include "attend/tasks/initial_model.h"
#include "attend/tasks/tagging/objective.h"
#include "attend/tasks/training_task.h"
#include "attend/text/tokenizer.h"
#include "attend/train/trainer.h"

namespace attend {

struct TaggingDataOptions {
  std::string data;
  std::vector<std::string> train;
  std::vector<std::string> valid;
  TaggingScore best_by = TaggingScore::by_tags;
  std::string language;
  LabeledOptions columns;
  TaggedLength length;
  BatchOptions batch;
};

template <class Visitor>
void fields(TaggingDataOptions& o, Visitor&& visit) {
  visit("data", o.data, "folder that file names are relative to");
  visit("train", o.train,
        "training texts, plain or gzip: CoNLL (a word and its tag per line, an empty line after a "
        "text), CSV or JSON Lines; several files are joined");
  visit("valid", o.valid, "validation texts, in the same form as --train");
  visit("best-by", o.best_by,
        "validation score that chooses the best step: entity_f1, accuracy, macro_f1 or loss; "
        "by_tags: entity_f1 of IOB tags, accuracy of others");
  visit("language", o.language, "language of the texts, such as en, written into the model");
  table_fields(o.columns, visit);
  fields(o.length, visit);
  fields(o.batch, visit);
}

struct TaggingLossOptions {
  float label_smoothing = 0.0f;
};

template <class Visitor>
void fields(TaggingLossOptions& o, Visitor&& visit) {
  visit("label-smoothing", o.label_smoothing, between(0, 1),
        "share of the target distribution that is spread over all tags");
}

struct TaggingTraining {
  static constexpr const char* kName = "tagging";  // of `attend train`
  static constexpr const char* kHelp = "Train an encoder to tag words, such as entities";

  TaggingDataOptions data;
  TokenizerOptions tokenizer;
  TaggerConfig model;
  TaggingLossOptions loss;
  TrainerOptions trainer = default_trainer();
  std::shared_ptr<const Checkpoint> initial = nullptr;  // the model to start from

  static TrainerOptions default_trainer() {
    TrainerOptions trainer;
    trainer.max_epochs = 10;
    trainer.schedule.learning_rate = 1e-3f;
    trainer.schedule.warmup_steps = 100;
    return trainer;
  }
};

// The options by topic: the sections of a configuration file and of the help.
template <class Visitor>
void groups(TaggingTraining& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.tokenizer);
  visit("model", o.model);
  visit("loss", o.loss);
  visit("training", o.trainer);
}

// Takes the vocabulary, the architecture, its dropout and the longest text of `model`: a tagger, a
// classifier or an embedding model. Throws DataError for another kind.
OpenOptions adopt_model(TaggingTraining& options, const Checkpoint& model);

// Reads the texts, trains the tokenizer (or takes that of `resumed`, a checkpoint of this run, or
// of the initial model) and creates the model. The output layer of an initial tagger stays when the
// tags are its own; else there is a new one. Throws ConfigError, also if the model differs from
// that of `resumed`; IoError and DataError for the files.
TrainingTask prepare_training(const TaggingTraining& options, const Checkpoint* resumed);

}  // namespace attend
