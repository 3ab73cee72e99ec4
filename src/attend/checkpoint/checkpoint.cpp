#include "attend/checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "attend/checkpoint/finite.h"
#include "attend/core/parallel.h"
#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::string_view kFormatKey = "attend.format";
constexpr std::string_view kChecksumKey = "attend.checksum";
constexpr std::string_view kNoChecksum = "none";
constexpr std::size_t kLongestShownName = 120;

// The checksum's view of a tensor: its description and its bytes, in memory or still in a file.
struct Piece {
  std::string_view name;
  std::string_view dtype;
  std::span<const std::int64_t> shape;
  std::uint64_t bytes = 0;
  const std::byte* data = nullptr;
  std::uint64_t begin = 0;  // in the file
};

std::span<const std::byte> content_of(const Tensor& tensor) {
  return {tensor.bytes(), static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype())};
}

constexpr std::size_t kPart = std::size_t{256} << 10;  // fits in the inner caches
constexpr std::int64_t kPartsOfOneThread = 4;          // fewer are not worth more threads

// Calls use(number, bytes) for the parts of a piece, in parallel. `file` may be null for pieces in
// memory.
template <class Use>
void for_parts(const Piece& piece, const InputFile* file, const Use& use) {
  const auto one = [&](std::int64_t number) {
    const std::uint64_t begin = static_cast<std::uint64_t>(number) * kPart;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, piece.bytes - begin));
    if (piece.data != nullptr) return use(number, std::span(piece.data + begin, size));
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(size);
    const std::span<std::byte> bytes(buffer.get(), size);
    if (size > 0) file->read(piece.begin + begin, bytes);
    use(number, std::span<const std::byte>(bytes));
  };
  const auto parts = static_cast<std::int64_t>((piece.bytes + kPart - 1) / kPart);
  if (parts > kPartsOfOneThread) return parallel_each(parts, one);
  for (std::int64_t number = 0; number < parts; ++number) one(number);
}

std::uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The CRC-32 of a piece, and the result of `look` for its parts: done together, because reading
// dominates loading time.
template <class Look>
std::uint32_t crc_of(const Piece& piece, const InputFile* file, const Look& look) {
  std::vector<std::uint32_t> sums(static_cast<std::size_t>((piece.bytes + kPart - 1) / kPart));
  for_parts(piece, file, [&](std::int64_t number, std::span<const std::byte> bytes) {
    sums[static_cast<std::size_t>(number)] = crc_of(bytes);
    look(bytes);
  });
  if (sums.empty()) return crc_of({});
  std::uint32_t whole = sums[0];
  for (std::size_t i = 1; i < sums.size(); ++i) {
    const std::uint64_t size = std::min<std::uint64_t>(kPart, piece.bytes - i * kPart);
    whole = static_cast<std::uint32_t>(crc32_combine(whole, sums[i], static_cast<z_off_t>(size)));
  }
  return whole;
}

bool must_be_finite(const Piece& piece) {
  return piece.dtype == name_of(DType::f32) && !piece.name.starts_with(kTrainingState);
}

struct ContentReport {
  std::string checksum;
  std::vector<Piece> not_finite;  // although they should be
};

// The checksum is the CRC-32 of an unambiguous description (every string with its length),
// independent of the order in the file.
ContentReport look_at(std::vector<Piece> pieces, const Metadata& metadata, const InputFile* file) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.name < b.name; });
  ContentReport report;
  std::string text;
  for (const Piece& p : pieces) {
    std::atomic<bool> finite = true;
    const std::uint32_t sum = crc_of(p, file, [&](std::span<const std::byte> bytes) {
      if (must_be_finite(p) && !all_finite(bytes)) finite = false;
    });
    if (!finite) report.not_finite.push_back(p);
    text += fmt::format("{}:{} {} [{}] {:08x}\n", p.name.size(), p.name, p.dtype,
                        fmt::join(p.shape, ","), sum);
  }
  for (const auto& [key, value] : metadata) {
    if (key != kChecksumKey)
      text += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
  }
  report.checksum = fmt::format("{:08x}", crc_of(std::as_bytes(std::span(text))));
  return report;
}

std::string checksum(std::span<const NamedTensor> tensors, const Metadata& metadata) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const auto& [name, tensor] : tensors) {
    auto& shape = shapes.emplace_back();
    for (int i = 0; i < tensor.shape().rank(); ++i) shape.push_back(tensor.shape()[i]);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::span<const std::byte> content = content_of(tensors[i].tensor);
    pieces.push_back({tensors[i].name, name_of(tensors[i].tensor.dtype()), shapes[i],
                      content.size(), content.data()});
  }
  return look_at(std::move(pieces), metadata, nullptr).checksum;
}

void check_content(std::vector<Piece> pieces, const Metadata& metadata, const InputFile* file,
                   const std::string& path) {
  const auto expected = metadata.find(std::string(kChecksumKey));
  if (expected == metadata.end())
    throw DataError(fmt::format("{}: damaged: its metadata have no {}", path, kChecksumKey));
  const ContentReport found = look_at(std::move(pieces), metadata, file);
  if (expected->second != kNoChecksum && found.checksum != expected->second) {
    throw DataError(
        fmt::format("{}: damaged: expected the checksum {}, got {}; take another copy (or, if it "
                    "was edited on purpose, set {} to {})",
                    path, quote(expected->second), found.checksum, kChecksumKey, kNoChecksum));
  }
  for (const Piece& piece : found.not_finite) {
    const std::string what = fmt::format("tensor {}", quote(piece.name, kLongestShownName));
    for_parts(piece, file, [&](std::int64_t, std::span<const std::byte> bytes) {
      require_finite(bytes, what, path);
    });
  }
}

Checkpoint without_own_keys(const Metadata& metadata, const std::string& path) {
  Checkpoint checkpoint{{}, metadata, path};
  checkpoint.metadata.erase(std::string(kFormatKey));
  checkpoint.metadata.erase(std::string(kChecksumKey));
  return checkpoint;
}

// By all threads: most of the time goes into memory that is used for the first time.
void read_in_parts(const InputFile& file, std::uint64_t begin, std::span<std::byte> to) {
  constexpr std::size_t kReadAtOnce = std::size_t{2} << 20;  // a huge page
  const auto parts = static_cast<std::int64_t>((to.size() + kReadAtOnce - 1) / kReadAtOnce);
  parallel_each(parts, [&](std::int64_t number) {
    const std::size_t offset = static_cast<std::size_t>(number) * kReadAtOnce;
    file.read(begin + offset, to.subspan(offset, std::min(kReadAtOnce, to.size() - offset)));
  });
}

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
    throw DataError(fmt::format("{}: its metadata have no '{}'", source, key));
  return found->second;
}

void Checkpoint::copy_to(std::string_view name, const Tensor& destination) const {
  const Tensor& saved = tensor(name);
  const auto entry = std::find_if(unread.begin(), unread.end(),
                                  [&](const TensorEntry& e) { return e.name == name; });
  if (entry == unread.end()) return destination.copy_from(saved);
  if (saved.shape() != destination.shape() || saved.dtype() != destination.dtype())
    throw DataError(fmt::format("{}: tensor {}: expected {} {}, found {} {}", source, name,
                                name_of(destination.dtype()), to_string(destination.shape()),
                                name_of(saved.dtype()), to_string(saved.shape())));
  const Tensor host = destination.to_host();  // the destination itself, or a copy to copy back
  read_in_parts(*file, entry->begin, {host.bytes(), static_cast<std::size_t>(entry->bytes())});
  destination.copy_from(host);
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  Metadata metadata = checkpoint.metadata;
  for (const std::string_view key : {kFormatKey, kChecksumKey})
    if (metadata.contains(std::string(key)))
      throw ConfigError(fmt::format("checkpoint: the metadata key '{}' is reserved", key));
  metadata.emplace(kFormatKey, std::to_string(kCheckpointFormat));
  std::vector<NamedTensor> tensors = checkpoint.tensors;
  for (NamedTensor& named : tensors) named.tensor = named.tensor.to_host();
  metadata.emplace(kChecksumKey, checksum(tensors, metadata));
  write_safetensors(path, tensors, metadata);
}

void check_format(const Metadata& metadata, std::string_view where) {
  const auto found = metadata.find(std::string(kFormatKey));
  if (found == metadata.end())
    throw DataError(fmt::format(
        "{}: not an attend model (a safetensors file of another program?): its metadata have no {}",
        where, kFormatKey));
  const std::string& text = found->second;
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    throw DataError(fmt::format("{}: damaged: expected a version number as {}, got '{}'", where,
                                kFormatKey, text.substr(0, 40)));
  if (version > kCheckpointFormat) {
    throw DataError(fmt::format(
        "{}: written by a newer attend (format {}, this program reads up to {}): upgrade attend",
        where, version, kCheckpointFormat));
  }
}

void check_content(const InputFile& file, const SafetensorsHeader& header) {
  std::vector<Piece> pieces;
  for (const TensorEntry& entry : header.tensors)
    pieces.push_back({entry.name, entry.dtype, entry.shape, entry.bytes(), nullptr, entry.begin});
  check_content(std::move(pieces), header.metadata, &file, file.path());
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
  std::vector<Piece> pieces;
  for (const TensorEntry& entry : file.entries())
    pieces.push_back(
        {entry.name, entry.dtype, entry.shape, entry.bytes(), file.data(entry).data()});
  check_content(std::move(pieces), file.metadata(), nullptr, file.path());
  Checkpoint checkpoint = without_own_keys(file.metadata(), file.path());
  for (const TensorEntry& entry : file.entries())
    checkpoint.tensors.push_back({entry.name, file.tensor(entry)});
  return checkpoint;
}

Checkpoint open_checkpoint(const std::filesystem::path& path) {
  const auto file = std::make_shared<const InputFile>(model_file_of(path));
  const SafetensorsHeader header = read_safetensors_header(*file);
  check_format(header.metadata, file->path());
  check_content(*file, header);
  Checkpoint checkpoint = without_own_keys(header.metadata, file->path());
  checkpoint.file = file;
  for (const TensorEntry& entry : header.tensors) {
    const DType dtype = dtype_of(entry, file->path());
    const Shape shape = shape_of(entry, file->path());
    if (dtype == DType::f32 || dtype == DType::i8) {
      checkpoint.tensors.push_back({entry.name, Tensor::wrap(nullptr, nullptr, shape, dtype)});
      checkpoint.unread.push_back(entry);
      continue;
    }
    const Tensor tensor = Tensor::empty_on_host(shape, dtype);
    file->read(entry.begin, {tensor.bytes(), static_cast<std::size_t>(entry.bytes())});
    checkpoint.tensors.push_back({entry.name, tensor});
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
