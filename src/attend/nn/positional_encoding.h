// Positional encodings: sinusoids (section 3.5), a learned table, or none.
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
  // learned: a parameter [max_length, width]; later positions are a DataError. The table of
  // sinusoids grows with the longest sequence.
  PositionalEncoding(ParameterSet& parameters, const std::string& path, PositionKind kind,
                     std::int64_t width, std::int64_t max_length);

  // The encodings of tokens at these positions, from 0.
  Positions at(Ids positions) const;

  // Positions 0, 1, ... within each sequence of a ragged batch.
  Positions of(std::span<const std::int32_t> offsets) const;

 private:
  PositionKind kind_;
  std::int64_t width_;
  Parameter learned_;

  // Computed on demand; several threads may decode with one model.
  struct Sinusoids {
    std::mutex mutex;
    Variable table;
  };
  Variable sinusoids_for(std::int32_t last_position) const;
  std::shared_ptr<Sinusoids> sinusoids_ = std::make_shared<Sinusoids>();
};

}  // namespace attend
