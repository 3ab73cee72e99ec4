// What a finished model says of the training that made it: {"step":12000,"epoch":10,"loss":2.1,
// "nll":1.4,"bleu":43.2}, of its validation if it had one. For people; nothing is computed with it.
#pragma once

#include <string_view>

namespace attend {

// Its metadata key. In RUN/model.safetensors, not in checkpoints.
inline constexpr std::string_view kTrainingNote = "attend.training";

}  // namespace attend
