// What all exports to GGUF have in common. Private to writing/.
#pragma once

#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/interchange/writing/gguf_export.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

// A file that is removed unless it gets its name.
class UncheckedGguf {
 public:
  explicit UncheckedGguf(const std::filesystem::path& path)
      : path_(path), unchecked_(path.string() + ".unchecked") {}
  ~UncheckedGguf();
  UncheckedGguf(const UncheckedGguf&) = delete;
  UncheckedGguf& operator=(const UncheckedGguf&) = delete;

  const std::filesystem::path& path() const { return unchecked_; }
  void keep() const;

 private:
  std::filesystem::path path_, unchecked_;
};

const GgufType& gguf_type_for(const NamedTensor& tensor, GgufWeights weights);
// Descriptions that programs show.
void add_gguf_file_type(GgufWeights weights, GgufEntries& entries);
// Throws Error when weights in 32 bits are not read as they are in `equal`.
void require_written_tensors(const Checkpoint& equal, const Checkpoint& read,
                             const SavedModel& theirs, GgufWeights weights);

// Embedding models and T5 (gguf_directory.h).
GgufExport write_gguf_directory(const Checkpoint& checkpoint, const SavedModel& model,
                                GgufWeights weights, const std::filesystem::path& path);

}  // namespace attend
