// Beam search and sampling with every architecture and every kind of attention.
#include <gtest/gtest.h>

#include <vector>

#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tokenizer.h"
#include "models/small_encoder_decoder.h"

namespace attend {
namespace {

constexpr SpecialTokens kTokens{.bos = 2, .eos = 3};

class DecodingVariants : public testing::TestWithParam<EncoderDecoderVariant> {
 protected:
  std::shared_ptr<EncoderDecoder> model_ = make_encoder_decoder(GetParam().config, 1);
  Ragged src_ = random_tokens({4, 1, 7}, 23);
};

INSTANTIATE_TEST_SUITE_P(Of, DecodingVariants, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

std::vector<std::vector<Hypothesis>> search(const EncoderDecoder& model, const Ragged& src) {
  BeamSearchOptions options;
  options.beam_size = 3;
  options.n_best = 2;
  options.max_length = 9;
  EncoderDecoderScorer steps(model, src, std::vector{kTokens.bos});
  return beam_search(steps, kTokens.eos, options);
}

// Its score is the log-probability of its tokens under a pass over the whole of it.
TEST_P(DecodingVariants, FindHypothesesWithTheScoresOfTheModel) {
  const auto found = search(*model_, src_);
  ASSERT_EQ(found.size(), 3u);
  const NoGradient guard;
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_EQ(found[s].size(), 2u);
    for (const Hypothesis& hypothesis : found[s]) {
      std::vector<std::int32_t> input{kTokens.bos}, targets = hypothesis.ids;
      input.insert(input.end(), hypothesis.ids.begin(), hypothesis.ids.end());
      if (hypothesis.complete) targets.push_back(kTokens.eos);
      input.resize(targets.size());
      const Ragged tgt = Ragged::copy(
          input, std::vector<std::int32_t>{0, static_cast<std::int32_t>(input.size())});
      const Ragged one = alone(src_, s);
      Pass pass = Pass::inference();
      double expected = 0.0;
      for (const float log_probability : model_->target_log_probabilities(
               model_->decode(tgt, model_->encode(one, pass), one, pass), targets))
        expected += log_probability;
      EXPECT_NEAR(hypothesis.log_probability, expected, 1e-4) << "sentence " << s;
    }
  }
}

TEST_P(DecodingVariants, FindForASentenceWhatItGivesAlone) {
  const auto together = search(*model_, src_);
  for (std::size_t s = 0; s < together.size(); ++s) {
    const auto single = search(*model_, alone(src_, s));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(single[0][i].ids, together[s][i].ids);
      EXPECT_EQ(single[0][i].token_scores, together[s][i].token_scores);
    }
  }
}

TEST_P(DecodingVariants, SampleTheSameFromTheSameSeed) {
  SamplingOptions options;
  options.max_length = 6;
  const std::vector<std::uint64_t> streams{0, 1, 2};
  EncoderDecoderScorer first(*model_, src_, std::vector{kTokens.bos}),
      again(*model_, src_, std::vector{kTokens.bos});
  const auto a = sample(first, kTokens.eos, options, streams),
             b = sample(again, kTokens.eos, options, streams);
  for (std::size_t s = 0; s < a.size(); ++s) EXPECT_EQ(a[s].ids, b[s].ids);
}

}  // namespace
}  // namespace attend
