// Incremental decoding of a stack with a key/value cache, for encoder-decoders and decoder-only
// models.
#pragma once

#include <functional>
#include <vector>

#include "attend/models/decoding_state.h"
#include "attend/models/stack/transformer_stack.h"
#include "attend/nn/ragged.h"

namespace attend {

// N tokens that continue some hypotheses.
struct StepTokens {
  Ids ids;
  Ids positions;  // position in its sequence, from 0
  // Preceding tokens, latest first, per token; 0 before the start.
  std::vector<Ids> earlier;
};

// Throws ConfigError if tokens see later ones: text is written, and explained, token by token.
void require_mask(bool sees_later_tokens);
// Throws ConfigError: a recurrent decoder has no mask.
[[noreturn]] void refuse_to_see_later_tokens();

// R hypotheses, each of which has read some tokens; none at first. The stack must outlive it.
class StackDecoding final : public DecodingState {
 public:
  using Embed = std::function<Variable(const StepTokens&)>;  // -> [N, D]; throws DataError past
                                                             // learned positions
  // Sources -> TransformerStack::project_memory(), for each layer [tokens of all these sources, .].
  using ProjectSources = std::function<std::vector<Tensor>(const Ragged& src)>;

  // For a stack without cross-attention. `embed` needs the `lookback` tokens before each.
  StackDecoding(const TransformerStack& stack, Embed embed, int lookback);
  // For one with it.
  StackDecoding(const TransformerStack& stack, Embed embed, ProjectSources project);

  std::int64_t hypotheses() const override { return std::ssize(length_); }

  // Adds hypotheses that have read nothing behind the others, for a stack without cross-attention.
  void join(std::int64_t hypotheses);
  // The same for a stack with it: one hypothesis for each source.
  void join(const Ragged& src) override;

  // Hypothesis r continues the former hypothesis parents[r]; the number of hypotheses may change.
  // Throws ShapeError for parents that do not exist.
  void select(std::span<const std::int32_t> parents);
  // A hypothesis has read nothing from now on.
  void forget(std::int64_t hypothesis);

  // A sequence may have any number of tokens, also none: the bits that one call per token gives.
  Tensor advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  // The same with the hypotheses as they are.
  Tensor read(const Ragged& tokens);

 private:
  // Keys, values and sources only.
  void select_memory(std::span<const std::int32_t> parents);
  void drop_unused_sources();

  const TransformerStack& stack_;
  Embed embed_;
  ProjectSources project_;
  KVCache cache_;
  EncoderMemory memory_;
  std::vector<CrossKeys> source_;     // of each hypothesis, if there is a memory
  std::vector<std::int32_t> length_;  // length of each hypothesis
  // The last tokens of each hypothesis, latest first; 0 before the start. As many as are looked at.
  std::vector<std::vector<std::int32_t>> earlier_;
  int lookback_;
};

}  // namespace attend
