// Incremental decoding of a stack with a key/value cache, for encoder-decoders and decoder-only
// models.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attend/models/decoding_state.h"
#include "attend/models/transformer_stack.h"
#include "attend/nn/ragged.h"

namespace attend {

// N tokens that continue some hypotheses.
struct StepTokens {
  Ids ids;
  Ids positions;  // position in its sequence, from 0
  // Preceding tokens, latest first, per token; 0 before the start.
  std::vector<Ids> earlier;
};

class StackDecoding final : public DecodingState {
 public:
  using Embed = std::function<Variable(const StepTokens&)>;  // -> [N, D]; throws DataError past
                                                             // learned positions

  // Decoder-only: `hypotheses` empty sequences. `embed` needs the `lookback` tokens before each.
  StackDecoding(const TransformerStack& stack, Embed embed, std::int64_t hypotheses,
                int lookback = 0);
  // One hypothesis per source.
  StackDecoding(const TransformerStack& stack, Embed embed, SourceMemory memory);

  std::int64_t hypotheses() const override { return static_cast<std::int64_t>(length_.size()); }
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;
  // Hypothesis r continues with all tokens of sequence r -> hidden states [N, D] of these, in
  // order: the bits that one step per token gives. Throws like step().
  Tensor read(const Ragged& tokens);

 private:
  Tensor advance(std::span<const std::int32_t> parents, const Ragged& tokens);
  const TransformerStack& stack_;
  Embed embed_;
  KVCache cache_;
  std::optional<SourceMemory> memory_;
  std::vector<std::int32_t> source_;  // of each hypothesis, if there is a memory
  std::vector<std::int32_t> length_;  // length of each hypothesis
  // The last tokens of each hypothesis, latest first; 0 before the start. As many as are looked at.
  std::vector<std::vector<std::int32_t>> earlier_;
  int lookback_;
};

}  // namespace attend
