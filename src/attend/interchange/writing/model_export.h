// Our models as directories of other programs.
//
// A family writes the settings and the tokenizer of a model, and its reader says what it makes of
// these files: only a model that comes back as it is can be exported. So no setting is lost in
// silence, and the rules that name the weights are those of the import.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/model_directory.h"
#include "attend/interchange/weights/name_map.h"

namespace attend {

// A model in the words of another program.
struct ExportedModel {
  std::string_view family;  // "marian"
  TextFiles files = {};     // all but the weights
  std::vector<NamedTensor> weights = {};
  Checkpoint equal = {};  // what an import of these files reads, without golden samples
  NameMap names{{}};      // of the parameters in `equal`
};

// Chooses the family that can express the model. Throws ConfigError that names each setting without
// an equal in the nearest family, DataError for a quantized model.
ExportedModel export_model(const Checkpoint& model);

// Throws DataError for a quantized model.
void require_full_precision(const Checkpoint& model);

// Whether the shapes, types and all bytes of two tensors are equal.
bool equal_bytes(const Tensor& a, const Tensor& b);

// Writes a model directory of Hugging Face, imports it again and compares every bit. `directory` is
// new or empty, and appears as a whole. Throws IoError.
void write_model_directory(const ExportedModel& model, const std::filesystem::path& directory);

}  // namespace attend
