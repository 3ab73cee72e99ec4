// The likeliest tokens where some hypotheses change their logits: of one model and of several.
#include "attend/decode/scorers/scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/decode/scorers/ensemble_scorer.h"
#include "attend/models/transformer.h"

namespace attend {
namespace {

constexpr int kWrittenTokens = 23;
const std::vector<std::int32_t> kBeginning{2};

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
  std::function<std::unique_ptr<TranslationScorer>()> make;
};
void PrintTo(const MadeScorer& made, std::ostream* stream) { *stream << made.name; }

class BestTokensOf : public testing::TestWithParam<MadeScorer> {
 protected:
  // Two sentences that have joined and read the beginning.
  BestTokensOf() : scorer_(GetParam().make()) {
    const std::vector<DecoderPrefix> prefixes(2, {kBeginning});
    const Ragged src = Ragged::copy(std::vector<std::int32_t>{20, 8, 3, 11, 3},
                                    std::vector<std::int32_t>{0, 3, 5});
    scorer_->join({src, prefixes});
    scorer_->step(std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{2, 2});
  }

  // log p of a token for a sentence, after a change.
  float log_probability(std::int64_t sentence, const LogitChange& change, std::int64_t token) {
    const Tensor logits = scorer_->logits(sentence, sentence + 1);
    change_logits(std::vector{change}, sentence, *scorer_, logits);
    backend()->log_softmax(logits, logits);
    return logits.to_vector()[static_cast<std::size_t>(token)];
  }

  std::unique_ptr<TranslationScorer> scorer_;
};

INSTANTIATE_TEST_SUITE_P(Of, BestTokensOf,
                         testing::Values(MadeScorer{"AModel",
                                                    [] {
                                                      return std::make_unique<EncoderDecoderScorer>(
                                                          two_transformers()[0]);
                                                    }},
                                         MadeScorer{
                                             "AnEnsemble",
                                             [] {
                                               const std::array<const EncoderDecoder*, 2> models{
                                                   &two_transformers()[0], &two_transformers()[1]};
                                               return std::make_unique<EnsembleScorer>(models);
                                             }}),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(BestTokensOf, AreThoseOfTheChangedLogitsOfEachHypothesis) {
  const std::vector<std::vector<LogitChange>> cases{
      {{}, {}},
      {{.banned = {4, 9, 22}}, {.banned = {1}}},
      {{}, {.banned = {3}, .penalized = {5, 6}, .penalty = 3}},
      {{.penalized = {7}, .penalty = 2}, {}}};
  for (const std::vector<LogitChange>& changes : cases) {
    const BestTokens best = scorer_->best(changes, kWrittenTokens + 1);
    for (std::int64_t r = 0; r < 2; ++r) {
      const LogitChange& change = changes[static_cast<std::size_t>(r)];
      const auto possible = kWrittenTokens - std::ssize(change.banned);
      const float* scores = best.log_probabilities.row(r);
      EXPECT_TRUE(std::is_sorted(scores, scores + possible, std::greater<>()));
      for (std::int64_t i = 0; i < possible; ++i)
        EXPECT_NEAR(scores[i], log_probability(r, change, best.columns.row<std::int32_t>(r)[i]),
                    1e-6);
      EXPECT_EQ(scores[possible], -INFINITY) << "no more tokens";
    }
  }
}

TEST_P(BestTokensOf, DoNotDependOnChangesBesideThem) {
  const BestTokens alone = scorer_->best(std::vector<LogitChange>(2), 5),
                   beside = scorer_->best(std::vector<LogitChange>{{.banned = {4}}, {}}, 5);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(alone.log_probabilities.row(1)[i], beside.log_probabilities.row(1)[i]);
    EXPECT_EQ(alone.columns.row<std::int32_t>(1)[i], beside.columns.row<std::int32_t>(1)[i]);
  }
}

TEST(Scorer, CountsTheTokensThatAModelSees) {
  for (std::int64_t context = 1; context <= 9; ++context) {
    std::int64_t seen = 0;
    for (std::int64_t tokens = 1; tokens <= 40; ++tokens) {
      if (seen == context) seen = context / 2;
      EXPECT_EQ(tokens_in_context(tokens, context), ++seen) << tokens << " of " << context;
    }
  }
}

}  // namespace
}  // namespace attend
