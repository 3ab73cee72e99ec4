// PyTorch checkpoints (`pytorch_model.bin`, `*.pt`), as torch.save writes a dictionary: a pickle
// that describes tensors and perhaps more, and the storages of the tensors.
//
//   since PyTorch 1.6   a ZIP archive: R/data.pkl, R/data/KEY for every storage, R/byteorder
//   before              pickles, one after the other: a magic number, 1001, facts about the
//                       machine, the dictionary, the keys of the storages; then for every key the
//                       number of its elements (8 bytes) and the elements
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/core/files/packed/zip_archive.h"
#include "attend/interchange/formats/pickle.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

class TorchFile {
 public:
  // Opens either container. Runs nothing in the pickle, whose other functions are refused or
  // opaque. Throws DataError if the file is neither or damaged, IoError if it cannot be read.
  TorchFile(std::shared_ptr<const InputFile> file, OtherFunctions others);

  const Pickle& pickle() const { return *pickle_; }
  // Adds the tensors of a dictionary of the pickle, their names behind `prefix`. Throws DataError
  // if it holds anything else.
  void add_tensors(const PickleValue& dictionary, const std::string& prefix,
                   TensorTable& table) const;

 private:
  void open_zip();
  void open_legacy();

  std::shared_ptr<const InputFile> file_;
  OtherFunctions others_;
  std::vector<std::byte> bytes_;  // of the pickles
  std::optional<Pickle> pickle_;
  std::shared_ptr<const ZipArchive> archive_;    // null: the older container
  std::string root_;                             // of the entries of the archive
  std::map<std::string, std::uint64_t> begins_;  // where in the older file storages begin
};

// Reads a file of nothing but tensors. Throws as TorchFile does.
TensorTable read_torch_file(std::shared_ptr<const InputFile> file);

}  // namespace attend
