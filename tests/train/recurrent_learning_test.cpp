// The recurrent encoder-decoder learns.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "attend/models/recurrent.h"
#include "attend/optim/adam.h"
#include "models/small_encoder_decoder.h"

namespace attend {
namespace {

// Copying a sequence backwards takes memory, attention and the order of words.
TEST(Recurrent, LearnsToReverse) {
  RecurrentConfig config = small_recurrent_config();
  config.dropout = 0.0f;
  Recurrent model(config, 1);
  Adam adam(model.parameters(), {});
  double first = 0.0, last = 0.0;
  for (int step = 0; step < 400; ++step) {
    std::vector<int> lengths;
    for (int b = 0; b < 24; ++b) lengths.push_back(2 + (b + step) % 4);
    const Ragged src = random_tokens(lengths, 20, static_cast<std::uint64_t>(step + 1));
    std::vector<std::int32_t> input, targets;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      std::vector<std::int32_t> reversed(src.ids->begin() + (*src.offsets)[b],
                                         src.ids->begin() + (*src.offsets)[b + 1]);
      std::reverse(reversed.begin(), reversed.end());
      input.push_back(22);
      input.insert(input.end(), reversed.begin(), reversed.end() - 1);
      targets.insert(targets.end(), reversed.begin(), reversed.end());
    }
    const Ragged tgt = Ragged::copy(input, *src.offsets);
    Pass pass = Pass::training(1, static_cast<std::uint64_t>(step));
    model.parameters().gradients().zero();
    const CrossEntropy loss = model.loss(src, tgt, targets, {}, pass);
    last = loss.loss.value().item();
    if (step == 0) first = last;
    backward(loss.loss);
    adam.step(5e-3f);
  }
  EXPECT_GT(first, 2.5);
  EXPECT_LT(last, 0.6) << "began at " << first;
}

}  // namespace
}  // namespace attend
