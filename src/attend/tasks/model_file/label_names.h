// The names of the labels of a model, "attend.labels" in its file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// A JSON array in the order of the logits. Throws DataError unless there are at least `least`
// different names that a line of a text file can have.
std::vector<std::string> read_label_names(const Checkpoint& checkpoint, std::size_t least);

}  // namespace attend
