// Trains a classifier from files: its options, and the preparation of its objective.
#pragma once

#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/classification.h"
#include "attend/models/text_classifier.h"
#include "attend/tasks/classification/objective.h"
#include "attend/tasks/training/encoder_training.h"
#include "attend/tasks/training/replay.h"

namespace attend {

struct ClassificationDataOptions : TextDataOptions {
  std::string soft_labels, margins;
  ClassificationScore best_by = ClassificationScore::by_problem;
  LabeledOptions columns;
  TextLengthOptions length;
};

template <class Visitor>
void fields(ClassificationDataOptions& o, Visitor&& visit) {
  fields(
      o,
      {.train =
           "training texts, plain, gzip or zstd: label TAB text on each line, CSV or JSON Lines; "
           "several files are read one after another",
       .valid = "validation texts, in the same form as --train"},
      visit);
  visit("soft-labels", o.soft_labels,
        "folder of attend distill with the answers of teachers: for texts of --train "
        "--distill-weight says how much these count; other texts are added");
  visit("margins", o.margins,
        "folder of attend distill reranking with scores of two passages for each query, to learn "
        "from instead of --train");
  visit("best-by", o.best_by,
        "validation score that selects the best step, such as macro_f1; by_problem: accuracy of "
        "single labels, micro_f1 of several, spearman of numbers");
  fields(o.columns, visit);
  fields(o.length, visit);
}

struct ClassificationLossOptions {
  float label_smoothing = 0.0f;
  float r_drop = 0.0f;
  float word_dropout = 0.0f;
  std::vector<std::string> class_weights;
};

template <class Visitor>
void fields(ClassificationLossOptions& o, Visitor&& visit) {
  visit("label-smoothing", o.label_smoothing, between(0, 1),
        "share of the target distribution that is spread over all classes");
  visit("r-drop", o.r_drop, between(0, 1000), kRDropHelp);
  visit("word-dropout", o.word_dropout, below_one(),
        "share of the tokens of a training text that are dropped at random");
  visit("class-weights", o.class_weights,
        "weights of classes in the loss: label=number (1 for classes that are not named), or "
        "balanced (equal sums for all classes)");
}

struct ClassificationTraining
    : EncoderTraining<ClassificationDataOptions, ClassifierConfig, ClassificationLossOptions> {
  using Base = EncoderTraining;
  static constexpr const char* kName = "classification";  // of `attend train`
  static constexpr const char* kHelp = "Train an encoder to classify texts";

  TextReplayOptions replay;
  Teachers teachers = {};  // instead of the model to start from

  bool has_soft_labels() const { return !data.soft_labels.empty(); }
  bool has_margins() const { return !data.margins.empty(); }
  // Whether models that it reads teach it.
  bool is_taught() const { return replay.distill_weight > 0.0f && !has_soft_labels(); }
  // A resumed run, too.
  bool needs_initial() const { return is_taught() && teachers.empty(); }
};

template <class Visitor>
void groups(ClassificationTraining& o, Visitor&& visit) {
  groups(static_cast<ClassificationTraining::Base&>(o), visit);
  visit("replay", o.replay);
}

// Takes the vocabulary, the architecture, its dropout and the longest text of `model`: a
// classifier, or an embedding model or a tagger, which leave pooling and the head open; all leave
// open what a text gets. Throws DataError for another kind.
OpenOptions adopt_model(ClassificationTraining& options, const Checkpoint& model);

// Takes the vocabulary and the longest text of a classifier to learn from. Throws DataError for
// another kind of model.
void adopt_vocabulary(ClassificationTraining& options, const Checkpoint& teacher);

// Reads the texts, trains the tokenizer (or takes that of `resumed`, a checkpoint of this run, or
// of the initial model) and creates the model. The labels and the output layer of an initial
// classifier stay when the type of problem is its own and so are all labels that occur, else they
// are new ones. An embedding model or a tagger gets a new head. Throws ConfigError, also if the
// model differs from that of `resumed`; IoError and DataError for the files.
TrainingTask prepare_training(const ClassificationTraining& options, const Checkpoint* resumed);

}  // namespace attend
