// Whether an imported model computes what the program that made it computes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/tasks/saved_model.h"

namespace attend {

// The largest difference of a kind of values, over 1 + |value|.
struct GoldenDifference {
  std::string what;  // "encoder layer 2", "logits"
  float largest = 0;
};

struct GoldenComparison {
  int texts = 0;
  int equal_ids = 0;      // texts that our tokenizer cuts into the same tokens
  int equal_written = 0;  // texts of which greedy decoding writes the same tokens
  std::vector<GoldenDifference> differences;  // in the order of the computation

  // The first difference above `tolerance`; nullptr: none.
  const GoldenDifference* first_above(float tolerance) const;
};

inline constexpr float kGoldenTolerance = 1e-4f;

// Runs the model on what tools/golden_of_huggingface.py has recorded. Throws DataError for a file
// that is not such a record, or not of this kind of model; IoError.
GoldenComparison compare_with_golden(const SavedModel& model, const std::filesystem::path& golden);

}  // namespace attend
