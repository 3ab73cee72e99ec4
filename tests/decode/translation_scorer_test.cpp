// Tokens that are never chosen: in the scorer of one model and in that of several.
#include "attend/decode/translation_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "attend/decode/encoder_decoder_scorer.h"
#include "attend/decode/ensemble_scorer.h"
#include "attend/models/transformer.h"

namespace attend {
namespace {

constexpr int kWrittenTokens = 23;
const std::vector<std::int32_t> kBeginning{2};
const std::vector<std::int32_t> kUnwanted{4, 9, 22};

Transformer transformer_of(std::uint64_t seed) {
  TransformerConfig config;
  config.d_model = 16;
  config.n_heads = 2;
  config.d_ff = 24;
  config.n_encoder_layers = config.n_decoder_layers = 1;
  config.src_vocab_size = config.tgt_vocab_size = kWrittenTokens;
  return Transformer(config, seed);
}

const std::array<Transformer, 2>& two_transformers() {
  static const std::array models{transformer_of(5), transformer_of(6)};
  return models;
}

struct MadeScorer {
  const char* name;
  std::function<std::unique_ptr<TranslationScorer>(std::span<const std::int32_t> suppressed)> make;
};
void PrintTo(const MadeScorer& made, std::ostream* stream) { *stream << made.name; }

class SuppressedColumns : public testing::TestWithParam<MadeScorer> {
 protected:
  // After two sentences have joined and read the beginning.
  static std::unique_ptr<TranslationScorer> begun(std::span<const std::int32_t> suppressed) {
    auto scorer = GetParam().make(suppressed);
    const std::vector<DecoderPrefix> prefixes(2, {kBeginning});
    const Ragged src = Ragged::copy(std::vector<std::int32_t>{20, 8, 3, 11, 3},
                                    std::vector<std::int32_t>{0, 3, 5});
    scorer->join({src, prefixes});
    scorer->step(std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{2, 2});
    return scorer;
  }
};

INSTANTIATE_TEST_SUITE_P(Of, SuppressedColumns,
                         testing::Values(MadeScorer{"AModel",
                                                    [](std::span<const std::int32_t> suppressed) {
                                                      return std::make_unique<EncoderDecoderScorer>(
                                                          two_transformers()[0], suppressed);
                                                    }},
                                         MadeScorer{
                                             "AnEnsemble",
                                             [](std::span<const std::int32_t> suppressed) {
                                               const std::array<const EncoderDecoder*, 2> models{
                                                   &two_transformers()[0], &two_transformers()[1]};
                                               return std::make_unique<EnsembleScorer>(models,
                                                                                       suppressed);
                                             }}),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(SuppressedColumns, AreLeftOutAndTheOthersKeepTheirProbabilities) {
  const BestTokens all = begun({})->best(2, kWrittenTokens),
                   some = begun(kUnwanted)->best(2, kWrittenTokens);
  for (std::int64_t r = 0; r < 2; ++r) {
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < kWrittenTokens; ++i) {
      const std::int32_t token = all.columns.row<std::int32_t>(r)[i];
      if (std::find(kUnwanted.begin(), kUnwanted.end(), token) != kUnwanted.end()) continue;
      EXPECT_EQ(some.columns.row<std::int32_t>(r)[at], token);
      EXPECT_EQ(some.log_probabilities.row(r)[at++], all.log_probabilities.row(r)[i]);
    }
    for (; at < kWrittenTokens; ++at)
      EXPECT_EQ(some.log_probabilities.row(r)[at], -INFINITY) << "no more tokens";
  }
}

TEST_P(SuppressedColumns, AreImpossibleForASample) {
  const auto scorer = begun(kUnwanted), free = begun({});
  const Tensor logits = scorer->logits(0, 2), all = free->logits(0, 2);
  EXPECT_TRUE(scorer->adjust(0, logits));
  EXPECT_FALSE(free->adjust(0, all));
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t c = 0; c < kWrittenTokens; ++c) {
      const bool unwanted = std::find(kUnwanted.begin(), kUnwanted.end(), c) != kUnwanted.end();
      EXPECT_EQ(logits.row(r)[c], unwanted ? -INFINITY : all.row(r)[c]) << c;
    }
  }
}

}  // namespace
}  // namespace attend
