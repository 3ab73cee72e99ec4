// The weights of foreign models, whatever they are stored in.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "attend/interchange/model_directory.h"
#include "attend/interchange/tensor_table.h"

namespace attend {

// One file: safetensors, a PyTorch checkpoint (formats/torch_file.h), a NumPy archive
// (formats/npz.h) or a model of Marian (formats/marian_binary.h), known by its first bytes. Throws
// DataError for what is none of them, or damaged; IoError when it cannot be read.
TensorTable open_foreign_weights(std::shared_ptr<const InputFile> file);

// The weights of a Hugging Face directory: model.safetensors, pytorch_model.bin, or one of them in
// shards, listed in <name>.index.json; of several the first. Throws DataError also when none is
// there, when a shard is not in the directory, and when the list and the shards do not hold the
// same tensors.
TensorTable open_huggingface_weights(const ModelDirectory& directory);

// The list of a sharded model: the file that each tensor is in. Throws DataError "<where>: ...".
std::map<std::string, std::string> parse_weight_map(std::string_view json, std::string_view where);

}  // namespace attend
