// What training, scoring and decoding ask of a model that reads one sequence and writes another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/models/architecture.h"
#include "attend/models/decoding_state.h"
#include "attend/nn/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/ops/cross_entropy.h"

namespace attend {

class EncoderDecoder {
 public:
  enum class Purpose {
    inference
  };  // parameters without gradients, for load_parameters() to allocate and fill in

  virtual ~EncoderDecoder() = default;
  EncoderDecoder(const EncoderDecoder&) = delete;
  EncoderDecoder& operator=(const EncoderDecoder&) = delete;

  // What it was made from, and the part of that which all architectures have.
  virtual ArchitectureConfig architecture() const = 0;
  virtual const EncoderDecoderConfig& config() const = 0;
  int d_model() const { return d_model_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The longest sequence that the model can read or write, in tokens; 0: any.
  virtual std::int64_t longest_sequence() const { return 0; }
  // Layers of the encoder: encode() shows a pass that asks for them its input and what each layer
  // makes of it.
  virtual int encoder_layers() const = 0;

  // The table of the source's embeddings [V, D].
  Tensor src_embeddings() const;

  // src [N tokens] -> memory [N, .].
  virtual Variable encode(const Ragged& src, Pass& pass) const = 0;
  // Whole target prefixes, each position seeing the earlier ones -> hidden states [M, D].
  virtual Variable decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                          Pass& pass) const = 0;
  // Hidden states [M, D] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // What project() multiplies with: a row for each token [V, D], perhaps packed or in 8 bits.
  const Tensor& output_weights() const { return output_->value(); }
  // log p(targets[m] | hidden[m]) for every row, chunk by chunk.
  std::vector<float> target_log_probabilities(const Variable& hidden,
                                              std::span<const std::int32_t> targets) const;
  // Label-smoothed cross-entropy of predicting `targets` (tgt shifted by one); logits are never
  // held whole.
  CrossEntropy loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                    const CrossEntropyOptions& options, Pass& pass) const;
  // Of two passes with different dropout, held to agree: paired_cross_entropy().
  CrossEntropy paired_loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                           float divergence, const CrossEntropyOptions& options, Pass& pass) const;

  // Decoding step by step, with one hypothesis for each sentence of src.
  virtual std::unique_ptr<DecodingState> begin(const Ragged& src) const = 0;

 protected:
  // Declares the embedding tables: the first parameters of every architecture.
  EncoderDecoder(const EncoderDecoderConfig& config, int d_model, float embedding_dropout);

  // dropout(sqrt(D) table[ids] + positions): N ids -> [N, D].
  Variable embed(const Parameter& table, const Ids& ids, const Positions& positions,
                 Pass& pass) const;

  ParameterSet parameters_;
  Parameter src_embedding_;
  Parameter tgt_embedding_;

 private:
  int d_model_;
  float embedding_dropout_;
  Parameter output_;  // [V, D]
};

}  // namespace attend
