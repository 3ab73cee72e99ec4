// The safetensors file format: named tensors, one after the other, and a few strings.
//
//   bytes 0..7      H, the length of the header, little-endian
//   bytes 8..8+H    a JSON object, padded at its end with spaces:
//                     "__metadata__": {"key": "string", ...}                               (optional)
//                     "name": {"dtype": "F32", "shape": [3, 128], "data_offsets": [begin, end]}, ...
//   bytes 8+H..     the elements, little-endian, row after row; offsets count from here and cover this part without holes or overlaps
//
// Files written here begin their data at a multiple of 64 bytes and order it so that every tensor whose size is a multiple of 64 bytes
// begins at one too, and any other at a multiple of its element size. The header lists tensors in the order given. Equal inputs give equal
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/file_mapping.h"
#include "attend/tensor/tensor.h"

namespace attend {

using Metadata = std::map<std::string, std::string>;

inline constexpr std::size_t kSafetensorsPrefix = 8;  // bytes before the header: its length

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Writes `path` atomically (core/atomic_file.h). Throws ConfigError for a name or string that the format cannot hold (empty name,
// "__metadata__", a name used twice, invalid UTF-8, an undefined tensor) and IoError.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors, const Metadata& metadata);

// One tensor as the header describes it.
struct TensorEntry {
  std::string name;
  std::string dtype;                 // as spelled in the file: one of the format's types, of which Tensor knows some
  std::vector<std::int64_t> shape;   // any rank, extents >= 0, product and bytes checked against overflow
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

// Reads and checks the header of a whole file held in memory; `where` (its path) begins the error messages. Throws DataError for anything
// that the format does not allow. Never reads outside `file`, needs memory in proportion to the header at most.
SafetensorsHeader parse_safetensors(std::span<const std::byte> file, std::string_view where);

// A file mapped into memory. Cheap to copy; tensors keep the mapping alive after the SafetensorsFile is gone. The mapping is read-only:
// writing to a tensor of it is a segmentation fault, clone() it first. A file replaced by rename (what attend does) leaves a mapping as it
// was; a file cut short by another program while it is mapped does not.
class SafetensorsFile {
 public:
  // Throws IoError when the file cannot be opened, DataError when it is not what parse_safetensors expects.
  static SafetensorsFile open(const std::filesystem::path& path);
  // A file that is in memory already; `name` begins the error messages. Throws DataError.
  static SafetensorsFile from_memory(std::shared_ptr<const std::byte> bytes, std::uint64_t size, std::string name);

  const std::string& path() const { return path_; }
  const std::vector<TensorEntry>& entries() const { return header_.tensors; }
  const Metadata& metadata() const { return header_.metadata; }
  std::uint64_t file_bytes() const { return bytes_; }

  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return header_.find(name) != nullptr; }

  // The tensor, not copied unless its data are not aligned to its element size. Throws DataError when there is none of that name, or its
  // element type or rank is one that Tensor does not have.
  Tensor tensor(std::string_view name) const;
  Tensor tensor(const TensorEntry& entry) const;

  // The bytes of any entry, whatever its type. Valid as long as this object or a tensor of it lives.
  std::span<const std::byte> data(const TensorEntry& entry) const;

  // null when the file was in memory already.
  const std::shared_ptr<const FileMapping>& mapping() const { return mapping_; }

 private:
  std::string path_;
  std::shared_ptr<const FileMapping> mapping_;  // null: the bytes were in memory already
  std::shared_ptr<const std::byte> memory_;
  std::uint64_t bytes_ = 0;
  SafetensorsHeader header_;
};

// Shape from extents. nullopt when there are more than Shape::kMaxRank.
std::optional<Shape> to_shape(std::span<const std::int64_t> extents);

}  // namespace attend
