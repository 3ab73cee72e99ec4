// Word alignments that an attention module learns beside the loss of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attend {

struct AttentionGuide {
  std::string module;  // whose first head learns: "decoder.layers.2.cross_attn"
  // The linked pairs of a query and a key, as places among the weights of one head.
  std::vector<std::int64_t> places;
  float factor = 0.0f;  // of the loss of each, see alignment_loss()
};

}  // namespace attend
