// What several trainers of one run agree on.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/train/trainer.h"

namespace attend {

// Processes that read other files or other checkpoints would train something that none of them can
// repeat. The sum of squares stands for the parameters.
void Trainer::require_equal_start() const {
  if (run_.processes->size() == 1) return;
  constexpr std::int64_t kBatches = 100;  // compared by their sizes
  double targets = 0;
  const std::int64_t batches = objective_.batches(epoch_);
  for (std::int64_t i = 0; i < std::min(batches, kBatches); ++i)
    targets = targets * 1.000001 + static_cast<double>(objective_.size(epoch_, i).targets);
  const std::array<double, 5> own{static_cast<double>(step_), static_cast<double>(batch_),
                                  static_cast<double>(batches), targets,
                                  backend().sum_of_squares(objective_.parameters().values())};
  const std::vector<double> all = gather_numbers(*run_.processes, own);
  constexpr std::array<const char*, own.size()> kWhat{
      "step", "batch of the epoch", "number of batches", "sizes of batches", "parameters"};
  for (std::size_t i = own.size(); i < all.size(); ++i) {
    const std::size_t what = i % own.size();
    if (all[i] != all[what])
      throw ConfigError(fmt::format(
          "process {} of {} differs from the first in its {}: expected the same program, "
          "options, texts and run folder on every machine",
          i / own.size(), run_.processes->size(), kWhat[what]));
  }
}

// The first process validates; all learn the result.
Validation Trainer::agreed_validation() {
  Validation result;
  if (is_first()) result = validation_of(model_values());
  std::array<double, 3> numbers{result.loss, result.nll, result.score};
  run_.processes->broadcast(std::as_writable_bytes(std::span(numbers)));
  result.loss = numbers[0];
  result.nll = numbers[1];
  result.score = numbers[2];
  return result;
}

}  // namespace attend
