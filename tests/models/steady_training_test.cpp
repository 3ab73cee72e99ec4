// A training step in its steady state asks the system for no memory and keeps none.
#include <gtest/gtest.h>

#include <vector>

#include "attend/models/make_encoder_decoder.h"
#include "attend/tensor/allocator.h"
#include "core/scoped_threads.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"

namespace attend {
namespace {

constexpr std::int64_t kPieces =
    2 << 20;  // memory is taken in pieces of this order, and these models are small

class SteadyTraining : public testing::TestWithParam<EncoderDecoderVariant> {
 protected:
  SteadyTraining()
      : owner_(make_encoder_decoder(with_dropout(GetParam().config), 1)), model_(*owner_) {}

  static ArchitectureConfig with_dropout(ArchitectureConfig config) {
    std::visit([](auto& one) { one.dropout = 0.2f; }, config);
    if (auto* transformer = std::get_if<TransformerConfig>(&config))
      transformer->attention_dropout = transformer->activation_dropout = 0.2f;
    return config;
  }

  // A step on `sentences` random sentences of up to 30 tokens.
  double step(std::uint64_t number, int sentences) {
    Random random({number, 1});
    std::vector<int> lengths;
    for (int b = 0; b < sentences; ++b) lengths.push_back(1 + static_cast<int>(random.below(30)));
    const Ragged src = random_tokens(lengths, model_.config().src_vocab_size, number);
    const Ragged tgt = random_tokens(lengths, model_.config().tgt_vocab_size, number + 1);
    Pass pass = Pass::training(1, number);
    model_.parameters().gradients().zero();
    const CrossEntropy loss = model_.loss(src, tgt, tgt.ids, {0.1f, 0.0}, pass);
    backward(loss.loss);
    return loss.loss_sum;
  }

  std::shared_ptr<EncoderDecoder> owner_;
  EncoderDecoder& model_;

 private:
  const ScopedThreads one_{1};
};

INSTANTIATE_TEST_SUITE_P(Of, SteadyTraining, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

// With one thread: each further one takes scratch memory when it is first given work, and when that
// is depends on the machine.
TEST_P(SteadyTraining, AsksTheSystemForNoMemoryAndKeepsNone) {
  release_cached_memory();
  reset_peak_memory();
  step(0, 60);
  const std::int64_t kept = memory_statistics().bytes_in_use;
  const auto epoch = [&] {
    for (const int sentences : {25, 50, 1, 3, 40, 7, 59, 12, 2, 33, 5, 15}) {
      step(static_cast<std::uint64_t>(sentences), sentences);
      EXPECT_EQ(memory_statistics().bytes_in_use, kept) << sentences << " sentences";
    }
  };
  // Where blocks lie settles after some epochs.
  int quiet = 0;
  for (int i = 0; i < 20 && quiet < 3; ++i) {
    const std::int64_t calls = memory_statistics().system_calls;
    epoch();
    quiet = memory_statistics().system_calls == calls ? quiet + 1 : 0;
  }
  EXPECT_EQ(quiet, 3) << "epochs that ask for nothing";
  const MemoryStatistics now = memory_statistics();
  EXPECT_LE(now.bytes_reserved, now.peak_bytes * 3 / 2 + kPieces)
      << "all batches together want at most half more than the largest";
}

TEST_P(SteadyTraining, IsAFunctionOfSeedAndStep) {
  const double first = step(3, 20);
  const Tensor gradients = model_.parameters().gradients().clone();
  EXPECT_NE(step(4, 20), first);
  EXPECT_EQ(step(3, 20), first);
  EXPECT_TRUE(same_bits(model_.parameters().gradients(), gradients));
  const ScopedThreads two(2);
  EXPECT_EQ(step(3, 20), first) << "and not of the number of threads";
  EXPECT_TRUE(same_bits(model_.parameters().gradients(), gradients));
}

}  // namespace
}  // namespace attend
