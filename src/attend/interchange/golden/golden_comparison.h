// Compares an imported model with recorded values of the program that made it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/tasks/model_file/saved_model.h"

namespace attend {

// The largest difference of a kind of values, over 1 + |value|.
struct GoldenDifference {
  std::string what;  // "encoder layer 2", "logits"
  float largest = 0;
};

struct GoldenComparison {
  int texts = 0;
  int equal_ids = 0;      // texts that our tokenizer cuts into the same tokens
  int equal_written = 0;  // texts of which greedy decoding writes the same tokens, or with the same
                          // label
  std::string written = "greedy";             // what that counts: also "labels", or nothing
  std::vector<GoldenDifference> differences;  // in the order of the computation

  // The first difference above `tolerance`; nullptr: none.
  const GoldenDifference* first_above(float tolerance) const;
};

inline constexpr float kGoldenTolerance = 1e-4f;

// Runs the model on a record of tools/golden_of_huggingface.py. Throws DataError if the file is not
// such a record, or is one of another kind of model; IoError if it cannot be read.
GoldenComparison compare_with_golden(const SavedModel& model, const std::filesystem::path& golden);

}  // namespace attend
