// The settings of an architecture of llama.cpp, in the words of config.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "attend/interchange/families/gguf/gguf_names.h"
#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

struct GgufConfig {
  nlohmann::json config;   // with the "model_type" of the family
  GgufHeads heads{0, 0};   // of "llama", whose rows have another order; 0: of others
  bool has_fused = false;  // queries, keys and values in one tensor
};

// Settings that concern no model here, or only describe the file.
void ignore_gguf_descriptions(ForeignConfig& metadata);

// 1e-12 in 32 bits is less than in 64.
double read_gguf_epsilon(ForeignConfig& metadata, const std::string& key);

// `pieces`: of the tokenizer. Throws DataError for an architecture or setting that is not
// supported.
GgufConfig read_gguf_config(ForeignConfig& metadata, TensorTable& tensors, std::int64_t pieces);

}  // namespace attend
