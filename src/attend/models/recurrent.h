// The recurrent encoder-decoder that preceded the Transformer (Bahdanau et al. 2015): a
// bidirectional GRU reads the source; a second GRU writes the target and attends to the source at
// every step through additive attention.
//
//   memory  m = [h_forward; h_backward]                       of every source token
//   start   s_0 = tanh(W_init mean(m))                        (as in Nematus, Sennrich et al. 2017)
//   step t  c_t = attention(s_{t-1}, m),   s_t = GRU([y_{t-1}; c_t], s_{t-1})
//   output  logits = E tanh(W_read [s_t; c_t; y_{t-1}])       E: the target embeddings, if tied
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "attend/models/encoder_decoder.h"
#include "attend/nn/attention/additive_attention.h"
#include "attend/nn/gru.h"

namespace attend {

class Recurrent final : public EncoderDecoder {
 public:
  explicit Recurrent(const RecurrentConfig& config);
  Recurrent(const RecurrentConfig& config, std::uint64_t seed) : Recurrent(config) {
    parameters_.allocate(seed);
  }

  const RecurrentConfig& config() const { return std::get<RecurrentConfig>(architecture_); }
  int encoder_layers() const override { return 1; }

  // -> memory [N, 2H].
  Variable encode(const Ragged& src, Pass& pass) const override;
  Variable decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                  Pass& pass) const override;
  void see_later_tokens() override;
  std::unique_ptr<DecodingState> decoding() const override;

 private:
  class State;

  // dropout(sqrt(D) table[ids]): N ids -> [N, D].
  Variable embed(const Parameter& table, const Ids& ids, Pass& pass) const;
  // The initial decoder states: memory [N, 2H] of B sequences -> [B, H].
  Variable initial_states(const Variable& memory, const Ids& offsets, const Pass& pass) const;
  // The next states [R, H] from the words' part of the gates [R, 3H], the contexts [R, 2H] and the
  // states [R, H].
  Variable next_states(const Variable& from_words, const Variable& contexts, const Variable& states,
                       const Pass& pass) const;
  // States, contexts and previous embeddings [R, H], [R, 2H], [R, D] -> the input of the output
  // projection [R, D].
  Variable read_out(const Variable& states, const Variable& contexts, const Variable& words,
                    const Pass& pass) const;

  BidirectionalGru encoder_;
  Linear initial_;
  AdditiveAttention attention_;
  Gru decoder_;
  Linear context_proj_;  // the context's part of the decoder's W_ih
  Linear readout_;
};

}  // namespace attend
