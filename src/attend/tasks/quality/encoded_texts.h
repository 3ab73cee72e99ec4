// The vectors of texts, by a model that encodes each text alone: equal texts are encoded once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "attend/tasks/quality/model.h"

namespace attend {

class EncodedTexts {
 public:
  // The model must outlive this object.
  explicit EncodedTexts(const QualityModel& model) : model_(model) {}

  // Encodes those that are new. Texts are UTF-8.
  void add(std::span<const std::string> texts);
  // The vectors of texts that were added -> [texts, D].
  Variable rows(std::span<const std::string> texts) const;

 private:
  const QualityModel& model_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  Variable vectors_;  // [numbers, D]
};

// The lines of `order` in batches of bounded cost in tokens, for one pass each.
std::vector<std::span<const std::size_t>> quality_batches(std::span<const std::size_t> order,
                                                          std::span<const std::int64_t> costs);

// The tokens of texts, by several threads.
std::vector<std::vector<std::int32_t>> quality_ids(const QualityModel& model,
                                                   std::span<const std::string> texts);

}  // namespace attend
