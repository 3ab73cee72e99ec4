// Model files: description, settings, checks, averaging, quantization and faster loading.
//
// A model is one .safetensors file: weights, configuration, tokenizers, and golden samples (a few
// inputs with the outputs of the finished model). Files are written atomically.
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

// Strings by name, as stored in the file.
using Metadata = std::map<std::string, std::string>;

struct TensorDescription {
  std::string name;
  std::string dtype;  // as spelled in the file; may be a foreign type
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

struct FileDescription {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::vector<TensorDescription> tensors;  // in header order
  // Elements of all tensors except raw bytes (U8), ids (I32), booleans and "state.*"
  std::uint64_t parameters = 0;
  std::uint64_t tensor_bytes = 0;
  Metadata metadata;           // all keys, attend's own included
  std::string format_problem;  // empty if attend can load the file; otherwise the reason (foreign,
                               // newer, damaged)
};

// Describes any safetensors file, including those of other programs. Throws IoError, or DataError
// if it is not a complete safetensors file.
FileDescription describe(const std::filesystem::path& path);

// Changes the settings stored in a model file, and writes the file again with the same weights. An
// empty value removes a setting.
//   name           name of the model on a server
//   description    a line that describes the model
//   language       language of the texts, such as "en"
//   src, tgt       languages of a translation model; the defaults of a multilingual one
//   chat-template  the Jinja template for conversations of a language model
// Throws ConfigError for another key and for a value that this model cannot have, DataError for a
// damaged file, IoError.
void set_model_settings(const std::filesystem::path& path, const Metadata& settings);

// What a model computes now, compared with its golden samples.
struct ModelCheck {
  std::size_t samples = 0;
  double deviation = 0;        // the largest difference of a log-probability, relative to 1 + its
                               // magnitude; about 1e-6 is normal
  std::string_view kind = {};  // the kind of samples: "translations"
  bool holds() const { return deviation <= 1e-4; }
};

// nullopt if the file has no golden samples or its task is unknown. Throws IoError, or DataError
// for a damaged file.
std::optional<ModelCheck> check_model(const std::filesystem::path& path);

// Writes the average of several checkpoints of one run to `out`. It is often better than each of
// them (Vaswani et al. 2017, section 6.1). Throws ConfigError if there are none, DataError if they
// differ in more than tensor values, IoError.
void average_models(std::span<const std::filesystem::path> checkpoints,
                    const std::filesystem::path& out);

// Writes a quantized model to `out`, which is used in the same way. 8 bits: a quarter of the size,
// faster. 4 bits: half of that, fastest for one text at a time, at a cost in quality. 16 bits
// (bf16): half the size, arithmetic in f32, faster for one text at a time. Throws ConfigError for
// another number of bits, DataError if the model is already quantized, IoError.
void quantize_model(const std::filesystem::path& model, const std::filesystem::path& out,
                    int bits = 8);

// Writes the model to `out` with its matrices in the layout that GEMMs read. The new file is used
// in the same way and gives the same results, bit for bit. It loads faster, and processes that use
// it share its memory. Replace such a file by renaming another one to its name, as all functions
// here do: writing into it changes the model of every program that uses it. Throws DataError for a
// damaged file, IoError.
void optimize_model(const std::filesystem::path& model, const std::filesystem::path& out);

}  // namespace attend
#pragma GCC visibility pop
