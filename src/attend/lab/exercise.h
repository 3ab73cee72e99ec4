// Synthetic tasks on sequences of symbols, the models that learn them, and their training.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/models/architecture.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/plot/plot.h"

namespace attend::lab {

// A batch: sequences, and the targets of the queried rows.
struct Exercise {
  Ragged text;
  Ids rows;
  Ids targets;
};

class ExerciseBuilder {
 public:
  void add_sequence(std::span<const std::int32_t> ids);
  // Queries position `position` of the last sequence.
  void ask(std::int64_t position, std::int32_t target);
  Exercise build();

 private:
  RaggedBuilder text_;
  std::int32_t last_begin_ = 0;  // start of the last sequence
  std::vector<std::int32_t> rows_, targets_;
};

// Draws the next batch.
using MakeExercise = std::function<Exercise(Random& random)>;

std::vector<std::int32_t> random_symbols(Random& random, std::int64_t count, std::int32_t symbols);

// Independent standard normal numbers [rows, cols].
Variable random_normal(Random& random, std::int64_t rows, std::int64_t cols);

// B sequences of n + 1 random symbols: predict the first one at the end.
Exercise recall_first(Random& random, std::int64_t batch, std::int64_t n, std::int32_t symbols);
// B sequences of `length` random symbols: at every position, predict the symbol `back` positions
// earlier.
Exercise recall_back(Random& random, std::int64_t batch, std::int64_t length, std::int64_t back,
                     std::int32_t symbols);

// A model from symbols to class logits.
class SequenceModel {
 public:
  virtual ~SequenceModel() = default;
  ParameterSet& parameters() { return parameters_; }
  virtual Variable hidden(const Ragged& text, Pass& pass) const = 0;  // [N, D]
  // Logits of the queried rows [M, classes].
  virtual Variable logits(const Exercise& exercise, Pass& pass) const = 0;

 protected:
  ParameterSet parameters_;
};

struct SequenceShape {
  std::int32_t symbols = 16;
  std::int32_t classes = 16;
  bool causal = true;  // for Transformers; recurrent networks cannot look ahead
};

// A stack of Transformer layers; uses the encoder part of the configuration.
std::unique_ptr<SequenceModel> make_transformer(const TransformerConfig& config,
                                                const SequenceShape& shape, std::uint64_t seed);
// Layers of gated recurrent units; `width` is also that of the embedding.
std::unique_ptr<SequenceModel> make_gru(std::int64_t width, int layers, const SequenceShape& shape,
                                        std::uint64_t seed);

struct Practice {
  std::int64_t steps = 0;  // 0: until the time is up
  double seconds = 0;      // of CPU time; 0: until the steps are done
  float learning_rate = 1e-3f;
  int warmup_steps = 50;
  std::uint64_t seed = 1;
};

struct PracticeCurve {
  std::vector<double> losses;  // per step and target
  double seconds = 0;          // of CPU time

  // Mean of the last `count` losses.
  double recent(std::size_t count = 20) const;
};

PracticeCurve practise(SequenceModel& model, const MakeExercise& make, const Practice& practice);

// Every fifth loss, to plot against the step.
Series loss_series(const std::string& label, const PracticeCurve& curve);

// The share of correct answers; the second function, by queried position.
double accuracy(const SequenceModel& model, const Exercise& exercise);
std::vector<double> accuracy_by_position(const SequenceModel& model, const Exercise& exercise);

}  // namespace attend::lab
