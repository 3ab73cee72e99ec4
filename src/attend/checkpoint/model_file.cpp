#include "attend/model_file.h"

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/safetensors/checked_file.h"
#include "attend/checkpoint/safetensors/packed_tensors.h"
#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/error.h"

namespace attend {

FileDescription describe(const std::filesystem::path& path) {
  const CheckedFile file(model_file_of(path));
  const SafetensorsHeader& header = file.header();
  FileDescription description;
  description.path = file.path();
  description.file_bytes = file.bytes();
  description.metadata = header.metadata;
  for (const TensorEntry& entry : header.tensors) {
    description.tensors.push_back(
        {entry.name, entry.dtype, entry.shape, entry.elements(), entry.bytes()});
    description.tensor_bytes += entry.bytes();
    if (header.metadata.contains(std::string(kLayoutKey)) && is_packed_name(entry.name)) {
      description.parameters += numbers_of(entry);
      continue;
    }
    if (is_in_four_bits(entry.name, entry.dtype, static_cast<int>(entry.shape.size())))
      description.parameters += 2 * entry.elements();
    const bool is_number = entry.dtype != "U8" && entry.dtype != "BOOL" &&
                           entry.dtype != "I32";  // no tokenizer, no shortlist
    if (is_number && !entry.name.starts_with(kTrainingState))
      description.parameters += entry.elements();
  }
  try {
    check_format(header.metadata, file.path());
    file.require_intact();
  } catch (const DataError& error) {
    description.format_problem = error.what();
  }
  return description;
}

}  // namespace attend
