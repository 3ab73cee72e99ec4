// The record of its training that a finished model carries, with the scores of its validation:
// {"step":12000,"epoch":10,"loss":2.1,"nll":1.4,"bleu":43.2}. For display only.
#pragma once

#include <string_view>

namespace attend {

// Its metadata key. In RUN/model.safetensors, not in checkpoints.
inline constexpr std::string_view kTrainingNote = "attend.training";

}  // namespace attend
