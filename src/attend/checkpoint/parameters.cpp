#include "attend/checkpoint/parameters.h"

#include <fmt/format.h>

#include "attend/core/error.h"

namespace attend {

void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const Tensor part = flat.slice_rows(entry.offset, entry.offset + entry.shape.size());
    checkpoint.tensors.push_back({entry.name, part.reshape(entry.shape)});
  }
}

void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const Tensor& saved = checkpoint.tensor(entry.name);
    if (saved.shape() != entry.shape || saved.dtype() != DType::f32)
      throw DataError(fmt::format("{}: tensor {}: expected F32 {}, as the model's configuration says, found {} {}", checkpoint.source,
                                  entry.name, to_string(entry.shape), name_of(saved.dtype()), to_string(saved.shape())));
    flat.slice_rows(entry.offset, entry.offset + entry.shape.size()).reshape(entry.shape).copy_from(saved);
  }
}

}  // namespace attend
