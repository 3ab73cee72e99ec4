// What is inside a safetensors file, as data: for `attend info`, which formats it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

struct TensorDescription {
  std::string name;
  std::string dtype;  // as the file spells it; foreign types too
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

struct FileDescription {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::vector<TensorDescription> tensors;  // in the header's order
  std::uint64_t parameters = 0;            // elements of all tensors but blobs of bytes (U8), ids (I32), truth values and "state.*"
  std::uint64_t tensor_bytes = 0;
  Metadata metadata;           // all of it, attend's own keys too
  std::string format_problem;  // empty for a file that attend can load; else why not (foreign, newer, damaged)
};

// Opens any safetensors file, also one of another program. Throws IoError, or DataError when it is no whole safetensors file.
FileDescription describe(const std::filesystem::path& path);

}  // namespace attend
