// Texts with what teachers say of each, as numbers, in files: the probabilities of labels, a
// vector, scores. A student learns from them whatever its own vocabulary is.
//
//   part-000001.safetensors   metadata  taught_texts  {"kind": ..., "names": [...], "last": false}
//                             tensors   texts   u8: the texts, each with a line break after it
//                                       values  f32 [texts, numbers of each]
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

// What the numbers of a text are.
struct TaughtKind {
  std::string kind;                // "vectors"
  std::vector<std::string> names;  // of the numbers, such as labels; of vectors none
};

// The numbers of these texts, row after row, as many for each.
using TeachTexts = std::function<std::vector<float>(std::span<const std::string> texts)>;

// Writes what teachers say of `texts` part by part: after a stop, another call goes on with the
// first part that is missing, and a call after the end writes nothing. `settings` tells whether it
// would be the same again; `progress` gets the number of texts after each part, and may throw.
// Throws ConfigError where the folder has what others say or of other texts, DataError without
// texts, IoError for files.
void write_taught_texts(std::span<const std::string> texts, const TaughtKind& kind,
                        const TeachTexts& teach, const std::string& settings,
                        const std::filesystem::path& folder,
                        const std::function<void(std::int64_t texts)>& progress);

// What write_taught_texts() has written; the numbers stay in the memory of the files.
class TaughtTexts {
 public:
  // Throws IoError, and DataError unless the folder is complete.
  explicit TaughtTexts(const std::filesystem::path& folder);

  const std::string& folder() const { return folder_; }
  const TaughtKind& kind() const { return kind_; }
  const std::vector<std::string>& texts() const { return texts_; }
  std::int64_t width() const { return width_; }  // numbers of a text
  std::span<const float> row(std::size_t text) const;

 private:
  std::string folder_;
  TaughtKind kind_;
  std::vector<std::string> texts_;
  std::int64_t width_ = 0;
  std::vector<Tensor> values_;       // of each part
  std::vector<std::size_t> firsts_;  // the first text of each part
};

}  // namespace attend
