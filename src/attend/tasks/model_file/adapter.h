// Adapters (nn/low_rank.h) as files: what training saves of a model that stays as it is.
//
//   metadata   attend.adapter  the AdapterNote, as JSON
//              the others of the adapted model (saved_model.h), without golden samples
//   tensors    the matrices of the adapters, and parameters that were trained as they are; no
//              tokenizer
#pragma once

#include <set>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/options.h"
#include "attend/tasks/training/training_task.h"
#include "attend/train/trainer.h"

namespace attend {

struct AdapterNote {
  int rank = 1;
  float alpha = 1.0f;
  std::string base;  // checksum_of() the model that was adapted
};

template <class Visitor>
void fields(AdapterNote& n, Visitor&& visit) {
  visit("rank", n.rank, between(1, 65536), "rank of the adapters");
  visit("alpha", n.alpha, above(0, 1e6), "their factor is alpha / rank");
  visit("base", n.base, "checksum of the parameters of the adapted model");
}

bool is_adapter(const Checkpoint& checkpoint);
// Throws DataError for a damaged note.
AdapterNote adapter_note(const Checkpoint& adapter);
void set_adapter_note(Checkpoint& adapter, const AdapterNote& note);

// A checksum of the f32 tensors of a model, as 16 hexadecimal digits: equal on every machine.
std::string checksum_of(const Checkpoint& model);

// Throws ConfigError unless `resumed` (null: a new run) was saved with or without adapters, as
// `options` ask for.
void require_same_kind(const Checkpoint* resumed, const LowRankOptions& options);

// Changes a task, prepared from `base`, so that it trains and saves adapters. Parameters with other
// values than in `base`, those of a new head, are trained as they are. Throws ConfigError, also
// when `resumed` (or null) was adapted from another model.
void train_adapters(TrainingTask& task, const TrainerOptions& options, const Checkpoint& base,
                    const Checkpoint* resumed);

// An adapted model, without golden samples. Tensors that the adapter leaves as they are share the
// memory of those of the base, or are in its file.
struct AdaptedModel {
  Checkpoint checkpoint;
  std::set<std::string> changed;  // the names of the others
};

// Joins an adapter with its base, of which `base_checksum` is the checksum_of(). Throws DataError
// if `adapter` is none, or one of another model.
AdaptedModel adapted_model(const Checkpoint& base, const std::string& base_checksum,
                           const Checkpoint& adapter);

// The adapted model as one file, with golden samples. Throws the same.
Checkpoint merge_adapter(const Checkpoint& base, const Checkpoint& adapter);

}  // namespace attend
