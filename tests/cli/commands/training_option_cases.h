// The options that every task of training has, and what each of them changes.
#pragma once

#include <string>

#include "cli/commands/training_option_effects.h"

namespace attend {

// What a step learns shows in everything that comes after it.
inline const std::string kLearning = "losses norms validation parameters state score? ";
inline const std::string kModel = kLearning + "config ";
inline const std::string kPlan = kLearning + "batches ";
inline const std::string kSteps =
    "losses rates norms batches steps tensorboard checkpoints ";  // as many lines, events and files
                                                                  // as steps
inline const std::string kOften = "--valid-every 1 --save-every 1";
inline const std::string kVocabulary = kLearning + "tokenizer config? batches? text_kind? ";

// Of every task.
inline const Cases kRun{
    {"log-every", "2", "", "losses rates norms batches"},
    {"tensorboard-every", "3", "", "tensorboard"},
    {"threads", "2", "", ""},
};
inline const Cases kTraining{
    {"max-steps", "4", "", kSteps + "validation parameters? state score?"},
    {"max-epochs", "1", "--batch-tokens 1200 --max-steps 12",
     kSteps + "validation parameters? state score?"},
    {"accumulate", "2", "", kPlan},
    {"shards", "2", "", kPlan},
    {"wire", "bf16", "--shards 2", kLearning},
    {"wire", "bf16", "", ""},
    {"shard-optimizer", "yes", "", ""},
    {"valid-every", "2", "", "validation state tensorboard parameters? score"},
    {"save-every", "3", "", "checkpoints"},
    {"keep-checkpoints", "1", kOften, "checkpoints"},
    {"patience", "1", "--valid-every 1 --learning-rate 1e-12",
     kSteps + "validation parameters? state score"},
    {"average-last", "3", kOften + " --learning-rate 0.05", "validation score parameters?"},
    {"ema-decay", "0.5", "", "validation parameters state score?"},
    {"seed", "2", "", kLearning + "batches?"},
    {"precision", "bf16", "", kLearning},
    {"freeze", "*.norm1.*", "", kLearning},
    {"layer-decay", "0.5", "", kLearning},
    {"layer-decay", "0.5", "--optimizer muon", kLearning},
    {"optimizer", "muon", "", kLearning},
    {"optimizer", "adam8bit", "", kLearning},
    {"recompute", "yes", "", ""},
    {"adam-beta1", "0.5", "", kLearning},
    {"adam-beta2", "0.5", "", kLearning},
    {"adam-epsilon", "1e-2", "", kLearning},
    {"weight-decay", "0.5", "", kLearning},
    {"weight-decay", "0.5", "--optimizer muon", kLearning},
    {"clip-norm", "0.1", "", kLearning},
    {"clip-norm", "0.1", "--optimizer muon", kLearning},
    {"muon-momentum", "0.5", "--optimizer muon", kLearning},
    {"muon-momentum", "0.5", "", ""},
    {"schedule", "cosine", "", kLearning + "rates"},
    {"schedule", "noam", "", kLearning + "rates"},
    {"learning-rate", "0.02", "", kLearning + "rates"},
    {"warmup-steps", "4", "", kLearning + "rates"},
    {"min-learning-rate", "0.005", "--schedule linear", kLearning + "rates"},
    {"min-learning-rate", "0.005", "--schedule cosine", kLearning + "rates"},
};
inline const Cases kVocabularyOptions{
    {"tokenizer", "word", "", kVocabulary},
    {"tokenizer", "wordpiece", "", kVocabulary},
    {"tokenizer", "byte-bpe", "--vocab-size 300", kVocabulary},
    {"vocab-size", "70", "", kVocabulary},
    {"character-coverage", "0.98", "", kVocabulary},
    {"byte-fallback", "yes", "--vocab-size 400", kVocabulary},
    {"normalization", "nmt_nfkc_cf", "", kVocabulary},
    {"pretokenized", "yes", "--tokenizer word", kVocabulary},
    {"user-symbols", "<bt>", "", kVocabulary},
};
inline const std::string kStretched =
    "--positions rotary --rotary-scaling llama3 --rotary-factor 8 --rotary-original-length 20";
inline const std::string kForEachPair =
    "--positions rotary --rotary-width 2 --rotary-scaling longrope";
// Of every Transformer.
inline const Cases kStack{
    {"d-model", "32", "", kModel},
    {"n-heads", "4", "", kModel},
    {"d-ff", "32", "", kModel},
    {"d-key", "4", "", kModel},
    {"d-value", "4", "", kModel},
    {"dropout", "0.4", "", kModel},
    {"attention-dropout", "0.4", "", kModel},
    {"activation-dropout", "0.4", "", kModel},
    {"activation", "gelu", "", kModel},
    {"n-key-heads", "1", "", kModel},
    {"gated-ffn", "yes", "", kModel},
    {"ffn-bias", "no", "", kModel},
    {"attention-biases", "none", "", kModel},
    {"norm", "rms", "", kModel},
    {"qk-norm", "yes", "", kModel},
    {"norm-epsilon", "0.1", "", kModel},
    {"norm-bias", "no", "", kModel},
    {"ffn-hidden-bias", "no", "", kModel},
    {"norm-embedding", "yes", "", kModel},
    {"embedding-scale", "1", "", kModel},
    {"first-position", "3", "", kModel},
    {"rotary-theta", "10", "--positions rotary", kModel},
    {"rotary-theta", "10", "", "config"},
    {"rotary-scaling", "linear", "--positions rotary --rotary-factor 4", kModel},
    {"rotary-scaling", "yarn", "--positions rotary --rotary-factor 4", kModel},
    {"rotary-factor", "4", "--positions rotary --rotary-scaling linear", kModel},
    {"rotary-low-factor", "2", kStretched, kModel},
    {"rotary-high-factor", "3", kStretched, kModel},
    {"rotary-original-length", "40", kStretched, kModel},
    {"positions", "none", "", kModel},
    {"relative-buckets", "8", "--positions relative", kModel},
    {"relative-buckets", "8", "", "config"},
    {"relative-distance", "6", "--positions relative --relative-buckets 8", kModel},
    {"relative-shared", "no", "--positions relative", kModel},
    {"relative-shared", "no", "", "config"},
    {"distance-biases", "relative", "--positions learned", kModel},
    {"distance-biases", "alibi", "", kModel},
    {"layer-groups", "1", "", "config"},
    {"norm-output", "on", "--no-norm-first", kModel},
    {"norm-output", "off", "--norm-first", kModel},
    {"norm-input", "no", "--norm-first", kModel},
    {"norm-keys", "no", "--norm-first", kModel},
    {"norm-keys", "no", "--no-norm-first", "config"},
    {"positions", "alibi", "", kModel},
    {"max-positions", "300", "--positions learned", "config parameters state norms?"},
    {"max-positions", "300", "", "config"},
    {"attention-scores", "additive", "", kModel},
    {"attention-choice", "hard", "", kModel},
    {"inverse-temperature", "2", "", kModel},
    {"norm-branch", "yes", "", kModel},
    {"attention-cap", "0.5", "", kModel},
    {"attention-window", "2", "", kModel},
    {"attention-layers", "global,local", "--attention-window 2", kModel},
    {"attention-layers", "unrotated", "--positions rotary", kModel},
    {"attention-layers", "global:7", "", "config"},
    {"experts", "3", "", kModel},
    {"experts", "5", "--experts 3", kModel},
    {"experts-per-token", "1", "--experts 3", kModel},
    {"experts-per-token", "1", "", "config"},
    {"expert-width", "12", "--experts 3", kModel},
    {"shared-expert-width", "12", "--experts 3", kModel},
    {"router-norm", "no", "--experts 3", kModel},
    {"router-balance", "3", "--experts 3", kModel},
    {"expert-layers", "experts,dense", "--experts 3", "config"},  // of one layer
    {"qk-norm-span", "all", "--qk-norm", kModel},
    {"qk-norm-span", "all", "", "config"},
    {"sublayers", "parallel", "--norm-first", kModel},
    {"sublayers", "parallel_shared", "--norm-first", kModel},
    {"residual-scale", "0.5", "", kModel},
    {"rotary-width", "2", "--positions rotary", kModel},
    {"rotary-width", "2", "", "config"},
    {"rotary-scaling", "longrope", "--positions rotary --rotary-factor 4", kModel},
    {"rotary-short-factors", "3", kForEachPair, kModel},
    {"rotary-long-factors", "3", "", "config"},
    {"local-rotary-theta", "3", "--positions rotary --attention-window 5", kModel},
};

}  // namespace attend
