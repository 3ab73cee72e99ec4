#include "attend/checkpoint/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
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

void check_saved(const Checkpoint& checkpoint, const std::string& name, DType dtype,
                 const Shape& shape) {
  const Tensor& saved = checkpoint.tensor(name);
  if (saved.shape() != shape || saved.dtype() != dtype)
    throw DataError(
        fmt::format("{}: tensor {}: expected {} {}, as the model's configuration says, found {} {}",
                    checkpoint.source, name, name_of(dtype), to_string(shape),
                    name_of(saved.dtype()), to_string(saved.shape())));
}

std::string scale_name(const std::string& name) { return name + ".scale"; }

// Checks that the file holds every parameter of the model before allocating memory: the
// configuration in a file may request any amount.
void check_tensors(const Checkpoint& checkpoint, const ParameterSet& parameters,
                   const ParameterSet::WeightTypes& types) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const auto type = types.find(entry.name);
    check_saved(checkpoint, entry.name, type == types.end() ? DType::f32 : type->second,
                entry.shape);
  }
}

ParameterSet::WeightTypes weight_types(const Checkpoint& checkpoint) {
  ParameterSet::WeightTypes types;
  for (const NamedTensor& named : checkpoint.tensors) {
    const DType dtype = named.tensor.dtype();
    if (dtype == DType::i8 || dtype == DType::bf16) types.emplace(named.name, dtype);
  }
  return types;
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
        const bool quantized_value = is_quantized(value);
        Tensor scales;
        if (quantized_value) {
          check_saved(checkpoint, scale_name(entry.name), DType::f32, {entry.shape[0]});
          scales = Tensor::empty({entry.shape[0]});
          checkpoint.copy_to(scale_name(entry.name), scales);
        }
        checkpoint.read_rows(
            entry.name, std::max<std::int64_t>(block, 1),
            [&](std::int64_t begin, std::int64_t end, const Checkpoint::ReadRows& read) {
              const Tensor rows = value.slice_rows(begin, end);
              if (quantized_value) {
                const Tensor numbers = Tensor::empty({end - begin, entry.shape[1]}, DType::i8);
                read(numbers);
                backend().join_quantized(numbers, scales.slice_rows(begin, end), rows);
              } else {
                read(rows);
              }
              if (block > 0) backend().pack_weights(rows);
            });
      });
}

void add_quantized(Checkpoint& checkpoint, const std::string& name, const Tensor& quantized) {
  const Tensor numbers = Tensor::empty({quantized.rows(), weight_columns(quantized)}, DType::i8);
  const Tensor scales = Tensor::empty({quantized.rows()});
  backend().split_quantized(quantized, numbers, scales);
  checkpoint.tensors.push_back({name, numbers});
  checkpoint.tensors.push_back({scale_name(name), scales});
}

void read_parameters(const Checkpoint& checkpoint, const ParameterSet& parameters,
                     const Tensor& flat) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    check_saved(checkpoint, entry.name, DType::f32, entry.shape);
    checkpoint.copy_to(
        entry.name,
        flat.slice_rows(entry.offset, entry.offset + entry.shape.size()).reshape(entry.shape));
  }
}

}  // namespace attend
