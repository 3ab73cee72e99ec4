// The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attend/models/decoder.h"
#include "attend/models/encoder.h"
#include "attend/models/transformer_config.h"
#include "attend/ops/cross_entropy.h"

namespace attend {

// Decoding in progress: R hypotheses for some of the B source sentences.
class TransformerState {
 public:
  std::int64_t hypotheses() const { return static_cast<std::int64_t>(sentence_.size()); }

 private:
  friend class Transformer;
  TransformerState(int layers, std::int64_t sentences) : cache_(layers, sentences) {}

  // Hypotheses of one sentence that stand together attend to its memory as one group of queries.
  AttentionPattern cross_pattern() const;

  std::vector<Variable> memory_;  // per decoder layer: keys and values of all source tokens
  Ids src_offsets_;               // B+1
  KVCache cache_;
  std::vector<std::int32_t> sentence_;  // of each hypothesis
  std::vector<std::int32_t> length_;    // of each hypothesis, so far
};

class Transformer {
 public:
  // With gradients, initialised from the seed. Throws ConfigError.
  Transformer(const TransformerConfig& config, std::uint64_t seed);
  // For inference: without gradients, parameters to be filled in by the caller.
  enum class Purpose { inference };
  Transformer(const TransformerConfig& config, Purpose purpose);

  const TransformerConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The table of the source's embeddings [V, D].
  const Tensor& src_embeddings() const { return src_embedding_->value(); }

  // src [N tokens] -> memory [N, D].
  Variable encode(const Tokens& src, Pass& pass) const;
  // Whole target prefixes, each position seeing the earlier ones -> hidden states [M, D].
  Variable decode(const Tokens& tgt, const Variable& memory, const Tokens& src, Pass& pass) const;
  // Hidden states [M, D] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // log p(targets[m] | hidden[m]) for every row, chunk by chunk.
  std::vector<float> target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const;
  // Label-smoothed cross-entropy of predicting `targets` (tgt shifted by one); logits are never held whole.
  CrossEntropy loss(const Tokens& src, const Tokens& tgt, const Ids& targets, const CrossEntropyOptions& options, Pass& pass) const;

  // Decoding step by step. begin: one hypothesis for each sentence of src. step: hypothesis r continues what was hypothesis parents[r] with
  // token tokens[r] -> logits [R, V] for the token after it. For the first step parents are 0 .. B-1. No gradients. For parents
  // or tokens that do not exist it throws ShapeError, past learned positions DataError, and leaves the state as it was.
  TransformerState begin(const Tokens& src) const;
  Tensor step(TransformerState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) const;

 private:
  explicit Transformer(const TransformerConfig& config);
  Variable embed(const Parameter& table, Ids ids, const Positions& positions, Pass& pass) const;

  TransformerConfig config_;
  ParameterSet parameters_;
  Parameter src_embedding_;
  Parameter tgt_embedding_;
  Parameter output_;  // [V, D]
  PositionalEncoding src_positions_;
  PositionalEncoding tgt_positions_;
  Encoder encoder_;
  Decoder decoder_;
};

}  // namespace attend
