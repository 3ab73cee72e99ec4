#include "attend/checkpoint/safetensors/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "attend/core/files/atomic_file.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {

static_assert(std::endian::native == std::endian::little,
              "the file format is little-endian and is used as it is read, not converted");

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kFetchedAtOnce = std::uint64_t{4} << 20;

std::uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.size()) * size_of(tensor.dtype());
}

// The order of data in the file: by the largest power of two (up to 64) that divides the size,
// largest first. Each tensor then begins at a multiple of that power without padding, which the
// format forbids.
std::vector<std::size_t> data_order(std::span<const NamedTensor> tensors) {
  const auto power = [&](std::size_t i) {
    return std::min<std::uint64_t>(std::gcd(bytes_of(tensors[i].tensor), kAlignment), kAlignment);
  };
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return power(a) > power(b); });
  return order;
}

void check_names(std::span<const NamedTensor> tensors) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.empty() || name == "__metadata__")
      throw ConfigError(fmt::format("safetensors: '{}' cannot be the name of a tensor", name));
    if (!names.insert(name).second)
      throw ConfigError(fmt::format("safetensors: two tensors are named '{}'", name));
    if (!tensor.defined())
      throw ConfigError(fmt::format("safetensors: tensor '{}' is undefined", name));
  }
}

std::vector<std::int64_t> extents_of(const Shape& shape) {
  std::vector<std::int64_t> extents;
  for (int i = 0; i < shape.rank(); ++i) extents.push_back(shape[i]);
  return extents;
}

// Prefix and header, padded so that the data begin at a multiple of 64.
std::string make_header(std::span<const NamedTensor> tensors, const Metadata& metadata,
                        std::span<const std::size_t> order) {
  std::vector<std::uint64_t> begins(tensors.size());
  std::uint64_t position = 0;
  for (const std::size_t i : order) {
    begins[i] = position;
    position += bytes_of(tensors[i].tensor);
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i].tensor;
    header.emplace(
        tensors[i].name,
        nlohmann::ordered_json{{"dtype", name_of(tensor.dtype())},
                               {"shape", extents_of(tensor.shape())},
                               {"data_offsets", {begins[i], begins[i] + bytes_of(tensor)}}});
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw ConfigError("safetensors: a tensor name or a metadata string is not valid UTF-8");
  }
  const std::size_t total =
      (kSafetensorsPrefix + text.size() + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(total - kSafetensorsPrefix, ' ');
  std::string prefix(kSafetensorsPrefix, '\0');
  for (std::size_t i = 0; i < kSafetensorsPrefix; ++i)
    prefix[i] = static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
  return prefix + text;
}

// Writes in blocks that begin at multiples of their size, so that file systems with large pages
// keep what was written in such pages: a mapped model is used in them.
class BlockWriter {
 public:
  explicit BlockWriter(AtomicFile& file) : file_(file) { block_.reserve(kBlock); }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), kBlock - block_.size()));
      block_.insert(block_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (block_.size() == kBlock) finish();
    }
  }
  void finish() {
    look_for_interruption();
    file_.write(block_);
    block_.clear();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{2} << 20;
  AtomicFile& file_;
  std::vector<std::byte> block_;
};

std::optional<DType> to_dtype(std::string_view name) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i32, DType::i8, DType::u8})
    if (name_of(dtype) == name) return dtype;
  return std::nullopt;
}

}  // namespace

bool is_elsewhere(const Tensor& tensor) { return tensor.bytes() == nullptr && tensor.size() > 0; }

void fetch_parts(const NamedTensor& tensor, const FetchBytes& fetch,
                 const std::function<void(std::uint64_t, std::span<const std::byte>)>& use) {
  const std::uint64_t bytes = bytes_of(tensor.tensor);
  std::vector<std::byte> part(static_cast<std::size_t>(std::min(bytes, kFetchedAtOnce)));
  for (std::uint64_t begin = 0; begin < bytes; begin += part.size()) {
    part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes - begin, part.size())));
    fetch(tensor.name, begin, part);
    use(begin, part);
  }
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata, const FetchBytes& fetch) {
  check_names(tensors);
  const std::vector<std::size_t> order = data_order(tensors);
  const std::string header = make_header(tensors, metadata, order);
  AtomicFile file(path);
  BlockWriter blocks(file);
  blocks.write(std::as_bytes(std::span(header)));
  for (const std::size_t i : order) {
    if (is_elsewhere(tensors[i].tensor)) {
      fetch_parts(tensors[i], fetch, [&](auto, auto part) { blocks.write(part); });
      continue;
    }
    const Tensor whole = tensors[i].tensor.to_host();
    blocks.write({whole.bytes(), static_cast<std::size_t>(bytes_of(whole))});
  }
  blocks.finish();
  file.commit();
}

std::optional<Shape> to_shape(std::span<const std::int64_t> e) {
  static_assert(Shape::kMaxRank == 4);
  switch (e.size()) {
    case 0:
      return Shape{};
    case 1:
      return Shape{e[0]};
    case 2:
      return Shape{e[0], e[1]};
    case 3:
      return Shape{e[0], e[1], e[2]};
    case 4:
      return Shape{e[0], e[1], e[2], e[3]};
    default:
      return std::nullopt;
  }
}

DType dtype_of(const TensorEntry& entry, std::string_view where) {
  const auto dtype = to_dtype(entry.dtype);
  if (!dtype)
    throw DataError(
        fmt::format("{}: tensor '{}' has elements {}, which this program cannot compute with",
                    where, entry.name, entry.dtype));
  return *dtype;
}

Shape shape_of(const TensorEntry& entry, std::string_view where) {
  const auto shape = to_shape(entry.shape);
  if (!shape) {
    throw DataError(fmt::format("{}: tensor '{}' has {} dimensions, this program handles up to {}",
                                where, entry.name, entry.shape.size(), Shape::kMaxRank));
  }
  return *shape;
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  const auto content = std::make_shared<const FileContent>(InputFile(path));
  const std::span<const std::byte> bytes = content->bytes();
  return from_memory({content, bytes.data()}, bytes.size(), path.string());
}

SafetensorsFile SafetensorsFile::from_memory(std::shared_ptr<const std::byte> bytes,
                                             std::uint64_t size, std::string name) {
  SafetensorsFile file;
  file.header_ = parse_safetensors({bytes.get(), static_cast<std::size_t>(size)}, size, name);
  file.path_ = std::move(name);
  file.memory_ = std::move(bytes);
  file.bytes_ = size;
  return file;
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const TensorEntry& entry : header_.tensors) names.push_back(entry.name);
  return names;
}

Tensor SafetensorsFile::tensor(std::string_view name) const {
  const TensorEntry* const entry = header_.find(name);
  if (entry == nullptr)
    throw DataError(fmt::format("{}: there is no tensor '{}' among its {}", path_, name,
                                header_.tensors.size()));
  return tensor(*entry);
}

Tensor SafetensorsFile::tensor(const TensorEntry& entry) const {
  const DType dtype = dtype_of(entry, path_);
  const Shape shape = shape_of(entry, path_);
  auto* const bytes = const_cast<std::byte*>(memory_.get()) + entry.begin;
  if (reinterpret_cast<std::uintptr_t>(bytes) % size_of(dtype) == 0)
    return Tensor::wrap(std::const_pointer_cast<std::byte>(memory_), bytes, shape, dtype);
  const Tensor copy = Tensor::empty_on_host(shape, dtype);
  std::memcpy(copy.bytes(), bytes, static_cast<std::size_t>(entry.bytes()));
  return copy;
}

std::span<const std::byte> SafetensorsFile::data(const TensorEntry& entry) const {
  return {memory_.get() + entry.begin, static_cast<std::size_t>(entry.bytes())};
}

}  // namespace attend
