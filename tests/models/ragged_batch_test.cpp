// What a sentence gives does not depend on the batch it is in: its neighbors, their order, the
// number of threads. Bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "core/scoped_threads.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"
#include "tensor/all_finite.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class RaggedBatch : public testing::TestWithParam<EncoderDecoderVariant> {
 protected:
  RaggedBatch() : owner_(make_encoder_decoder(GetParam().config, 1)), model_(*owner_) {}

  Ragged sources(const std::vector<int>& lengths) const {
    return random_tokens(lengths, model_.config().src_vocab_size, 1);
  }
  Ragged targets(const std::vector<int>& lengths) const {
    return random_tokens(lengths, model_.config().tgt_vocab_size, 2);
  }

  struct Outputs {
    Tensor memory, hidden, logits;
  };
  Outputs run(const Ragged& src, const Ragged& tgt) const {
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Variable memory = model_.encode(src, pass);
    const Variable hidden = model_.decode(tgt, memory, src, pass);
    return {memory.value(), hidden.value(), model_.project(hidden).value()};
  }

  std::shared_ptr<EncoderDecoder> owner_;
  EncoderDecoder& model_;
};

INSTANTIATE_TEST_SUITE_P(Of, RaggedBatch, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(RaggedBatch, GivesEverySentenceTheBitsItHasAlone) {
  const Ragged src = sources({3, 1, 9, 0, 33, 2}), tgt = targets({4, 2, 1, 5, 40, 0});
  const Outputs all = run(src, tgt);
  for (std::size_t b = 0; b < 6; ++b) {
    SCOPED_TRACE("sentence " + std::to_string(b));
    const Outputs one = run(alone(src, b), alone(tgt, b));
    EXPECT_TRUE(same_bits(one.memory, rows_of(all.memory, src, b)));
    EXPECT_TRUE(same_bits(one.hidden, rows_of(all.hidden, tgt, b)));
    EXPECT_TRUE(same_bits(one.logits, rows_of(all.logits, tgt, b)));
    EXPECT_TRUE(all_finite(one.logits));
  }
}

TEST_P(RaggedBatch, OfManySentencesGivesTheSameBitsWithOneAndTwoThreads) {
  std::vector<int> lengths(64);
  for (std::size_t b = 0; b < lengths.size(); ++b) lengths[b] = static_cast<int>(b * 7 % 23);
  const Ragged src = sources(lengths);
  std::reverse(lengths.begin(), lengths.end());
  const Ragged tgt = targets(lengths);
  const auto with_threads = [&](int threads) {
    const ScopedThreads scope(threads);
    return run(src, tgt);
  };
  const Outputs one = with_threads(1), two = with_threads(2);
  EXPECT_TRUE(same_bits(one.memory, two.memory));
  EXPECT_TRUE(same_bits(one.logits, two.logits));
  for (const std::size_t b : {0u, 1u, 31u, 63u}) {
    const Outputs single = run(alone(src, b), alone(tgt, b));
    EXPECT_TRUE(same_bits(single.logits, rows_of(one.logits, tgt, b))) << "sentence " << b;
  }
}

TEST_P(RaggedBatch, HasTargetsThatDoNotSeeTheFuture) {
  const Ragged src = sources({5}), tgt = targets({9});
  const Tensor all = run(src, tgt).logits;
  for (const std::int32_t length : {1, 4, 8}) {
    const std::vector<std::int32_t> prefix(tgt.ids->begin(), tgt.ids->begin() + length),
        offsets{0, length};
    EXPECT_TRUE(
        same_bits(run(src, Ragged::copy(prefix, offsets)).logits, all.slice_rows(0, length)))
        << length;
  }
}

TEST_P(RaggedBatch, HasALossThatIsTheSumOverItsSentences) {
  const Ragged src = sources({3, 1, 9}), tgt = targets({4, 2, 6});
  const NoGradient guard;
  Pass pass = Pass::inference();
  const CrossEntropy all = model_.loss(src, tgt, tgt.ids, {0.1f, 0.0}, pass);
  double loss = 0.0, nll = 0.0, log_probability = 0.0;
  for (std::size_t b = 0; b < 3; ++b) {
    const Ragged one_src = alone(src, b), one_tgt = alone(tgt, b);
    const CrossEntropy one = model_.loss(one_src, one_tgt, one_tgt.ids, {0.1f, 0.0}, pass);
    loss += one.loss_sum;
    nll += one.nll;
    const Variable hidden = model_.decode(one_tgt, model_.encode(one_src, pass), one_src, pass);
    for (const float value : model_.target_log_probabilities(hidden, *one_tgt.ids))
      log_probability += value;
  }
  EXPECT_NEAR(all.loss_sum, loss, 1e-9 * loss);
  EXPECT_NEAR(all.nll, nll, 1e-9 * nll);
  EXPECT_NEAR(all.nll, -log_probability, 1e-5 * nll);
  EXPECT_NEAR(all.loss.value().item(), loss / 12.0, 1e-5);
}

TEST_P(RaggedBatch, RefusesTokensThatDoNotFit) {
  Pass pass = Pass::inference();
  const Ragged src = sources({3, 2}), tgt = targets({4, 1, 1});
  expect_error<ShapeError>([&] { model_.decode(tgt, model_.encode(src, pass), src, pass); },
                           {"[3]", "[2]"});
  const Ragged outside =
      Ragged::copy(std::vector<std::int32_t>{0, 1000}, std::vector<std::int32_t>{0, 2});
  expect_error<ShapeError>([&] { model_.encode(outside, pass); }, {"[embedding]", "1000"});
}

}  // namespace
}  // namespace attend
