// Positional encodings: sinusoids (Vaswani et al. 2017, section 3.5), a learned table, or none.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "attend/nn/attention/growing_table.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/ragged.h"
#include "attend/ops/embedding.h"

namespace attend {

enum class PositionKind {
  sinusoidal,  // table[p, 2i] = sin(p / 10000^(2i/D)),  table[p, 2i+1] = cos(p / 10000^(2i/D))
  learned,
  none,
  sinusoidal_halves,  // the same sines in the first half of the columns, the cosines in the second
  sinusoidal_t2t,     // halves with the angles p / 10000^(i/(D/2-1)), as in Tensor2Tensor
  rotary,             // nothing is added: attention rotates queries and keys (rotary_encoding.h)
  relative,           // nothing is added: the scores of attention have learned biases by distance
  alibi               // the same with fixed biases (relative_positions.h)
};
std::span<const std::string_view> enum_names(PositionKind);
// Whether this kind is added to the embeddings.
bool is_added(PositionKind kind);

// Rows p = 0, 1, ... of a sinusoidal kind -> [length, width], on the host.
Tensor sinusoids(PositionKind kind, std::int64_t length, std::int64_t width);

struct PositionOptions {
  PositionKind kind = PositionKind::sinusoidal;
  std::int64_t width = 0;
  std::int64_t max_length = 0;  // of a learned table
  std::int32_t first = 0;       // the row of the first token of a sequence, of sinusoids
  // A token that does not count, as RoBERTa's padding. It has row 0 of a learned table, which has
  // one row more; the first token that counts has row 1. -1: all tokens count.
  std::int32_t uncounted = -1;
};

class PositionalEncoding {
 public:
  // learned: a parameter [max_length, width], with `uncounted` one row more; later positions are a
  // DataError. The table of sinusoids grows with the longest sequence.
  PositionalEncoding(ParameterSet& parameters, const std::string& path,
                     const PositionOptions& options);

  // The encodings of tokens at these positions, from 0; -1: of the token that does not count.
  Positions at(Ids positions) const;

  // Positions 0, 1, ... of the tokens that count within each sequence of a ragged batch.
  Positions of(const Ragged& text) const;

 private:
  PositionOptions options_;
  std::int32_t first_row_;  // of a token that counts
  Parameter learned_;

  Variable sinusoids_for(std::int32_t last_row) const;
  std::shared_ptr<GrowingTable> sinusoids_ = std::make_shared<GrowingTable>();
};

}  // namespace attend
