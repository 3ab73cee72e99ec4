// Model files: what is inside, whether they still compute what they did, and making new ones from
// old ones.
//
// A model is one .safetensors file: weights, configuration, tokenizers, and golden samples, a few
// inputs with what the network computed for them when the model was finished. Files are written
// whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

// Texts by their names, as a file holds them.
using Metadata = std::map<std::string, std::string>;

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
  std::uint64_t parameters =
      0;  // elements of all tensors but blobs of bytes (U8), ids (I32), truth values and "state.*"
  std::uint64_t tensor_bytes = 0;
  Metadata metadata;           // all of it, attend's own keys too
  std::string format_problem;  // empty for a file that attend can load; else why not (foreign,
                               // newer, damaged)
};

// Opens any safetensors file, also one of another program. Throws IoError, or DataError when it is
// no whole safetensors file.
FileDescription describe(const std::filesystem::path& path);

// What a model computes now against what it computed when it was finished.
struct ModelCheck {
  std::size_t samples = 0;
  double deviation = 0;  // the largest difference of a log-probability, over 1 + its size; about
                         // 1e-6 when all is well
  std::string_view kind = {};  // what the samples are: "translations"
  bool holds() const { return deviation <= 1e-4; }
};

// Nothing where the file has no golden samples, or is for no task that there is. Throws IoError, or
// DataError when the file is damaged.
std::optional<ModelCheck> check_model(const std::filesystem::path& path);

// Writes the mean of several checkpoints of one run to `out`: often a better model than each of
// them (Vaswani et al. 2017, section 6.1). Throws ConfigError when there are none, DataError when
// they differ in more than the values of their tensors, IoError.
void average_models(std::span<const std::filesystem::path> checkpoints,
                    const std::filesystem::path& out);

// Writes a model with its large matrices in 8 bits to `out`: a quarter of the size, faster, for the
// same calls. Throws DataError for a model that is in 8 bits already, IoError.
void quantize_model(const std::filesystem::path& model, const std::filesystem::path& out);

}  // namespace attend
#pragma GCC visibility pop
