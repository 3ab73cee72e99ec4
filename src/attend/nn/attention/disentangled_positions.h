// Disentangled attention (He et al. 2021, DeBERTa): the score of a query and a key is the sum of
// three products: of both, of the query and the key of a position, and of the key and the query of
// that position. A position is a bucket of distances; it has a learned vector, which all layers of
// a stack share, and each layer projects it with the matrices of its queries and keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "attend/nn/layers.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/relative_positions.h"
#include "attend/ops/attention/attention.h"

namespace attend {

// The bucket of a distance (query - key), below options.buckets: one each for distances up to a
// quarter of the buckets on either side, the others for ranges that grow up to options.distance.
std::int32_t disentangled_bucket(std::int64_t distance, const RelativeOptions& options);

// For the self-attention of the layers of one stack.
class DisentangledPositions {
 public:
  struct Options {
    std::int64_t width = 0;
    RelativeOptions relative;
    NormOptions norm;
    float dropout = 0.0f;
  };
  // Parameters <path>.weight [buckets, width] and <path>.norm. Throws ConfigError unless the
  // distance is larger than a quarter of the buckets, plus one.
  DisentangledPositions(ParameterSet& parameters, const std::string& path, const Options& options);

  // The vectors of the buckets that sequences of up to `length` tokens need [K, width], which
  // follow one another.
  Variable of_length(std::int64_t length, Pass& pass) const;

  // What a layer has projected: queries and keys of N tokens [N, H*Dh], and of the vectors of
  // of_length() [K, H*Dh].
  struct Projected {
    Variable queries, keys, position_queries, position_keys;
  };
  // q[i] . pk[b] + k[j] . pq[b], b the bucket of i - j: for each pair of the layout, head by head
  // [P]. `length`: as of of_length(). Throws ShapeError for more pairs of tokens and buckets than
  // 32-bit numbers count.
  Variable scores(const Projected& of, const AttentionLayout& layout, std::int64_t length) const;

 private:
  std::int32_t first_of(std::int64_t length) const;

  Options options_;
  Parameter table_;
  Norm norm_;
};

}  // namespace attend
