// Trains a translator from files: its options, and the preparation of its objective.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/batching/batch_plan.h"
#include "attend/data/batching/mixture.h"
#include "attend/data/corpus.h"
#include "attend/data/terms/inline_pairs.h"
#include "attend/models/architecture.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/tasks/training/replay.h"
#include "attend/tasks/training/training_task.h"
#include "attend/tasks/translation/model.h"
#include "attend/tasks/translation/pair_text.h"
#include "attend/tasks/translation/training/objective.h"
#include "attend/text/tokenizer.h"
#include "attend/train/trainer.h"

namespace attend {

struct TranslationDataOptions : PairTextOptions {
  std::vector<std::string> prepared;
  MixtureOptions mixture;
  std::vector<std::string> src_valid;
  std::vector<std::string> tgt_valid;
  LanguagePair languages;  // of the text, for a model of several languages
  int context = 0;
  std::vector<std::string> inline_terms;
  double inline_share = InlinePairs::Options{}.share;
  std::string soft_targets;
  float source_noise = 0.0f;
  BatchOptions batch;
};

template <class Visitor>
void fields(TranslationDataOptions& o, Visitor&& visit) {
  fields(static_cast<PairTextOptions&>(o), visit);
  visit("prepared", o.prepared,
        "training text on disk, instead of --src-train and --tgt-train: folders that `attend "
        "prepare translation` has written");
  fields(o.mixture, visit);
  visit("src-valid", o.src_valid, "source side of the validation text");
  visit("tgt-valid", o.tgt_valid, "target side of the validation text");
  fields(o.languages, visit);
  visit("context", o.context, between(0, kMostContext),
        "sentences before a source sentence that the model also reads, if max-length has room; an "
        "empty line ends a document");
  visit("inline-terms", o.inline_terms,
        "glossary files: the model reads the translation of a term within the source of a pair "
        "that has both, for translate --glossary");
  visit("inline-share", o.inline_share, between(0, 1),
        "share of the sentences with inline terms in which an epoch has some of these terms");
  visit("soft-targets", o.soft_targets,
        "folder of attend distill with the probabilities that --teachers give the training text, "
        "which no step then computes");
  visit("source-noise", o.source_noise, between(0, 1),
        "share of the source sentences that an epoch reads with slips: typos, other case, or "
        "missing punctuation");
  fields(o.batch, visit);
}

struct VocabularyOptions : PairVocabularyOptions {
  float bpe_dropout = 0.0f;
};

template <class Visitor>
void fields(VocabularyOptions& o, Visitor&& visit) {
  fields(static_cast<PairVocabularyOptions&>(o), visit);
  visit("bpe-dropout", o.bpe_dropout, below_one(),
        "share of BPE merges dropped at random, differently in every epoch; 0: none");
}

// Old text, of a model that is adapted to a new one.
struct ReplayOptions : ReplayWeights {
  std::vector<std::string> src, tgt;
  std::vector<std::string> src_valid, tgt_valid;
};

template <class Visitor>
void fields(ReplayOptions& o, Visitor&& visit) {
  visit("src-replay", o.src, "source side of old text to mix into training, against forgetting");
  visit("tgt-replay", o.tgt, "target side of the old text");
  visit("src-replay-valid", o.src_valid,
        "source side of old validation text, to measure forgetting in every validation");
  visit("tgt-replay-valid", o.tgt_valid, "target side of the old validation text");
  fields(static_cast<ReplayWeights&>(o), visit);
}

struct TranslationLossOptions {
  TranslationLoss training;
  int valid_beam_size = 1;
};

template <class Visitor>
void fields(TranslationLossOptions& o, Visitor&& visit) {
  visit("label-smoothing", o.training.label_smoothing, between(0, 1),
        "share of the target distribution that is spread over the whole vocabulary");
  visit("r-drop", o.training.r_drop, between(0, 1000), kRDropHelp);
  visit("r-drop-after", o.training.r_drop_after, between(0, 1e9), "epochs before R-Drop begins");
  visit("guided-alignment", o.training.guided_alignment, between(0, 1000),
        "weight of a loss by which a head of attention learns word alignments from the text, for "
        "translate --alignment; 0: none");
  visit("valid-beam-size", o.valid_beam_size, kBeamSizes,
        "beam size for the BLEU of the validation text");
}

struct TranslationTraining {
  static constexpr const char* kName = "translation";  // of `attend train`
  static constexpr const char* kHelp = "Train an encoder-decoder to translate";

  TranslationDataOptions data;
  VocabularyOptions vocabulary;
  ModelOptions model;
  TranslationLossOptions loss;
  ReplayOptions replay;
  TranslationDecoding decoding;
  TrainerOptions trainer;
  std::shared_ptr<const Checkpoint> initial = nullptr;  // the model to start from
  Teachers teachers = {};                               // instead of that model

  bool is_taught() const { return replay.distill_weight > 0.0f; }
  // A resumed run, too.
  bool needs_initial() const { return is_taught() && teachers.empty(); }
};

// The options by topic: the sections of a configuration file and of the help.
template <class Visitor>
void groups(TranslationTraining& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.vocabulary);
  visit("model", o.model);
  visit("loss", o.loss);
  visit("replay", o.replay);
  visit("decoding", o.decoding);
  visit("training", o.trainer);
}

// Takes the vocabulary, the architecture, its dropout and the search options of `model`. Throws
// DataError for another kind of model.
OpenOptions adopt_model(TranslationTraining& options, const Checkpoint& model);

// Takes the vocabularies of a model to learn from. Throws DataError for another kind of model.
void adopt_vocabulary(TranslationTraining& options, const Checkpoint& teacher);

// Takes the vocabularies and the lengths of a text that is prepared. Returns its name; empty if the
// training text is not. Throws like open_prepared().
std::string adopt_prepared(TranslationTraining& options);

// Reads the text, trains the tokenizers (or takes those of `resumed`, a checkpoint of this run, of
// the initial model or of a prepared text) and creates the model. Throws ConfigError, also if the
// model differs from that of `resumed`; IoError and DataError for the files.
TrainingTask prepare_training(const TranslationTraining& options, const Checkpoint* resumed);

}  // namespace attend
