// What the texts of each class weigh in the loss of a classifier: the option class-weights.
#pragma once

#include <string>
#include <vector>

#include "attend/data/classification.h"
#include "attend/tensor/tensor.h"

namespace attend {

// The class weights [C] for `options`, "label=number" or "balanced" alone, and these texts;
// undefined if there are none. A class without texts weighs 1 when balanced. Throws ConfigError.
Tensor class_weights(const std::vector<std::string>& options, const LabeledText& texts);

}  // namespace attend
