// PyTorch checkpoints (`pytorch_model.bin`), as torch.save writes a state dict: a pickle that
// describes tensors, and their storages.
//
//   since PyTorch 1.6   a ZIP archive: R/data.pkl, R/data/KEY for every storage, R/byteorder
//   before              pickles, one after the other: a magic number, 1001, facts about the
//                       machine, the dictionary, the keys of the storages; then for every key the
//                       number of its elements (8 bytes) and the elements
#pragma once

#include <filesystem>
#include <memory>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// Reads either container. Runs nothing in the pickle. Throws DataError if the file is neither, is
// damaged, or holds anything but tensors; IoError if it cannot be read.
TensorTable read_torch_file(std::shared_ptr<const InputFile> file);

}  // namespace attend
