#include "attend/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "attend/checkpoint/safetensors/content_check.h"
#include "attend/checkpoint/safetensors/packed_tensors.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::string_view kFormatKey = "attend.format";

// Looks at a tensor in memory.
void look_at(ContentCheck& check, std::size_t i, const std::byte* data) {
  for_content_parts(check.tensors()[i].bytes(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    check.look(i, begin, {data + begin, static_cast<std::size_t>(end - begin)});
  });
}

std::string checksum(std::span<const NamedTensor> tensors, const Metadata& metadata,
                     const FetchBytes& fetch) {
  std::vector<TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    TensorEntry entry{.name = name, .dtype = std::string(name_of(tensor.dtype())), .shape = {}};
    for (int i = 0; i < tensor.shape().rank(); ++i) entry.shape.push_back(tensor.shape()[i]);
    entry.end = static_cast<std::uint64_t>(tensor.size()) * size_of(tensor.dtype());
    entries.push_back(std::move(entry));
  }
  ContentCheck check(std::move(entries));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i].tensor;
    if (is_elsewhere(tensor))
      fetch_parts(tensors[i], fetch,
                  [&](std::uint64_t begin, auto part) { check.look(i, begin, part); });
    else
      look_at(check, i, tensor.bytes());
  }
  return check.checksum(metadata);
}

Checkpoint without_own_keys(const Metadata& metadata, const std::string& path) {
  Checkpoint checkpoint{{}, metadata, path};
  for (const std::string_view key : {kFormatKey, kChecksumKey, kLayoutKey}) {
    const auto found = checkpoint.metadata.find(std::string(key));
    if (found == checkpoint.metadata.end()) continue;
    if (key == kLayoutKey) checkpoint.layout = found->second;
    checkpoint.metadata.erase(found);
  }
  return checkpoint;
}

// Returns the tensor with this name and type.
NamedTensor in_memory(const Checkpoint& checkpoint, NamedTensor tensor) {
  return checkpoint.layout.empty() ? tensor : as_in_memory(tensor, checkpoint.source);
}

bool is_on_host(const Tensor& tensor) { return tensor.memory() == &host_memory(); }

}  // namespace

const Tensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &found->tensor;
}

const Tensor& Checkpoint::tensor(std::string_view name) const {
  const Tensor* const found = find(name);
  if (found == nullptr)
    throw DataError(
        fmt::format("{}: there is no tensor '{}' among its {}", source, name, tensors.size()));
  return *found;
}

const std::string& Checkpoint::text(std::string_view key) const {
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end())
    throw DataError(fmt::format("{}: its metadata has no '{}'", source, key));
  return found->second;
}

void Checkpoint::read_rows(std::string_view name, std::int64_t block, const UseRows& use) const {
  const Tensor& saved = tensor(name);
  const std::int64_t rows = saved.shape()[0];
  if (file == nullptr || saved.bytes() != nullptr || saved.size() == 0) {
    return use(0, rows, [&](const Tensor& to) { to.copy_from(saved); });
  }
  const auto& entries = file->header().tensors;
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&, stored = name_in_file(name, saved.dtype())](
                                      const TensorEntry& e) { return e.name == stored; });
  const auto index = static_cast<std::size_t>(entry - entries.begin());
  const std::uint64_t row_bytes = entry->bytes() / static_cast<std::uint64_t>(rows);
  for_content_parts(
      entry->bytes(), row_bytes * static_cast<std::uint64_t>(block),
      [&](std::uint64_t begin, std::uint64_t end) {
        use(static_cast<std::int64_t>(begin / row_bytes),
            static_cast<std::int64_t>(end / row_bytes), [&](const Tensor& to) {
              const Tensor host =
                  is_on_host(to) ? to : Tensor::empty_on_host(to.shape(), to.dtype());
              file->read(index, begin, {host.bytes(), static_cast<std::size_t>(end - begin)});
              to.copy_from(host);
            });
      });
}

void Checkpoint::copy_to(std::string_view name, const Tensor& destination) const {
  const Tensor& saved = tensor(name);
  if (saved.bytes() != nullptr) return destination.copy_from(saved);
  if (saved.shape() != destination.shape() || saved.dtype() != destination.dtype())
    throw DataError(fmt::format("{}: tensor {}: expected {} {}, found {} {}", source, name,
                                name_of(destination.dtype()), to_string(destination.shape()),
                                name_of(saved.dtype()), to_string(saved.shape())));
  read_rows(name, 1, [&](std::int64_t begin, std::int64_t end, const ReadRows& read) {
    read(destination.slice_rows(begin, end));
  });
}

void Checkpoint::require_intact() const {
  if (file != nullptr) file->require_intact();
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  Metadata metadata = checkpoint.metadata;
  for (const std::string_view key : {kFormatKey, kChecksumKey, kLayoutKey})
    if (metadata.contains(std::string(key)))
      throw ConfigError(fmt::format("checkpoint: the metadata key '{}' is reserved", key));
  std::vector<NamedTensor> tensors = checkpoint.tensors;
  const bool any_packed = std::any_of(tensors.begin(), tensors.end(),
                                      [](const NamedTensor& t) { return is_packed(t.tensor); });
  if (any_packed) metadata.emplace(kLayoutKey, checkpoint.layout);
  metadata.emplace(kFormatKey, std::to_string(any_packed ? kPackedFormat : kCheckpointFormat));
  for (NamedTensor& named : tensors) named = as_in_file({named.name, named.tensor.to_host()});
  metadata.emplace(kChecksumKey, checksum(tensors, metadata, checkpoint.fetch));
  write_safetensors(path, tensors, metadata, checkpoint.fetch);
}

void check_format(const Metadata& metadata, std::string_view where) {
  const auto found = metadata.find(std::string(kFormatKey));
  if (found == metadata.end())
    throw DataError(fmt::format(
        "{}: not an attend model (a safetensors file of another program?): its metadata has no {}",
        where, kFormatKey));
  const std::string& text = found->second;
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    throw DataError(fmt::format("{}: damaged: expected a version number as {}, got '{}'", where,
                                kFormatKey, text.substr(0, 40)));
  if (version > kPackedFormat) {
    throw DataError(fmt::format(
        "{}: written by a newer attend (format {}, this program reads up to {}): upgrade attend",
        where, version, kPackedFormat));
  }
  check_layout(metadata, where);
}

std::filesystem::path model_file_of(const std::filesystem::path& path) {
  const std::filesystem::path inside = path / "model.safetensors";
  std::error_code ignored;
  return std::filesystem::is_regular_file(inside, ignored) ? inside : path;
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const std::filesystem::path file = model_file_of(path);
  // Before reading all of a foreign file.
  check_format(read_safetensors_header(InputFile(file)).metadata, file.string());
  return load_checkpoint(SafetensorsFile::open(file));
}

Checkpoint load_checkpoint(const SafetensorsFile& file) {
  check_format(file.metadata(), file.path());
  const auto& entries = file.entries();
  ContentCheck check(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) look_at(check, i, file.data(entries[i]).data());
  check.require(file.metadata(), file.path());
  Checkpoint checkpoint = without_own_keys(file.metadata(), file.path());
  for (const TensorEntry& entry : entries)
    checkpoint.tensors.push_back(in_memory(checkpoint, {entry.name, file.tensor(entry)}));
  unpack_tensors(checkpoint);
  return checkpoint;
}

Checkpoint open_checkpoint(const std::filesystem::path& path) {
  const auto file = std::make_shared<const CheckedFile>(model_file_of(path));
  check_format(file->header().metadata, file->path());
  Checkpoint checkpoint = without_own_keys(file->header().metadata, file->path());
  checkpoint.file = file;
  for (std::size_t i = 0; i < file->header().tensors.size(); ++i) {
    const TensorEntry& entry = file->header().tensors[i];
    const DType dtype = dtype_of(entry, file->path());
    const Shape shape = shape_of(entry, file->path());
    const bool stays = may_hold_weights(entry.name, entry.dtype, shape.rank()) ||
                       (shape.rank() > 0 && entry.name.starts_with(kTrainingState));
    const Tensor tensor =
        stays ? Tensor::wrap(nullptr, nullptr, shape, dtype) : Tensor::empty_on_host(shape, dtype);
    if (!stays) file->read(i, 0, {tensor.bytes(), static_cast<std::size_t>(entry.bytes())});
    checkpoint.tensors.push_back(in_memory(checkpoint, {entry.name, tensor}));
  }
  return checkpoint;
}

Tensor bytes_tensor(std::string_view bytes) {
  Tensor tensor = Tensor::empty_on_host({static_cast<std::int64_t>(bytes.size())}, DType::u8);
  if (!bytes.empty()) std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
  return tensor;
}

std::string_view tensor_bytes(const Tensor& tensor) {
  const auto bytes = tensor.span<std::uint8_t>();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace attend
