#include "attend/checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "attend/core/error.h"
#include "attend/core/parallel.h"

namespace attend {

namespace {

constexpr std::string_view kFormatKey = "attend.format";
constexpr std::string_view kChecksumKey = "attend.checksum";
constexpr std::string_view kNoChecksum = "none";

// What the checksum sees of one tensor.
struct Piece {
  std::string_view name;
  std::string_view dtype;
  std::span<const std::int64_t> shape;
  std::span<const std::byte> data;
};

std::span<const std::byte> content_of(const Tensor& tensor) {
  return {tensor.bytes(), static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype())};
}

std::uint32_t crc_of_part(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Of parts side by side: it is a good share of the time that loading takes.
std::uint32_t crc(std::span<const std::byte> bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  if (bytes.size() <= kPart) return crc_of_part(bytes);
  std::vector<std::uint32_t> sums((bytes.size() + kPart - 1) / kPart);
  const auto part = [&](std::size_t i) { return bytes.subspan(i * kPart, std::min(kPart, bytes.size() - i * kPart)); };
  parallel_for(std::ssize(sums), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) sums[i] = crc_of_part(part(i));
  });
  std::uint32_t whole = sums[0];
  for (std::size_t i = 1; i < sums.size(); ++i)
    whole = static_cast<std::uint32_t>(crc32_combine(whole, sums[i], static_cast<z_off_t>(part(i).size())));
  return whole;
}

// The CRC-32 of a description that is unambiguous (every string with its length) and independent of the order in the file. `mapping`, which
// may be null, is what the pieces are parts of: their memory is given back as they have been read.
std::string checksum(std::vector<Piece> pieces, const Metadata& metadata, const FileMapping* mapping) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.name < b.name; });
  std::string text;
  for (const Piece& p : pieces) {
    text += fmt::format("{}:{} {} [{}] {:08x}\n", p.name.size(), p.name, p.dtype, fmt::join(p.shape, ","), crc(p.data));
    if (mapping != nullptr) mapping->release(p.data);
  }
  for (const auto& [key, value] : metadata) {
    if (key != kChecksumKey) text += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
  }
  return fmt::format("{:08x}", crc(std::as_bytes(std::span(text))));
}

std::string checksum(std::span<const NamedTensor> tensors, const Metadata& metadata) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const auto& [name, tensor] : tensors) {
    auto& shape = shapes.emplace_back();
    for (int i = 0; i < tensor.shape().rank(); ++i) shape.push_back(tensor.shape()[i]);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i].tensor;
    pieces.push_back({tensors[i].name, name_of(tensor.dtype()), shapes[i], content_of(tensor)});
  }
  return checksum(std::move(pieces), metadata, nullptr);
}

}  // namespace

const Tensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &found->tensor;
}

const Tensor& Checkpoint::tensor(std::string_view name) const {
  const Tensor* const found = find(name);
  if (found == nullptr) throw DataError(fmt::format("{}: there is no tensor '{}' among its {}", source, name, tensors.size()));
  return *found;
}

const std::string& Checkpoint::text(std::string_view key) const {
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end()) throw DataError(fmt::format("{}: its metadata have no '{}'", source, key));
  return found->second;
}

void Checkpoint::release(const Tensor& tensor) const {
  if (mapping && tensor.contiguous()) mapping->release(content_of(tensor));
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  Metadata metadata = checkpoint.metadata;
  for (const std::string_view key : {kFormatKey, kChecksumKey})
    if (metadata.contains(std::string(key))) throw ConfigError(fmt::format("checkpoint: the metadata key '{}' is reserved", key));
  metadata.emplace(kFormatKey, std::to_string(kCheckpointFormat));
  std::vector<NamedTensor> tensors = checkpoint.tensors;
  for (NamedTensor& named : tensors)
    if (!named.tensor.contiguous()) named.tensor = named.tensor.clone();
  metadata.emplace(kChecksumKey, checksum(tensors, metadata));
  write_safetensors(path, tensors, metadata);
}

void check_format(const Metadata& metadata, std::string_view where) {
  const auto found = metadata.find(std::string(kFormatKey));
  if (found == metadata.end())
    throw DataError(
        fmt::format("{}: not an attend model (a safetensors file of another program?): its metadata have no {}", where, kFormatKey));
  const std::string& text = found->second;
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    throw DataError(fmt::format("{}: damaged: expected a version number as {}, got '{}'", where, kFormatKey, text.substr(0, 40)));
  if (version > kCheckpointFormat) {
    throw DataError(fmt::format("{}: written by a newer attend (format {}, this program reads up to {}): upgrade attend", where, version,
                                kCheckpointFormat));
  }
}

void check_content(const SafetensorsFile& file) {
  const auto expected = file.metadata().find(std::string(kChecksumKey));
  if (expected == file.metadata().end()) throw DataError(fmt::format("{}: damaged: its metadata have no {}", file.path(), kChecksumKey));
  if (expected->second == kNoChecksum) return;
  std::vector<Piece> pieces;
  for (const TensorEntry& entry : file.entries()) pieces.push_back({entry.name, entry.dtype, entry.shape, file.data(entry)});
  const std::string found = checksum(std::move(pieces), file.metadata(), file.mapping().get());
  if (found != expected->second) {
    throw DataError(
        fmt::format("{}: damaged: expected the checksum {}, got {}; take another copy (or, if it was edited on purpose, set {} to {})",
                    file.path(), expected->second.substr(0, 40), found, kChecksumKey, kNoChecksum));
  }
}

Checkpoint load_checkpoint(const std::filesystem::path& path) { return load_checkpoint(SafetensorsFile::open(path)); }

Checkpoint load_checkpoint(const SafetensorsFile& file) {
  check_format(file.metadata(), file.path());
  check_content(file);
  Checkpoint checkpoint{{}, file.metadata(), file.path(), file.mapping()};
  checkpoint.metadata.erase(std::string(kFormatKey));
  checkpoint.metadata.erase(std::string(kChecksumKey));
  for (const TensorEntry& entry : file.entries()) checkpoint.tensors.push_back({entry.name, file.tensor(entry)});
  return checkpoint;
}

Tensor bytes_tensor(std::string_view bytes) {
  Tensor tensor = Tensor::empty({static_cast<std::int64_t>(bytes.size())}, DType::u8);
  if (!bytes.empty()) std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
  return tensor;
}

std::string_view tensor_bytes(const Tensor& tensor) {
  const auto bytes = tensor.span<std::uint8_t>();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace attend
