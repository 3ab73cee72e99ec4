#include "attend/checkpoint/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "attend/backend/backend.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/error.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

// f32 [O, I] to bf16. Throws DataError unless all are finite.
Tensor in_sixteen_bits(const Tensor& weights) {
  const Tensor rounded = Tensor::empty_on_host(weights.shape(), DType::bf16);
  const auto from = weights.span();
  const auto to = rounded.span<std::uint16_t>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = nearest_bf16(from[i]);
    if (!std::isfinite(float_of_bf16(to[i])))
      throw DataError(fmt::format("row {}: expected finite weights, found {}",
                                  static_cast<std::int64_t>(i) / weights.cols(), from[i]));
  }
  return rounded;
}

void add_rounded(Checkpoint& checkpoint, const NamedTensor& weights, WeightBits bits) {
  try {
    if (bits != WeightBits::sixteen) {
      const bool grouped = bits == WeightBits::four && weights.tensor.cols() % kWeightGroup == 0;
      add_quantized(checkpoint, weights.name,
                    backend()->quantize_weights(weights.tensor, grouped ? DType::i4 : DType::i8));
    } else {
      checkpoint.tensors.push_back({weights.name, in_sixteen_bits(weights.tensor)});
    }
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}: tensor {}: {}", checkpoint.source, weights.name, error.what()));
  }
}

}  // namespace

Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters,
                               WeightBits bits) {
  if (const int found = weight_bits(model); found < 32)
    throw DataError(fmt::format("{}: expected a model in 32 bits, found one in {} bits already",
                                model.source, found));
  std::set<std::string> names;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.use != ParameterSet::Entry::Use::other) names.insert(entry.name);
  }
  Checkpoint result;
  result.source = model.source;
  for (const auto& [key, value] : model.metadata) {
    if (!key.starts_with(kTrainingState)) result.metadata[key] = value;
  }
  for (const NamedTensor& named : model.tensors) {
    if (named.name.starts_with(kTrainingState)) continue;
    if (names.contains(named.name)) {
      add_rounded(result, named, bits);
    } else {
      result.tensors.push_back(named);
    }
  }
  return result;
}

WeightBits weight_bits_of(int bits) {
  if (bits == 4) return WeightBits::four;
  if (bits == 8) return WeightBits::eight;
  if (bits == 16) return WeightBits::sixteen;
  throw ConfigError(fmt::format("bits: expected 4, 8 or 16, got {}", bits));
}

int weight_bits(const Checkpoint& model) {
  int bits = 32;
  for (const NamedTensor& named : model.tensors) {
    const DType dtype = plain_type(named.tensor.dtype());
    const int rank = named.tensor.shape().rank();
    if (dtype == DType::i4 || is_in_four_bits(named.name, name_of(dtype), rank)) bits = 4;
    if (dtype == DType::i8) bits = std::min(bits, 8);
    if (dtype == DType::bf16) bits = std::min(bits, 16);
  }
  return bits;
}

}  // namespace attend
