#include "attend/models/decoding_state.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {

void check_parents(std::int64_t hypotheses, std::span<const std::int32_t> parents) {
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= hypotheses)
      throw ShapeError(
          fmt::format("[step] expected parents among {} hypotheses, counted from 0, got {}",
                      hypotheses, parent));
  }
}

void check_step(std::int64_t hypotheses, std::span<const std::int32_t> parents,
                std::span<const std::int32_t> tokens) {
  if (parents.size() != tokens.size())
    throw ShapeError(
        fmt::format("[step] expected a token for every parent, got {} parents and {} tokens",
                    parents.size(), tokens.size()));
  check_parents(hypotheses, parents);
}

Tensor DecodingState::step(std::span<const std::int32_t> parents,
                           std::span<const std::int32_t> tokens) {
  check_step(hypotheses(), parents, tokens);
  return advance(parents, Ragged::one_each(tokens));
}

}  // namespace attend
