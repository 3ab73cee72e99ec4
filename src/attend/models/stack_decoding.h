// Decoding with a stack and a key/value cache, of an encoder-decoder or of a decoder alone.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attend/models/decoding_state.h"
#include "attend/models/transformer_stack.h"

namespace attend {

// The tokens of a step, one for each of R hypotheses.
struct StepTokens {
  Ids ids;
  Ids positions;  // of each in its sequence, counted from 0
  std::vector<Ids>
      earlier;  // the tokens before, the latest first; of each hypothesis, 0 where there is none
};

class StackDecoding final : public DecodingState {
 public:
  using Embed = std::function<Variable(const StepTokens&)>;  // -> [R, D]; throws DataError past
                                                             // learned positions

  // A decoder alone: `hypotheses` that have read nothing. `embed` wants to see the `lookback`
  // tokens before each.
  StackDecoding(const TransformerStack& stack, Embed embed, std::int64_t hypotheses,
                int lookback = 0);
  // One hypothesis for each source.
  StackDecoding(const TransformerStack& stack, Embed embed, SourceMemory memory);

  std::int64_t hypotheses() const override { return static_cast<std::int64_t>(length_.size()); }
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;

 private:
  const TransformerStack& stack_;
  Embed embed_;
  KVCache cache_;
  std::optional<SourceMemory> memory_;
  std::vector<std::int32_t> source_;  // of each hypothesis, when there is a memory
  std::vector<std::int32_t> length_;  // of each hypothesis, so far
  std::vector<Ids> earlier_;          // as in StepTokens
};

}  // namespace attend
