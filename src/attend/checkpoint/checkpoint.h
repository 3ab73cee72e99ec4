// A checkpoint: named tensors and strings in one safetensors file, with a format version and a checksum of the whole content.
//
// Two metadata keys belong to this layer and are added and removed by it:
//   attend.format    the version of the meaning of the file, kCheckpointFormat
//   attend.checksum  CRC-32 in hexadecimal over all names, types, shapes, data and metadata, in the order of the names and hence the same
//                    after another program has saved the file again. "none" is accepted for files that were edited on purpose.
// No times and no paths go into the file: equal inputs give equal bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors.h"

namespace attend {

inline constexpr int kCheckpointFormat = 1;
// How the names of what only training needs begin: tensors and metadata.
inline constexpr std::string_view kTrainingState = "state.";

struct Checkpoint {
  std::vector<NamedTensor> tensors;
  Metadata metadata;
  std::string source;                                    // path it was read from, for messages; not saved
  std::shared_ptr<const FileMapping> mapping = nullptr;  // the file that tensors are views of; null: of none

  // nullptr when there is none of that name.
  const Tensor* find(std::string_view name) const;
  // Throws DataError when there is none of that name.
  const Tensor& tensor(std::string_view name) const;
  const std::string& text(std::string_view key) const;

  // For who has copied one of the tensors: gives back the memory that the mapped file takes for it. It can still be read.
  void release(const Tensor& tensor) const;
};

// Atomic; see write_safetensors for the errors. ConfigError when the metadata use one of the two keys above.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Reads and verifies. Tensors are views of the mapped, read-only file (see SafetensorsFile). Throws IoError when the file cannot be opened,
// DataError when it is damaged, not one of attend's, or written by a newer attend.
Checkpoint load_checkpoint(const std::filesystem::path& path);
Checkpoint load_checkpoint(const SafetensorsFile& file);

// The two checks of load_checkpoint apart. check_format looks at the version only; `where` begins the message.
void check_format(const Metadata& metadata, std::string_view where);
void check_content(const SafetensorsFile& file);

// Bytes kept as a u8 tensor (the tokeniser), and back. The view lives as long as the tensor. Throws ShapeError unless u8.
Tensor bytes_tensor(std::string_view bytes);
std::string_view tensor_bytes(const Tensor& tensor);

}  // namespace attend
