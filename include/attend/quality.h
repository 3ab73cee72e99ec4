// Scores of translations by trained models of their quality, such as those of COMET (Rei et al.
// 2020) and CometKiwi, which `attend import` reads.
//
//   const auto comet = attend::QualityScorer::load("comet.safetensors");
//   comet.score(translations, {sources, references}).system_score
//
// Text is UTF-8. Const members may be called from any number of threads at once; the score of a
// translation does not depend on the others. Copies share the model.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/runtime.h"

#pragma GCC visibility push(default)
namespace attend {

// The sources of the translations to score, and their references: one for each, or none of what the
// model does not need.
struct QualityContext {
  std::span<const std::string> sources = {}, references = {};
};

// What predict() of COMET gives.
struct QualityScores {
  std::vector<float> scores;  // of each translation, in order: higher is better
  double system_score = 0;    // their mean
};

class QualityScorer {
 public:
  // Without a runtime it uses the default one. Throws IoError, or DataError for a damaged file or
  // another kind of model.
  static QualityScorer load(const std::filesystem::path& path,
                            std::shared_ptr<Runtime> runtime = nullptr);

  bool reads_source() const;
  bool reads_reference() const;
  // Whether it cannot score translations without a reference, as COMET; CometKiwi can.
  bool needs_reference() const;

  // Reads the texts as they are; comet-score and `attend score` first strip lines of white space at
  // both ends. Throws ConfigError without translations, for missing sources or references, or
  // another number of them; DataError, naming the line, for text that is not UTF-8.
  QualityScores score(std::span<const std::string> translations,
                      const QualityContext& context) const;

 private:
  friend struct QualityAccess;
  struct Impl;
  explicit QualityScorer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
