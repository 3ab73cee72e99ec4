// Trains a model that turns texts into vectors: its options, and the preparation of its objective.
#pragma once

#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/classification.h"
#include "attend/data/related_texts.h"
#include "attend/models/text_embedder.h"
#include "attend/tasks/embedding/objective.h"
#include "attend/tasks/training/encoder_training.h"

namespace attend {

struct EmbeddingDataOptions : TextDataOptions {
  std::string vectors;
  std::vector<std::string> valid_scored;
  EmbeddingScore best_by = EmbeddingScore::by_data;
  RelatedOptions columns;
  TextLengthOptions length;
};

template <class Visitor>
void fields(EmbeddingDataOptions& o, Visitor&& visit) {
  fields(
      o,
      {.train = "training texts, plain, gzip or zstd, tab-separated, CSV or JSON Lines: two texts "
                "that belong together per line, or as set by --texts",
       .valid = "validation texts, in the same form as --train, to measure retrieval"},
      visit);
  visit(
      "vectors", o.vectors,
      "folder of attend distill embedding with the vectors of a teacher, to learn from instead of "
      "--train");
  visit("valid-scored", o.valid_scored,
        "validation pairs with a similarity score, to correlate the scores with cosines "
        "(Spearman's correlation)");
  visit("best-by", o.best_by,
        "validation score that selects the best step: recall (at 1), mrr, ndcg, spearman or loss; "
        "by_data: ndcg, or spearman without --valid");
  fields(o.columns, visit);
  fields(o.length, visit);
}

struct ContrastiveOptions {
  float temperature = ContrastiveLoss{}.temperature;
  bool symmetric = ContrastiveLoss{}.symmetric;
  std::vector<std::string> matryoshka;
  VectorLoss vector_loss = VectorLoss::squared_error;
};

template <class Visitor>
void fields(ContrastiveOptions& o, Visitor&& visit) {
  visit("temperature", o.temperature, above(0, 100),
        "temperature of the loss, which divides cosines; lower values weight the hardest negatives "
        "more");
  visit("symmetric", o.symmetric,
        "average the loss with that of finding the first text of a pair by the second");
  visit("matryoshka", o.matryoshka,
        "shorter widths, such as 128 64: the first 128 and the first 64 elements of a vector are "
        "also trained as vectors");
  visit("vector-loss", o.vector_loss,
        "loss of vectors that differ from those of --vectors: squared_error, the mean over their "
        "elements, or cosine, 1 - cosine");
}

struct EmbeddingTraining
    : EncoderTraining<EmbeddingDataOptions, EmbedderConfig, ContrastiveOptions> {
  static constexpr const char* kName = "embedding";  // of `attend train`
  static constexpr const char* kHelp = "Train an encoder to turn texts into vectors";

  // Vectors of length 1: their products are the cosines that are trained.
  EmbeddingTraining() { model.normalize = true; }
};

// Vectors of a teacher get a linear layer to their width, where the model has another one.
void settle_defaults(EmbeddingTraining& options, const IsSet& is_set);

// Takes the vocabulary, the architecture, its dropout and the longest text of `model`, an embedding
// model, a classifier or a tagger. Pooling and normalization, which have no parameters, stay open.
// Throws DataError for another kind.
OpenOptions adopt_model(EmbeddingTraining& options, const Checkpoint& model);

// Reads the texts, trains the tokenizer (or takes that of `resumed`, a checkpoint of this run, or
// of the initial model) and creates the model. An initial classifier or tagger loses its head. An
// initial embedding model keeps its prompts, and its usual one is put before every text. Throws
// ConfigError, also if the model differs from that of `resumed`; IoError and DataError for the
// files.
TrainingTask prepare_training(const EmbeddingTraining& options, const Checkpoint* resumed);

}  // namespace attend
