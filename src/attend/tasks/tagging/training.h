// Trains a tagger of words from files: its options, and the preparation of its objective.
#pragma once

#include "attend/core/options/options.h"
#include "attend/models/token_tagger.h"
#include "attend/tasks/tagging/objective.h"
#include "attend/tasks/training/encoder_training.h"

namespace attend {

struct TaggingDataOptions : TextDataOptions {
  TaggingScore best_by = TaggingScore::by_tags;
  LabeledOptions columns;
  TaggedLength length;
};

template <class Visitor>
void fields(TaggingDataOptions& o, Visitor&& visit) {
  fields(
      o,
      {.train = "training texts, plain, gzip or zstd: CoNLL (a word and its tag per line, an empty "
                "line after a text), CSV or JSON Lines; several files are joined",
       .valid = "validation texts, in the same form as --train"},
      visit);
  visit("best-by", o.best_by,
        "validation score that selects the best step: entity_f1, accuracy, macro_f1 or loss; "
        "by_tags: entity_f1 of IOB tags, accuracy of others");
  table_fields(o.columns, visit);
  fields(o.length, visit);
}

struct TaggingLossOptions {
  float label_smoothing = 0.0f;
};

template <class Visitor>
void fields(TaggingLossOptions& o, Visitor&& visit) {
  visit("label-smoothing", o.label_smoothing, between(0, 1),
        "share of the target distribution that is spread over all tags");
}

struct TaggingTraining : EncoderTraining<TaggingDataOptions, TaggerConfig, TaggingLossOptions> {
  static constexpr const char* kName = "tagging";  // of `attend train`
  static constexpr const char* kHelp = "Train an encoder to tag words, such as entities";
};

// Takes the vocabulary, the architecture, its dropout and the longest text of `model`: a tagger, a
// classifier or an embedding model. Throws DataError for another kind.
OpenOptions adopt_model(TaggingTraining& options, const Checkpoint& model);

// Reads the texts, trains the tokenizer (or takes that of `resumed`, a checkpoint of this run, or
// of the initial model) and creates the model. The output layer of an initial tagger stays when the
// tags are its own; else there is a new one. Throws ConfigError, also if the model differs from
// that of `resumed`; IoError and DataError for the files.
TrainingTask prepare_training(const TaggingTraining& options, const Checkpoint* resumed);

}  // namespace attend
