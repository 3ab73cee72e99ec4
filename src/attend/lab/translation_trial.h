// Short in-memory training runs of translators, for experiments on translation.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "attend/lab/experiment.h"
#include "attend/tasks/translation/training/objective.h"
#include "attend/train/trainer.h"

namespace attend::lab {

// Text, read and encoded once.
class TrialCorpus {
 public:
  // From the demo's grammar.
  static TrialCorpus demo(int train_sentences, int valid_sentences, std::uint64_t seed);
  // From the Multi30k folder of English-German captions, with word vocabularies.
  static TrialCorpus multi30k(const std::string& folder, int valid_sentences);

  const std::string& name() const { return name_; }
  std::int32_t vocab_size() const { return tokenizer_.vocab_size(); }
  // A new model that trains on it.
  std::unique_ptr<TranslationObjective> objective(ArchitectureConfig config, float label_smoothing,
                                                  std::int64_t batch_tokens,
                                                  std::uint64_t seed) const;

 private:
  TrialCorpus(std::string name, const ParallelText& train, ParallelText valid,
              const TokenizerOptions& options);

  std::string name_;
  Tokenizer tokenizer_;
  EncodedPairs train_, valid_;
  ParallelText valid_text_;
  bool pretokenized_ = false;
};

// The demo's model: d_model 128, 4 heads, d_ff 512, 2 + 2 layers, no dropout.
TransformerConfig trial_transformer();

struct TrialOptions {
  std::int64_t steps = 0;        // 0: until the time is up
  double seconds = 0;            // of training; 0: until the steps are done
  std::int64_t validations = 1;  // evenly spaced over the steps or the time
  ScheduleOptions schedule;
  float clip_norm = 1.0f;
  std::uint64_t seed = 1;
};

struct Trial {
  struct Point {
    std::int64_t step;
    double seconds;  // of training, without validation
    double perplexity;
    double bleu;
  };
  std::vector<double> losses;    // per step and target token, without smoothing
  std::vector<Point> points;     // the validations
  double tokens_per_second = 0;  // target tokens
  bool diverged = false;

  // The last validation; for a run that diverged before the first one, that of an untrained model.
  Point last() const {
    return points.empty() ? Point{0, 0, std::numeric_limits<double>::infinity(), 0} : points.back();
  }
  // Mean of the last `count` losses.
  double recent_loss(std::size_t count = 20) const;
};

// A trial in pieces, so that several can take turns and disturbances of the machine affect all of
// them.
class TrialRun {
 public:
  // The objective must outlive it.
  TrialRun(TranslationObjective& objective, const TrialOptions& options);

  bool done() const { return share() >= 1; }
  // Trains until the next validation, and validates. Precondition: not done.
  void advance();
  const Trial& trial() const { return trial_; }

 private:
  double share() const;  // share of the run that is done

  TranslationObjective& objective_;
  TrialOptions options_;
  Trainer trainer_;
  Trial trial_;
  double seconds_ = 0, tokens_ = 0;  // of training so far
};

Trial run_trial(TranslationObjective& objective, const TrialOptions& options);

}  // namespace attend::lab
