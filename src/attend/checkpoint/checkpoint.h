// A checkpoint: named tensors and strings in one safetensors file, with a format version and a
// checksum of the whole content.
//
// This layer adds and removes two metadata keys:
//   attend.format    the format version, kCheckpointFormat
//   attend.checksum  CRC-32 in hexadecimal over all names, types, shapes, data and metadata, sorted
//   by
//                    name, so that it stays valid when another program saves the file again. "none"
//                    is accepted, for files edited on purpose.
// The file holds no times and no paths: equal inputs give equal bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors.h"

namespace attend {

inline constexpr int kCheckpointFormat = 1;
// Prefix of names (tensors and metadata) that only training needs.
inline constexpr std::string_view kTrainingState = "state.";

struct Checkpoint {
  std::vector<NamedTensor> tensors;
  Metadata metadata;
  std::string source;  // path of the file, for messages; not saved
  std::shared_ptr<const InputFile> file =
      nullptr;  // the file of tensors that are not in memory yet; null: none
  std::vector<TensorEntry> unread = {};  // their positions in it

  // nullptr if there is none of that name.
  const Tensor* find(std::string_view name) const;
  // Throws DataError if there is none of that name.
  const Tensor& tensor(std::string_view name) const;
  const std::string& text(std::string_view key) const;

  // Copies or reads the elements of a tensor into memory of its shape and type. Throws DataError if
  // there is none of that name or the file was truncated, IoError if it cannot be read.
  void copy_to(std::string_view name, const Tensor& destination) const;
};

// Atomic; see write_safetensors for the errors. Throws ConfigError if the metadata use one of the
// two keys above.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Maps the folder of a run to the model.safetensors in it, so that either can name a model. Other
// paths are unchanged.
std::filesystem::path model_file_of(const std::filesystem::path& path);

// Reads and verifies the file, or that of the run folder. Tensors share the memory of the file (see
// SafetensorsFile). Throws IoError if the file cannot be read, DataError if it is damaged, foreign,
// written by a newer attend, or holds a value that is not finite (training state is not checked).
Checkpoint load_checkpoint(const std::filesystem::path& path);
Checkpoint load_checkpoint(const SafetensorsFile& file);

// The same for loading a model: f32 and i8 tensors have a shape but no memory, and copy_to() reads
// them from the file. Changes to the file in between go unnoticed, except truncation.
Checkpoint open_checkpoint(const std::filesystem::path& path);

// Checks only the version; `where` prefixes the message.
void check_format(const Metadata& metadata, std::string_view where);

// Verifies the content without keeping it. Throws like load_checkpoint.
void check_content(const InputFile& file, const SafetensorsHeader& header);

// Bytes as a u8 tensor (the tokenizer), and back. The view lives as long as the tensor. Throws
// ShapeError unless u8.
Tensor bytes_tensor(std::string_view bytes);
std::string_view tensor_bytes(const Tensor& tensor);

}  // namespace attend
