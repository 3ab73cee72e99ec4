// The safetensors file format: named tensors and a few strings.
//
//   bytes 0..7      H, the length of the header, little-endian
//   bytes 8..8+H    a JSON object, padded with spaces at its end:
//                     "__metadata__": {"key": "string", ...} (optional)
//                     "name": {"dtype": "F32", "shape": [3, 128], "data_offsets": [begin, end]},
//                     ...
//   bytes 8+H..     the elements, little-endian, row-major; offsets are relative to here and cover
//   this
//                   part without gaps or overlaps
//
// Files written here begin their data at a multiple of 64 bytes, and so does every tensor whose
// size is a multiple of 64 bytes; any other begins at a multiple of its element size. The header
// lists tensors in the order given. Equal inputs give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/model_file.h"
#include "attend/tensor/tensor.h"

namespace attend {

inline constexpr std::size_t kSafetensorsPrefix = 8;  // bytes before the header: its length

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Fills `to` with bytes of a tensor, from its byte `begin` on: of one that has a shape but no
// memory here.
using FetchBytes =
    std::function<void(std::string_view name, std::uint64_t begin, std::span<std::byte> to)>;

// Whether the bytes of a tensor must be fetched.
bool is_elsewhere(const Tensor& tensor);
// Fetches the bytes of such a tensor in order, a few MiB at a time, and passes them on.
void fetch_parts(const NamedTensor& tensor, const FetchBytes& fetch,
                 const std::function<void(std::uint64_t begin, std::span<const std::byte>)>& use);

// Writes `path` atomically (core/files/atomic_file.h). `fetch`: for tensors that are elsewhere.
// Throws ConfigError for a name or string that the format cannot hold (empty name, "__metadata__",
// duplicate name, invalid UTF-8, undefined tensor), and IoError.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata, const FetchBytes& fetch = {});

// A tensor as described by the header.
struct TensorEntry {
  std::string name;
  // As spelled in the file: any type of the format; Tensor supports some of them.
  std::string dtype;
  // Any rank, extents >= 0, checked against overflow.
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes from the start of the file

  std::uint64_t bytes() const { return end - begin; }
  std::uint64_t elements() const;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in header order
  Metadata metadata;

  // nullptr if there is no tensor of that name.
  const TensorEntry* find(std::string_view name) const;
};

// Parses and checks the header of a file that starts with `begin`, which holds at least the whole
// header if the file does. `where` (its path) prefixes error messages. Throws DataError for
// anything the format does not allow. Never reads outside `begin`; memory is at most proportional
// to the header.
SafetensorsHeader parse_safetensors(std::span<const std::byte> begin, std::uint64_t file_bytes,
                                    std::string_view where);

// The same for a file on disk; reads only the header.
SafetensorsHeader read_safetensors_header(const InputFile& file);

// A whole file in memory. Cheap to copy. Tensors share its memory and keep it alive: clone() one
// before writing to it.
class SafetensorsFile {
 public:
  // Throws IoError if the file cannot be read, DataError if parse_safetensors rejects it or it is
  // truncated meanwhile.
  static SafetensorsFile open(const std::filesystem::path& path);
  // A file in memory, read or mapped by the caller; `name` prefixes error messages. Throws
  // DataError.
  static SafetensorsFile from_memory(std::shared_ptr<const std::byte> bytes, std::uint64_t size,
                                     std::string name);

  const std::string& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return header_.tensors; }
  const Metadata& metadata() const { return header_.metadata; }
  std::uint64_t file_bytes() const { return bytes_; }

  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return header_.find(name) != nullptr; }

  // The tensor, copied only if its data are misaligned for its type. Throws DataError if there is
  // none of that name, or if Tensor does not support its type or rank.
  Tensor tensor(std::string_view name) const;
  Tensor tensor(const TensorEntry& entry) const;

  // The bytes of an entry of any type. Valid while this object or one of its tensors lives.
  std::span<const std::byte> data(const TensorEntry& entry) const;

 private:
  std::string path_;
  std::shared_ptr<const std::byte> memory_;
  std::uint64_t bytes_ = 0;
  SafetensorsHeader header_;
};

// The element type and shape of a tensor in memory. Throw DataError, naming `where` and the tensor,
// if Tensor does not support them.
DType dtype_of(const TensorEntry& entry, std::string_view where);
Shape shape_of(const TensorEntry& entry, std::string_view where);

// Shape from extents; nullopt for more than Shape::kMaxRank.
std::optional<Shape> to_shape(std::span<const std::int64_t> extents);

}  // namespace attend
