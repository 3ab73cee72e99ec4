// Biases of attention scores by head and distance, instead of an encoding that is added: learned
// ones in buckets of distances (Raffel et al. 2020, T5), or a fixed slope per head (Press et al.
// 2022, ALiBi).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/nn/attention/growing_table.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/tensor/ids.h"

namespace attend {

struct RelativeOptions {
  int buckets = 32;
  int distance = 128;
  bool shared = true;  // by all layers of a stack
};

template <class Visitor>
void fields(RelativeOptions& o, Visitor&& visit) {
  visit("relative-buckets", o.buckets, between(4, 4096),
        "buckets of distances with a learned bias per head: half for one distance each, half for "
        "growing ranges");
  visit("relative-distance", o.distance, between(3, 16384),
        "distance from which all tokens share one bucket of relative positions");
  visit("relative-shared", o.shared,
        "learn relative positions once for all layers of a stack, not for each layer");
}

// The bucket of a distance (key - query), below options.buckets. With `causal` all are for keys
// before the query, otherwise half of them are for keys after it.
std::int32_t relative_bucket(std::int64_t distance, const RelativeOptions& options, bool causal);

// The slope of each head: 2^(-8/H), 2^(-16/H), ... For other numbers of heads than powers of two,
// the rest are every other one of twice as many.
std::vector<float> alibi_slopes(int heads);

// For one stack, shared by the self-attention of its layers, or for one layer.
class RelativePositions {
 public:
  // Learned: the parameter <path>.weight [buckets, heads]. Throws ConfigError unless the distance
  // is larger than half the buckets.
  static std::shared_ptr<const RelativePositions> learned(ParameterSet& parameters,
                                                          const std::string& path, int heads,
                                                          const RelativeOptions& options,
                                                          bool causal);
  // ALiBi: -slope * |distance|.
  static std::shared_ptr<const RelativePositions> alibi(int heads);

  // The biases [2R+1, heads] of sequences of up to `length` tokens (DistanceBias).
  Variable biases(std::int64_t length) const;

 private:
  Tensor sloping(std::int64_t reach) const;

  Parameter table_;  // of learned ones
  Ids buckets_;      // 2R+1, by distance
  std::vector<float> slopes_;

  mutable GrowingTable sloping_;  // the slopes' biases
};

}  // namespace attend
