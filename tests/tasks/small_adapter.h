// An adapter of a small model, with random matrices.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/nn/low_rank.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {

inline Tensor random_tensor(const Shape& shape, std::uint64_t stream) {
  Random random({11, stream});
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (float& value : values) value = 0.1f * random.normal();
  return Tensor::from(values, shape);
}

// Adapts the matrices `weights` of `base`, and replaces the parameters `whole`.
inline Checkpoint small_adapter(const Checkpoint& base, const std::vector<std::string>& weights,
                                const std::vector<std::string>& whole = {},
                                std::uint64_t seed = 1) {
  Checkpoint adapter;
  adapter.source = "adapter";
  adapter.metadata = base.metadata;
  adapter.metadata.erase("attend.golden");
  set_adapter_note(adapter, {2, 4.0f, checksum_of(base)});
  std::uint64_t stream = seed << 16;
  for (const std::string& name : weights) {
    const Shape& shape = base.tensor(name).shape();
    adapter.tensors.push_back({lora_a_name(name), random_tensor({2, shape[1]}, ++stream)});
    adapter.tensors.push_back({lora_b_name(name), random_tensor({shape[0], 2}, ++stream)});
  }
  for (const std::string& name : whole)
    adapter.tensors.push_back({name, random_tensor(base.tensor(name).shape(), ++stream)});
  return adapter;
}

}  // namespace attend
