// Positions: the sinusoids of section 3.5, a learned table, or none.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "attend/nn/parameters.h"
#include "attend/ops/embedding.h"

namespace attend {

enum class PositionKind { sinusoidal, learned, none };
std::span<const std::string_view> enum_names(PositionKind);

// table[p, 2i] = sin(p / 10000^(2i/D)),  table[p, 2i+1] = cos(p / 10000^(2i/D)).  -> [length,
// width]
Tensor sinusoids(std::int64_t length, std::int64_t width);

class PositionalEncoding {
 public:
  // learned: a parameter [max_length, width]; positions past it are a DataError. Sinusoids grow
  // with the longest sequence seen.
  PositionalEncoding(ParameterSet& parameters, const std::string& path, PositionKind kind,
                     std::int64_t width, std::int64_t max_length);

  // What to add for tokens at these positions, 0 the first of a sequence.
  Positions at(Ids positions) const;

  // Positions 0, 1, ... within each sequence of a ragged batch.
  Positions of(std::span<const std::int32_t> offsets) const;

 private:
  PositionKind kind_;
  std::int64_t width_;
  Parameter learned_;

  // Computed when first needed; several threads may decode with one model.
  struct Sinusoids {
    std::mutex mutex;
    Variable table;
  };
  Variable sinusoids_for(std::int32_t last_position) const;
  std::shared_ptr<Sinusoids> sinusoids_ = std::make_shared<Sinusoids>();
};

}  // namespace attend
