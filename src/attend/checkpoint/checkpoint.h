// A checkpoint: named tensors and strings in one safetensors file, with a format version and a
// checksum of the whole content.
//
// Two metadata keys belong to this layer and are added and removed by it:
//   attend.format    the version of the meaning of the file, kCheckpointFormat
//   attend.checksum  CRC-32 in hexadecimal over all names, types, shapes, data and metadata, in the
//   order of the names and hence the same
//                    after another program has saved the file again. "none" is accepted for files
//                    that were edited on purpose.
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
  std::string source;  // path it was read from, for messages; not saved
  std::shared_ptr<const InputFile> file = nullptr;  // where tensors without memory of their own are
                                                    // still to be read from; null: none such
  std::vector<TensorEntry> unread = {};             // where they are in it

  // nullptr when there is none of that name.
  const Tensor* find(std::string_view name) const;
  // Throws DataError when there is none of that name.
  const Tensor& tensor(std::string_view name) const;
  const std::string& text(std::string_view key) const;

  // Copies the elements of a tensor, or reads them, into memory of its shape and type. Throws
  // DataError when there is none of that name, or the file has been cut short, IoError when it
  // cannot be read.
  void copy_to(std::string_view name, const Tensor& destination) const;
};

// Atomic; see write_safetensors for the errors. ConfigError when the metadata use one of the two
// keys above.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Wherever a model is named, the folder of its run may be: the model.safetensors inside it. Any
// other path as it is.
std::filesystem::path model_file_of(const std::filesystem::path& path);

// Reads and verifies the file, or that of the run folder. Tensors share the memory that the file
// was read into (see SafetensorsFile). Throws IoError when the file cannot be read, DataError when
// it is damaged, not one of attend's, written by a newer attend, or holds a number that is not
// finite (what only training needs is not looked at).
Checkpoint load_checkpoint(const std::filesystem::path& path);
Checkpoint load_checkpoint(const SafetensorsFile& file);

// The same for who makes a model of it and nothing else: tensors of f32 and i8 have a shape and no
// memory, and are read where copy_to() wants them. A file that is changed between is not noticed,
// unless it has been cut short.
Checkpoint open_checkpoint(const std::filesystem::path& path);

// The check of the version apart; `where` begins the message.
void check_format(const Metadata& metadata, std::string_view where);

// Verifies the content without keeping it. Throws as load_checkpoint does.
void check_content(const InputFile& file, const SafetensorsHeader& header);

// Bytes kept as a u8 tensor (the tokenizer), and back. The view lives as long as the tensor. Throws
// ShapeError unless u8.
Tensor bytes_tensor(std::string_view bytes);
std::string_view tensor_bytes(const Tensor& tensor);

}  // namespace attend
