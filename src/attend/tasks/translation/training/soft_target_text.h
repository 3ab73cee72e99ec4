// The probabilities of teachers for the targets of a training text, in files: word-level knowledge
// distillation (Kim and Rush 2016) by the most likely tokens (Tan et al. 2019), which costs a
// training no pass of the teachers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/corpus.h"
#include "attend/ops/losses/soft_targets.h"
#include "attend/tasks/translation/ensemble.h"

namespace attend {

inline constexpr int kMostSoftTargets = 1024;  // of a token

// A text as training reads it: files, and how long its pairs may be.
struct TaughtPairs {
  std::vector<std::string> src, tgt;
  LengthOptions length;
  LanguagePair languages = {};  // of the text, for a multilingual model
  std::string checksums = {};   // checksums_of() the teachers
};

// Writes the `k` most likely tokens of the teachers, with their probabilities, for each token of
// the targets, part by part: after a stop, another call goes on with the first part that is
// missing, and a call after the end writes nothing. The tokens are those of the teachers'
// vocabulary. `progress` gets the number of pairs after each part, and may throw. Throws
// ConfigError where the folder has those of other models or another text; IoError and DataError for
// files.
void write_soft_targets(const TranslationEnsemble& teachers, const TaughtPairs& text, int k,
                        const std::filesystem::path& folder,
                        const std::function<void(std::int64_t pairs)>& progress);

// What write_soft_targets() has written, in the memory of the files.
class SoftTargetText {
 public:
  // Throws IoError, and DataError unless the folder is complete.
  explicit SoftTargetText(const std::filesystem::path& folder);

  const std::string& folder() const { return folder_; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(places_.size()); }
  // The tokens of the target of pair `pair` of the text, its end included; 0 for a pair that
  // training leaves out.
  std::int64_t tokens(std::int64_t pair) const {
    return places_[static_cast<std::size_t>(pair)].tokens;
  }
  // Reads those of these pairs, one after the other.
  SoftTargets of(std::span<const std::int32_t> pairs, float weight) const;

 private:
  struct Place {
    std::uint32_t part = 0, tokens = 0;
    std::int64_t first = 0;  // token of the part
  };
  struct Part {
    Tensor classes, shares;  // u8: k numbers of 4 bytes, and of 2 bytes, for each token
  };

  std::string folder_;
  std::int64_t k_ = 0;
  std::vector<Part> parts_;
  std::vector<Place> places_;  // of each pair
};

}  // namespace attend
