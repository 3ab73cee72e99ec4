// What training, scoring and decoding ask of a model that reads one sequence and writes another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/models/architecture.h"
#include "attend/nn/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/ops/cross_entropy.h"

namespace attend {

// Decoding in progress: R hypotheses for some of the B source sentences. The model must outlive it.
class DecodingState {
 public:
  virtual ~DecodingState() = default;
  virtual std::int64_t hypotheses() const = 0;

  // Hypothesis r continues what was hypothesis parents[r] with token tokens[r] -> hidden states [R, D], which project() turns into the
  // logits of the token after it. For the first step parents are 0 .. B-1. No gradients. For parents or tokens that do not exist it throws
  // ShapeError, past learned positions DataError, and stays as it was.
  virtual Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) = 0;
};

class EncoderDecoder {
 public:
  enum class Purpose { inference };  // parameters without gradients, for load_parameters() to allocate and fill in

  virtual ~EncoderDecoder() = default;
  EncoderDecoder(const EncoderDecoder&) = delete;
  EncoderDecoder& operator=(const EncoderDecoder&) = delete;

  // What it was made from, and the part of that which all architectures have.
  virtual ArchitectureConfig architecture() const = 0;
  virtual const EncoderDecoderConfig& config() const = 0;
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // The longest sequence that the model can read or write, in tokens; 0: any.
  virtual std::int64_t longest_sequence() const { return 0; }
  // Layers of the encoder: encode() shows a pass that asks for them its input and what each layer makes of it.
  virtual int encoder_layers() const = 0;

  // The table of the source's embeddings [V, D].
  Tensor src_embeddings() const;

  // src [N tokens] -> memory [N, .].
  virtual Variable encode(const Ragged& src, Pass& pass) const = 0;
  // Whole target prefixes, each position seeing the earlier ones -> hidden states [M, D].
  virtual Variable decode(const Ragged& tgt, const Variable& memory, const Ragged& src, Pass& pass) const = 0;
  // Hidden states [M, D] -> logits [M, V].
  Variable project(const Variable& hidden) const;
  // What project() multiplies with: a row for each token [V, D], perhaps in 8 bits or in panels.
  const Tensor& output_weights() const { return output_->value(); }
  // log p(targets[m] | hidden[m]) for every row, chunk by chunk.
  std::vector<float> target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const;
  // Label-smoothed cross-entropy of predicting `targets` (tgt shifted by one); logits are never held whole.
  CrossEntropy loss(const Ragged& src, const Ragged& tgt, const Ids& targets, const CrossEntropyOptions& options, Pass& pass) const;
  // Of two passes with different dropout, held to agree: paired_cross_entropy().
  CrossEntropy paired_loss(const Ragged& src, const Ragged& tgt, const Ids& targets, float divergence, const CrossEntropyOptions& options,
                           Pass& pass) const;

  // Decoding step by step, with one hypothesis for each sentence of src.
  virtual std::unique_ptr<DecodingState> begin(const Ragged& src) const = 0;

 protected:
  // Declares the embedding tables: the first parameters of every architecture.
  explicit EncoderDecoder(const EncoderDecoderConfig& config);

  // dropout(sqrt(D) table[ids] + positions): N ids -> [N, D].
  Variable embed(const Parameter& table, const Ids& ids, const Positions& positions, Pass& pass) const;

  ParameterSet parameters_;
  Parameter src_embedding_;
  Parameter tgt_embedding_;

 private:
  Parameter output_;  // [V, D]
};

// With gradients, initialised from the seed; or for inference. Throws ConfigError.
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config, std::uint64_t seed);
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config, EncoderDecoder::Purpose purpose);

// Throws ShapeError unless there is a token for every parent, and parents are among `hypotheses`.
void check_step(std::int64_t hypotheses, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens);

}  // namespace attend
