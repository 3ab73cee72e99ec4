// Trains a language model from files: its options, and the preparation of its objective.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/batching/mixture.h"
#include "attend/data/documents.h"
#include "attend/data/language.h"
#include "attend/decode/scorers/continuous_cache.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/tasks/training/replay.h"
#include "attend/tasks/training/text_data.h"
#include "attend/tasks/training/training_task.h"
#include "attend/text/tokenizer.h"
#include "attend/train/trainer.h"

namespace attend {

struct LanguageDataOptions : TextDataOptions {
  std::vector<std::string> prepared;
  DocumentOptions units;
  MixtureOptions mixture;
  LanguageOptions windows;
};

template <class Visitor>
void fields(LanguageDataOptions& o, Visitor&& visit) {
  fields(o,
         {.train = "training text, plain, gzip or zstd; several files are read one after another",
          .valid = "validation text, to measure perplexity on",
          .language = "language of the text, stored in the model; default: the extension of the "
                      "training files, as in train.en"},
         visit);
  visit("prepared", o.prepared,
        "training text on disk, instead of --train: folders that `attend prepare lm` has written");
  fields(o.units, visit);
  fields(o.mixture, visit);
  fields(o.windows, visit);
}

struct LanguageLossOptions {
  float label_smoothing = 0.0f;
  int output_sample = 0;
};

template <class Visitor>
void fields(LanguageLossOptions& o, Visitor&& visit) {
  visit("label-smoothing", o.label_smoothing, between(0, 1),
        "share of the target distribution that is spread over the whole vocabulary");
  visit("output-sample", o.output_sample, between(0, kVocabularySizes.most),
        experimental("train with a sampled softmax over this many tokens, drawn for each batch; 0: "
                     "the whole vocabulary"));
}

struct LanguageTraining {
  static constexpr const char* kName = "lm";  // of `attend train`
  static constexpr const char* kHelp = "Train a decoder to predict the next token of a text";

  LanguageDataOptions data;
  TokenizerOptions vocabulary;
  LanguageTransformerConfig model;
  LanguageLossOptions loss;
  TextReplayOptions replay;
  ContinuousCacheOptions cache;  // for prediction; training ignores it
  TrainerOptions trainer;
  std::shared_ptr<const Checkpoint> initial = nullptr;  // the model to start from
  Teachers teachers = {};                               // instead of that model

  bool is_taught() const { return replay.distill_weight > 0.0f; }
  // A resumed run, too.
  bool needs_initial() const { return is_taught() && teachers.empty(); }
};

// The options by topic: the sections of a configuration file and of the help.
template <class Visitor>
void groups(LanguageTraining& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.vocabulary);
  visit("model", o.model);
  visit("loss", o.loss);
  visit("replay", o.replay);
  visit("cache", o.cache);
  visit("training", o.trainer);
}

// Documents have a vocabulary that keeps their line breaks and spaces, unless the user has set one.
void settle_defaults(LanguageTraining& options, const IsSet& is_set);

// Takes the vocabulary, the architecture, its dropout, the cache of `model` and whether it knows
// lines or documents, and shortens the
// windows to the positions that it has learned. Throws DataError for another kind of model.
OpenOptions adopt_model(LanguageTraining& options, const Checkpoint& model);

// Takes the vocabulary of a model to learn from, and whether it knows lines or documents. Throws
// DataError for another kind of model.
void adopt_vocabulary(LanguageTraining& options, const Checkpoint& teacher);

// Takes the vocabulary of a text that is prepared. Returns its name; empty if the training text is
// not. Throws like open_prepared().
std::string adopt_prepared(LanguageTraining& options);

// Reads the text, trains the tokenizer (or takes that of `resumed`, a checkpoint of this run, of
// the initial model or of a prepared text) and creates the model. Throws ConfigError, also if the
// model differs from that of `resumed`; IoError and DataError for the files.
TrainingTask prepare_training(const LanguageTraining& options, const Checkpoint* resumed);

}  // namespace attend
