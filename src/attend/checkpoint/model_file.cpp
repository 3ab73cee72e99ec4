#include "attend/checkpoint/model_file.h"

#include "attend/core/error.h"

namespace attend {

FileDescription describe(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  FileDescription description;
  description.path = file.path();
  description.file_bytes = file.file_bytes();
  description.metadata = file.metadata();
  for (const TensorEntry& entry : file.entries()) {
    description.tensors.push_back({entry.name, entry.dtype, entry.shape, entry.elements(), entry.bytes()});
    description.tensor_bytes += entry.bytes();
    const bool is_number = entry.dtype != "U8" && entry.dtype != "BOOL" && entry.dtype != "I32";  // no tokenizer, no shortlist
    if (is_number && !entry.name.starts_with(kTrainingState)) description.parameters += entry.elements();
  }
  try {
    check_format(file.metadata(), file.path());
    check_content(file);
  } catch (const DataError& error) {
    description.format_problem = error.what();
  }
  return description;
}

}  // namespace attend
