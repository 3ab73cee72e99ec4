// Our language models as GGUF files for llama.cpp.
//
// The file is read again before it gets its name, so that nothing is lost in silence.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// The elements of matrices. Vectors, and matrices that Q8_0 does not fit, are f32.
enum class GgufWeights { f32, f16, q8_0 };
std::span<const std::string_view> enum_names(GgufWeights);

struct GgufExport {
  std::string architecture;  // "llama"
  std::vector<std::string> remarks;
};

// Throws ConfigError that names what llama.cpp has no equal for, DataError for a quantized model,
// IoError.
GgufExport write_gguf_model(const Checkpoint& model, GgufWeights weights,
                            const std::filesystem::path& path);

}  // namespace attend
