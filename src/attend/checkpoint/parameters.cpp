#include "attend/checkpoint/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/weight_layout.h"
#include "attend/checkpoint/safetensors/packed_tensors.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/error.h"

namespace attend {

void add_parameters(Checkpoint& checkpoint, const ParameterSet& parameters, const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.dtype != DType::f32 || entry.shared())
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

void allocate(const Checkpoint& checkpoint, const ParameterSet::WeightTypes& types,
              ParameterSet& parameters) {
  if (checkpoint.shared.loaded != nullptr)
    return parameters.allocate_sharing(*checkpoint.shared.loaded, checkpoint.shared.own, types);
  const ParameterSet::Stored stored = tensors_in_place(checkpoint);
  if (stored.places.empty()) return parameters.allocate_for_inference(types);
  parameters.allocate_in_place(stored, types);
}

// Packs the rows if block > 0.
void fill_with_rows(const Checkpoint& checkpoint, const std::string& name, const Tensor& value,
                    std::int64_t block) {
  const StoredRows stored(checkpoint, name, value);
  checkpoint.read_rows(name, std::max<std::int64_t>(block, 1),
                       [&](std::int64_t begin, std::int64_t end, const Checkpoint::ReadRows& read) {
                         const Tensor rows = value.slice_rows(begin, end);
                         stored.read(begin, rows, read);
                         if (block > 0) backend()->pack_weights(rows);
                       });
}

// From a tensor that is packed in the file, as these kernels do it or in another way.
void fill_with_panels(const Checkpoint& checkpoint, const std::string& name, const Tensor& value,
                      std::int64_t block) {
  const DType packed = packed_type(value.dtype());
  if (block > 0 && checkpoint.layout == backend()->weight_layout())
    return checkpoint.copy_to(name, value.as(packed));
  const Tensor panels = Tensor::empty_on_host(value.shape(), packed);
  checkpoint.copy_to(name, panels);
  value.copy_from(rows_of_panels(panels));
  if (block > 0) backend()->pack_weights(value);
}

}  // namespace

void load_parameters(const Checkpoint& checkpoint, ParameterSet& parameters) {
  const ParameterSet::WeightTypes types = weight_types(checkpoint);
  check_tensors(checkpoint, parameters, types);
  try {
    allocate(checkpoint, types, parameters);
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
  parameters.fill_packed(
      [&](const ParameterSet::Entry& entry, const Tensor& value, std::int64_t block) {
        const bool packed = is_packed(checkpoint.tensor(entry.name));
        (packed ? fill_with_panels : fill_with_rows)(checkpoint, entry.name, value, block);
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
