#include "attend/checkpoint/safetensors/packed_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "attend/backend/backend.h"
#include "attend/backend/weight_layout.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::string_view kPacked = ".packed";

// Returns the type of the bytes of a packed tensor in a file.
DType type_in_file(DType packed) {
  return packed == DType::packed_i4 ? DType::u8 : plain_type(packed);
}

// The type of the weights in a tensor NAME.packed.
DType type_of_weights(DType in_file) { return in_file == DType::u8 ? DType::i4 : in_file; }

// Whether rows of this many columns hold whole weights.
bool has_whole_rows(const Tensor& weights) {
  const std::int64_t numbers = weight_columns(weights);
  return numbers > 0 && stored_columns(weights.dtype(), numbers) == weights.cols();
}

}  // namespace

void check_layout(const Metadata& metadata, std::string_view where) {
  const auto found = metadata.find(std::string(kLayoutKey));
  if (found != metadata.end() && found->second != kPanelLayout)
    throw DataError(fmt::format(
        "{}: its weights have the layout {}, this program knows {}; use the model that attend "
        "optimize made it from, or a newer attend",
        where, quote(found->second), kPanelLayout));
}

std::string name_in_file(std::string_view name, DType dtype) {
  return std::string(name) + std::string(plain_type(dtype) == dtype ? "" : kPacked);
}

NamedTensor as_in_file(const NamedTensor& tensor) {
  if (!is_packed(tensor.tensor)) return tensor;
  return {name_in_file(tensor.name, tensor.tensor.dtype()),
          tensor.tensor.as(type_in_file(tensor.tensor.dtype()))};
}

NamedTensor as_in_memory(const NamedTensor& tensor, std::string_view where) {
  if (!is_packed_name(tensor.name)) return tensor;
  const Tensor weights = tensor.tensor.as(type_of_weights(tensor.tensor.dtype()));
  if (!can_pack(weights) || !has_whole_rows(weights))
    throw DataError(fmt::format("{}: tensor {}: expected a matrix in the layout {}, found {} {}",
                                where, quote(tensor.name), kPanelLayout,
                                name_of(tensor.tensor.dtype()), to_string(tensor.tensor.shape())));
  return {tensor.name.substr(0, tensor.name.size() - kPacked.size()),
          weights.as(packed_type(weights.dtype()))};
}

void unpack_tensors(Checkpoint& checkpoint) {
  std::vector<NamedTensor> tensors = std::exchange(checkpoint.tensors, {});
  for (NamedTensor& named : tensors) {
    if (!is_packed(named.tensor)) {
      checkpoint.tensors.push_back(std::move(named));
      continue;
    }
    const Tensor rows = rows_of_panels(std::exchange(named.tensor, {}));
    if (!is_quantized(rows)) {
      checkpoint.tensors.push_back({named.name, rows});
      continue;
    }
    const std::size_t first = checkpoint.tensors.size();
    add_quantized(checkpoint, named.name, rows);
    for (std::size_t i = first; i < checkpoint.tensors.size(); ++i)
      checkpoint.tensors[i].tensor = checkpoint.tensors[i].tensor.to_host();
  }
}

Checkpoint pack_tensors(const Checkpoint& model, const ParameterSet& parameters) {
  Checkpoint result;
  result.source = model.source;
  result.layout = backend()->weight_layout();
  std::map<std::string, Tensor> packed;  // undefined: part of a packed tensor
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const Tensor value = parameters.value(entry);
    if (!is_packed(value)) continue;
    packed[entry.name] = value;
    packed[scale_name(entry.name)] = packed[factors_name(entry.name)] = {};
  }
  // In the order of the rows. Where that is the order of the parameters, as models are written, the
  // parts of a stack are neighbors.
  for (const NamedTensor& named : model.tensors) {
    if (named.name.starts_with(kTrainingState)) continue;
    const auto found = packed.find(named.name);
    if (found == packed.end())
      result.tensors.push_back(named);
    else if (found->second.defined())
      result.tensors.push_back({named.name, found->second});
  }
  for (const auto& [key, value] : model.metadata)
    if (!key.starts_with(kTrainingState)) result.metadata[key] = value;
  return result;
}

ParameterSet::Stored tensors_in_place(const Checkpoint& checkpoint) {
  const bool usable = checkpoint.file != nullptr && !checkpoint.layout.empty() &&
                      checkpoint.layout == backend()->weight_layout() &&
                      &current_memory() == &host_memory();
  const std::shared_ptr<const MappedFile> memory = usable ? checkpoint.file->mapped() : nullptr;
  if (memory == nullptr) return {};
  ParameterSet::Stored stored;
  const std::span<const std::byte> bytes = memory->bytes();
  stored.bytes = Tensor::wrap(std::const_pointer_cast<MappedFile>(memory),
                              const_cast<std::byte*>(bytes.data()), {std::ssize(bytes)}, DType::u8);
  for (const NamedTensor& named : checkpoint.tensors) {
    const DType dtype = named.tensor.dtype();
    const bool as_in_memory =
        is_packed(named.tensor) || dtype == DType::f32 || dtype == DType::bf16;
    if (!as_in_memory || named.tensor.bytes() != nullptr) continue;
    const TensorEntry& entry = *checkpoint.file->header().find(name_in_file(named.name, dtype));
    stored.places.emplace(
        named.name, ParameterSet::Stored::Place{static_cast<std::int64_t>(entry.begin), dtype});
  }
  return stored;
}

bool is_packed_name(std::string_view name) { return name.ends_with(kPacked); }

std::uint64_t numbers_of(const TensorEntry& entry) {
  const DType dtype = entry.dtype == name_of(DType::u8) ? DType::i4 : DType::i8;
  if (entry.shape.size() != 2 || entry.dtype != name_of(type_in_file(packed_type(dtype))))
    return entry.elements();
  const Tensor row = Tensor::wrap(nullptr, nullptr, {1, entry.shape[1]}, dtype);
  const std::int64_t weights = std::max<std::int64_t>(weight_columns(row), 0);
  return static_cast<std::uint64_t>(entry.shape[0]) * static_cast<std::uint64_t>(weights + 1);
}

}  // namespace attend
