#include "attend/checkpoint/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/checkpoint/stored_weights.h"
#include "attend/error.h"

namespace attend {

void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.dtype != DType::f32 || entry.shared)
      throw ShapeError(fmt::format("{}: expected F32, got {}", entry.name, name_of(entry.dtype)));
    const Tensor part = flat.slice_rows(entry.offset, entry.offset + entry.shape.size());
    checkpoint.tensors.push_back({entry.name, part.reshape(entry.shape)});
  }
}

namespace {

// Checks that the file holds every parameter of the model before allocating memory: the
// configuration in a file may request any amount.
void check_tensors(const Checkpoint& checkpoint, const ParameterSet& parameters,
                   const ParameterSet::WeightTypes& types) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const auto type = types.find(entry.name);
    check_stored(checkpoint, entry.name, type == types.end() ? DType::f32 : type->second,
                 entry.shape);
  }
}

}  // namespace

void load_parameters(const Checkpoint& checkpoint, ParameterSet& parameters) {
  const ParameterSet::WeightTypes types = weight_types(checkpoint);
  check_tensors(checkpoint, parameters, types);
  try {
    if (checkpoint.shared.loaded != nullptr)
      parameters.allocate_sharing(*checkpoint.shared.loaded, checkpoint.shared.own, types);
    else
      parameters.allocate_for_inference(types);
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
  parameters.fill_packed(
      [&](const ParameterSet::Entry& entry, const Tensor& value, std::int64_t block) {
        const StoredRows stored(checkpoint, entry.name, value);
        checkpoint.read_rows(
            entry.name, std::max<std::int64_t>(block, 1),
            [&](std::int64_t begin, std::int64_t end, const Checkpoint::ReadRows& read) {
              const Tensor rows = value.slice_rows(begin, end);
              stored.read(begin, rows, read);
              if (block > 0) backend().pack_weights(rows);
            });
      });
}

void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters,
                     const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    check_stored(checkpoint, entry.name, DType::f32, entry.shape);
    checkpoint.copy_to(
        entry.name,
        flat.slice_rows(entry.offset, entry.offset + entry.shape.size()).reshape(entry.shape));
  }
}

}  // namespace attend
