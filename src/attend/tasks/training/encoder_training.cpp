#include "attend/tasks/training/encoder_training.h"

#include <fmt/format.h>

#include "attend/core/strings/counted.h"

namespace attend {

std::string encoder_note(const EncoderConfig& config) {
  return fmt::format("model: transformer encoder, {}, d-model {}, {}",
                     counted(config.n_encoder_layers, "layer"), config.d_model,
                     counted(config.n_heads, "head"));
}

}  // namespace attend
