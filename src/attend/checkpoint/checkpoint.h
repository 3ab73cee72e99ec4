// A checkpoint: named tensors and strings in one safetensors file, with a format version and a
// checksum of the whole content.
//
// This layer adds and removes three metadata keys:
//   attend.format    the format version: kCheckpointFormat, or kPackedFormat for a file with a
//   layout attend.layout    how packed tensors lie in the file (packed_tensors.h), if there are
//   some attend.checksum  CRC-32 in hexadecimal over all names, types, shapes, data and metadata,
//   sorted by
//                    name, so that it stays valid when another program saves the file again. "none"
//                    is accepted, for files edited on purpose.
// The file holds no times and no paths: equal inputs give equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/checked_file.h"
#include "attend/checkpoint/safetensors/safetensors.h"

namespace attend {

inline constexpr int kCheckpointFormat = 1, kPackedFormat = 2;
inline constexpr std::string_view kLayoutKey = "attend.layout";
// Prefix of names (tensors and metadata) that only training needs.
inline constexpr std::string_view kTrainingState = "state.";

class ParameterSet;

// Parameters in memory that a model takes instead of tensors of its checkpoint, unless `own` names
// them (load_parameters()).
struct SharedParameters {
  std::shared_ptr<const ParameterSet> loaded = nullptr;
  std::set<std::string> own = {};
};

struct Checkpoint {
  std::vector<NamedTensor> tensors;
  Metadata metadata;
  std::string source;  // path of the file, for messages; not saved
  // The file of tensors that are not in memory: those of weights and of training, which have a
  // shape but no bytes. Null if all are in memory.
  std::shared_ptr<const CheckedFile> file = nullptr;
  // How packed tensors lie in the file; empty: it has none. load_checkpoint() unpacks them.
  std::string layout = {};
  SharedParameters shared = {};
  // For saving tensors that another process has (is_elsewhere()). It is called twice for every
  // byte: a file begins with the checksum of all.
  FetchBytes fetch = {};

  // nullptr if there is none of that name.
  const Tensor* find(std::string_view name) const;
  // Throws DataError if there is none of that name.
  const Tensor& tensor(std::string_view name) const;
  const std::string& text(std::string_view key) const;

  // Copies or reads the elements of a tensor into memory of its shape and type. Throws DataError if
  // there is none of that name or the file was truncated, IoError if it cannot be read.
  void copy_to(std::string_view name, const Tensor& destination) const;

  // The same for rows along the first dimension, in parts that fit in the caches. Calls
  // use(begin, end, read) for each, in parallel; read(rows) fills a tensor of their shape and type.
  // All parts but the last are multiples of `block` rows. A tensor in memory is one part.
  using ReadRows = std::function<void(const Tensor& to)>;
  using UseRows = std::function<void(std::int64_t begin, std::int64_t end, const ReadRows& read)>;
  void read_rows(std::string_view name, std::int64_t block, const UseRows& use) const;

  // Checks what was read of the file and all the rest of it. Throws DataError if it is damaged, or
  // holds a value that is not finite (training state is not checked).
  void require_intact() const;
};

// Atomic; see write_safetensors for the errors. Throws ConfigError if the metadata use one of the
// three keys above.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Maps the folder of a run to the model.safetensors in it, so that either can name a model. Other
// paths are unchanged.
std::filesystem::path model_file_of(const std::filesystem::path& path);

// Reads and verifies the file, or that of the run folder. Tensors share the memory of the file (see
// SafetensorsFile); packed ones become rows in their own. Throws IoError if the file cannot be
// read, DataError if it is damaged, foreign, written by a newer attend, or holds a value that is
// not finite (training state is not checked).
Checkpoint load_checkpoint(const std::filesystem::path& path);
Checkpoint load_checkpoint(const SafetensorsFile& file);

// For loading and resuming: tensors of weights and of training have a shape but no memory, and
// copy_to() reads them from the file. The content is NOT checked before require_intact(). Throws
// IoError if the file cannot be read, DataError if it is foreign or written by a newer attend.
Checkpoint open_checkpoint(const std::filesystem::path& path);

// The result of read(checkpoint) for a file, which is read once and checked meanwhile. If read()
// throws because the file is damaged, the error says that. Throws like open_checkpoint() and
// Checkpoint::require_intact().
template <class Read>
auto read_checkpoint(const std::filesystem::path& path, const Read& read) {
  const Checkpoint checkpoint = open_checkpoint(path);
  try {
    auto result = read(checkpoint);
    checkpoint.require_intact();
    return result;
  } catch (...) {
    checkpoint.require_intact();
    throw;
  }
}

// Checks only the version and the layout; `where` prefixes the message.
void check_format(const Metadata& metadata, std::string_view where);

// Bytes as a u8 tensor (the tokenizer), and back. The view lives as long as the tensor. Throws
// ShapeError unless u8.
Tensor bytes_tensor(std::string_view bytes);
std::string_view tensor_bytes(const Tensor& tensor);

}  // namespace attend
