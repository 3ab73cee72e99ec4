// Opens the weights of a foreign model in any supported container.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "attend/interchange/model_directory.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// Opens one file and detects its format: safetensors, a PyTorch checkpoint (formats/torch_file.h),
// a NumPy archive (formats/npz.h) or a binary Marian model (formats/marian_binary.h). Throws
// DataError if it is none of these or damaged, IoError if it cannot be read.
TensorTable open_foreign_weights(std::shared_ptr<const InputFile> file);

// Opens the weights of a Hugging Face directory: the first of model.safetensors,
// model.safetensors.index.json, pytorch_model.bin and pytorch_model.bin.index.json. An index lists
// shards. Also throws DataError if none exists, if a shard is not in the directory, or if the index
// and the shards disagree.
TensorTable open_huggingface_weights(const ModelDirectory& directory);

// Reads the index of a sharded model: tensor name -> shard. Throws DataError "<where>: ...".
std::map<std::string, std::string> parse_weight_map(std::string_view json, std::string_view where);

}  // namespace attend
