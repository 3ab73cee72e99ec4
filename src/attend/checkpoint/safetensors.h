// The safetensors file format: named tensors, one after the other, and a few strings.
//
//   bytes 0..7      H, the length of the header, little-endian
//   bytes 8..8+H    a JSON object, padded at its end with spaces:
//                     "__metadata__": {"key": "string", ...} (optional) "name": {"dtype": "F32",
//                     "shape": [3, 128], "data_offsets": [begin, end]}, ...
//   bytes 8+H..     the elements, little-endian, row after row; offsets count from here and cover
//   this part without holes or overlaps
//
// Files written here begin their data at a multiple of 64 bytes and order it so that every tensor
// whose size is a multiple of 64 bytes begins at one too, and any other at a multiple of its
// element size. The header lists tensors in the order given. Equal inputs give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/file_content.h"
#include "attend/model_file.h"
#include "attend/tensor/tensor.h"

namespace attend {

inline constexpr std::size_t kSafetensorsPrefix = 8;  // bytes before the header: its length

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Writes `path` atomically (core/atomic_file.h). Throws ConfigError for a name or string that the
// format cannot hold (empty name,
// "__metadata__", a name used twice, invalid UTF-8, an undefined tensor) and IoError.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata);

// One tensor as the header describes it.
struct TensorEntry {
  std::string name;
  std::string
      dtype;  // as spelled in the file: one of the format's types, of which Tensor knows some
  std::vector<std::int64_t>
      shape;  // any rank, extents >= 0, product and bytes checked against overflow
  std::uint64_t begin = 0, end = 0;  // bytes from the start of the file

  std::uint64_t bytes() const { return end - begin; }
  std::uint64_t elements() const;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the header's order
  Metadata metadata;

  // nullptr when there is no tensor of that name.
  const TensorEntry* find(std::string_view name) const;
};

// Reads and checks the header of a file of which `begin` is the first part, with at least the whole
// header if the file has so many bytes; `where` (its path) begins the error messages. Throws
// DataError for anything that the format does not allow. Never reads outside `begin`, needs memory
// in proportion to the header at most.
SafetensorsHeader parse_safetensors(std::span<const std::byte> begin, std::uint64_t file_bytes,
                                    std::string_view where);

// The same for a file on disk, of which nothing else is read.
SafetensorsHeader read_safetensors_header(const InputFile& file);

// A file read into memory, all of it. Cheap to copy; tensors keep the memory alive after the
// SafetensorsFile is gone. Tensors share it: clone() one before writing to it.
class SafetensorsFile {
 public:
  // Throws IoError when the file cannot be read, DataError when it is not what parse_safetensors
  // expects or is cut short meanwhile.
  static SafetensorsFile open(const std::filesystem::path& path);
  // A file that is in memory already, read or mapped by whoever calls; `name` begins the error
  // messages. Throws DataError.
  static SafetensorsFile from_memory(std::shared_ptr<const std::byte> bytes, std::uint64_t size,
                                     std::string name);

  const std::string& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return header_.tensors; }
  const Metadata& metadata() const { return header_.metadata; }
  std::uint64_t file_bytes() const { return bytes_; }

  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return header_.find(name) != nullptr; }

  // The tensor, not copied unless its data are not aligned to its element size. Throws DataError
  // when there is none of that name, or its element type or rank is one that Tensor does not have.
  Tensor tensor(std::string_view name) const;
  Tensor tensor(const TensorEntry& entry) const;

  // The bytes of any entry, whatever its type. Valid as long as this object or a tensor of it
  // lives.
  std::span<const std::byte> data(const TensorEntry& entry) const;

 private:
  std::string path_;
  std::shared_ptr<const std::byte> memory_;
  std::uint64_t bytes_ = 0;
  SafetensorsHeader header_;
};

// The element type and the shape that a tensor has in memory. Throw DataError, naming `where` and
// the tensor, when Tensor has none such.
DType dtype_of(const TensorEntry& entry, std::string_view where);
Shape shape_of(const TensorEntry& entry, std::string_view where);

// Shape from extents. nullopt when there are more than Shape::kMaxRank.
std::optional<Shape> to_shape(std::span<const std::int64_t> extents);

}  // namespace attend
