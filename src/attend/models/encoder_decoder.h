// The interface of encoder-decoder models for training, scoring and decoding. Like a Network, an
// architecture has a constructor for inference, of its configuration, and one for training, of a
// seed, too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/models/architecture.h"
#include "attend/models/decoding_state.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"

namespace attend {

class EncoderDecoder {
 public:
  virtual ~EncoderDecoder() = default;
  EncoderDecoder(const EncoderDecoder&) = delete;
  EncoderDecoder& operator=(const EncoderDecoder&) = delete;

  // Its configuration, and the part of it that all architectures share.
  const ArchitectureConfig& architecture() const { return architecture_; }
  const EncoderDecoderConfig& config() const { return common(architecture_); }
  // The width of the memory.
  int d_model() const { return d_model_of(architecture_); }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The longest sequence the model can read or write, in tokens; 0: unlimited.
  virtual std::int64_t longest_sequence() const { return 0; }
  // Number of encoder layers. A pass that requests hidden states gets the input of encode() and the
  // output of each layer.
  virtual int encoder_layers() const = 0;

  // The source embeddings [V, D].
  Tensor src_embeddings() const;

  // src [N tokens] -> memory [N, .].
  virtual Variable encode(const Ragged& src, Pass& pass) const = 0;
  // Target prefixes, each position seeing the earlier ones -> hidden states [M, D].
  virtual Variable decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                          Pass& pass) const = 0;
  // Hidden states [M, D] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // Logits with the cap of the model, if it has one.
  Variable capped(const Variable& logits) const;
  // The output projection of project(), before the cap; its weights may be packed or in 8 bits.
  OutputProjection output() const;
  // log p(targets[m] | hidden[m]) for every row, in blocks.
  std::vector<float> target_log_probabilities(const Variable& hidden,
                                              std::span<const std::int32_t> targets) const;
  // Label-smoothed cross-entropy of predicting `targets` (tgt shifted by one), without storing all
  // logits.
  CrossEntropy loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                    const CrossEntropyOptions& options, Pass& pass) const;
  // R-Drop: two passes with different dropout and paired_cross_entropy(). Throws ConfigError for a
  // model with a cap of its logits.
  CrossEntropy paired_loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                           float divergence, const CrossEntropyOptions& options, Pass& pass) const;

  // Lets target tokens see later ones, for lessons: decode() then has no mask, and decoding(),
  // where later tokens do not exist yet, throws ConfigError. Throws ConfigError for an architecture
  // without self-attention in its decoder.
  virtual void see_later_tokens() { sees_later_tokens_ = true; }
  bool sees_later_tokens() const { return sees_later_tokens_; }
  // Incremental decoding: without hypotheses, and with one per source.
  virtual std::unique_ptr<DecodingState> decoding() const = 0;
  std::unique_ptr<DecodingState> begin(const Ragged& src) const;

 protected:
  // Declares the embedding tables and the output projection: the first parameters of every
  // architecture. Throws ConfigError.
  explicit EncoderDecoder(const ArchitectureConfig& architecture);

  ArchitectureConfig architecture_;
  ParameterSet parameters_;
  Parameter src_embedding_;
  Parameter tgt_embedding_;

 private:
  bool sees_later_tokens_ = false;
  AffineMap output_map() const { return {*output_, output_bias_ ? *output_bias_ : Variable()}; }

  Parameter output_;       // [V, D]
  Parameter output_bias_;  // [V], or none
};

}  // namespace attend
