#include "attend/checkpoint/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "attend/backend/backend.h"
#include "attend/checkpoint/parameters.h"
#include "attend/error.h"

namespace attend {

namespace {

Tensor quantized(const NamedTensor& named, const std::string& source) {
  try {
    return backend().quantize_weights(named.tensor);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: tensor {}: {}", source, named.name, error.what()));
  }
}

}  // namespace

Checkpoint quantize_checkpoint(const Checkpoint& model, const ParameterSet& parameters) {
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
    if (named.tensor.dtype() == DType::i8)
      throw DataError(
          fmt::format("{}: tensor {}: expected numbers to quantize, found 8 bits already",
                      model.source, named.name));
    if (named.name.starts_with(kTrainingState)) continue;
    if (names.contains(named.name)) {
      add_quantized(result, named.name, quantized(named, model.source));
    } else {
      result.tensors.push_back(named);
    }
  }
  return result;
}

}  // namespace attend
