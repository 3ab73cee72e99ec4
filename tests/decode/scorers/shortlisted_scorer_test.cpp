#include "attend/decode/scorers/shortlisted_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "attend/backend/backend.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/error.h"
#include "attend/models/transformer.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr int kWords = 40;
constexpr std::int32_t kStart = 2, kEnd = 3;
const std::vector<std::int32_t> kBegin{kStart};

Transformer small_transformer(float logit_cap = 0.0f) {
  TransformerConfig config;
  config.logit_cap = logit_cap;
  config.d_model = 16;
  config.n_heads = 2;
  config.d_ff = 24;
  config.n_encoder_layers = config.n_decoder_layers = 1;
  config.src_vocab_size = config.tgt_vocab_size = kWords;
  return Transformer(config, 5);
}

// None for every source id.
Ragged no_translations() { return Ragged::copy({}, std::vector<std::int32_t>(kWords + 1, 0)); }

// Every source id i may become i, i + 1 and 7; the end always may.
Shortlist neighbors() {
  Shortlist shortlist;
  shortlist.always = {kEnd};
  RaggedBuilder translations;
  for (std::int32_t i = 0; i < kWords; ++i)
    translations.add(std::vector<std::int32_t>{7, i, (i + 1) % kWords});
  shortlist.translations = translations.build();
  return shortlist;
}

Shortlist everything() {
  Shortlist shortlist;
  shortlist.always.resize(kWords);
  std::iota(shortlist.always.begin(), shortlist.always.end(), 0);
  shortlist.translations = no_translations();
  return shortlist;
}

Ragged three_sources() {
  return Ragged::copy(std::vector<std::int32_t>{20, 30, kEnd, 11, kEnd, 39, 5, 5, kEnd},
                      std::vector<std::int32_t>{0, 3, 5, 9});
}
Ragged second_source() {
  return Ragged::copy(std::vector<std::int32_t>{11, kEnd}, std::vector<std::int32_t>{0, 2});
}

TEST(Shortlist, AllowsTheTranslationsOfTheSourceAndWhatAlwaysMay) {
  EXPECT_EQ(neighbors().allowed(std::vector<std::int32_t>{20, 6}),
            (std::vector<std::int32_t>{3, 6, 7, 20, 21}));
  EXPECT_EQ(neighbors().allowed({}), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(neighbors()
                .without(std::vector<std::int32_t>{7, 3})
                .without(std::vector<std::int32_t>{20})
                .allowed(std::vector<std::int32_t>{20, 6}),
            (std::vector<std::int32_t>{6, 21}));
  expect_error<DataError>([] { neighbors().allowed(std::vector<std::int32_t>{kWords}); },
                          {"shortlist", "below 40", "got 40"});
}

class ShortlistedScorers : public testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(OfLogitsWithCaps, ShortlistedScorers, testing::Values(0.0f, 0.25f));

TEST_P(ShortlistedScorers, RenormalizeOverTheAllowedTokens) {
  const Transformer model = small_transformer(GetParam());
  EncoderDecoderScorer whole(model, three_sources(), kBegin);
  ShortlistedScorer some(model, three_sources(), kBegin, neighbors());
  const std::vector<std::vector<std::int32_t>> allowed{
      {3, 4, 7, 20, 21, 30, 31}, {3, 4, 7, 11, 12}, {0, 3, 4, 5, 6, 7, 39}};
  std::vector<std::int32_t> parents{0, 1, 2}, tokens(3, kStart), sentences{0, 1, 2};
  for (int step = 0; step < 3; ++step) {
    whole.step(parents, tokens);
    some.step(parents, tokens);
    const Tensor all = whole.logits(0, 3), few = some.logits(0, 3);
    for (const Tensor& logits : {all, few}) backend()->log_softmax(logits, logits);
    // Whole blocks, so that what a sum gives does not depend on the other sentences.
    ASSERT_EQ(few.shape(), (Shape{std::ssize(parents), 64}));
    for (std::int64_t row = 0; row < few.rows(); ++row) {
      const std::vector<std::int32_t>& own =
          allowed[static_cast<std::size_t>(sentences[static_cast<std::size_t>(row)])];
      double sum = 0;
      for (const std::int32_t token : own) sum += std::exp(all.row(row)[token]);
      for (std::int64_t column = 0; column < few.cols(); ++column) {
        if (column >= std::ssize(own)) {
          EXPECT_EQ(few.row(row)[column], -INFINITY);
          continue;
        }
        EXPECT_EQ(some.token(row, column), own[static_cast<std::size_t>(column)]);
        EXPECT_NEAR(few.row(row)[column],
                    all.row(row)[own[static_cast<std::size_t>(column)]] - std::log(sum), 1e-5);
      }
    }
    parents = {2, 0, 0};  // the sentences' rows move, and one leaves
    tokens = {5, 21, 7};
    sentences = {sentences[2], sentences[0], sentences[0]};
  }
}

TEST(ShortlistedScorer, OfTheWholeVocabularyAreTheModelItself) {
  const Transformer model = small_transformer();
  EncoderDecoderScorer whole(model, three_sources(), kBegin);
  ShortlistedScorer all(model, three_sources(), kBegin, everything());
  const auto expected = beam_search(whole, kEnd, {}), found = beam_search(all, kEnd, {});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i][0].ids, expected[i][0].ids);
    EXPECT_EQ(found[i][0].log_probability, expected[i][0].log_probability) << "bit for bit";
  }
}

TEST(ShortlistedScorer, GiveASentenceTheSameAloneAndBesideOthers) {
  const Transformer model = small_transformer();
  ShortlistedScorer together(model, three_sources(), kBegin, neighbors()),
      alone(model, second_source(), kBegin, neighbors());
  const auto many = beam_search(together, kEnd, {}), one = beam_search(alone, kEnd, {});
  EXPECT_EQ(many[1][0].ids, one[0][0].ids);
  EXPECT_EQ(many[1][0].token_scores, one[0][0].token_scores) << "bit for bit";
  for (const std::int32_t id : one[0][0].ids)
    EXPECT_TRUE(id == 4 || id == 7 || id == 11 || id == 12) << id;
}

TEST(ShortlistedScorer, EndAtOnceWhenNothingElseIsAllowed) {
  const Transformer model = small_transformer();
  Shortlist shortlist;
  shortlist.always = {kEnd};
  shortlist.translations = no_translations();
  for (const int min_length : {0, 3}) {
    ShortlistedScorer steps(model, three_sources(), kBegin, shortlist);
    BeamSearchOptions options;
    options.min_length = min_length;
    for (const auto& found : beam_search(steps, kEnd, options)) {
      ASSERT_EQ(found.size(), 1u);
      EXPECT_TRUE(found[0].ids.empty());
      EXPECT_EQ(found[0].complete, min_length == 0);
    }
  }
}

TEST(ShortlistedScorer, AreSampledByTokenNotByColumn) {
  const Transformer model = small_transformer();
  const std::vector<std::uint64_t> streams{0, 1, 2};
  std::set<std::int32_t> written;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ShortlistedScorer steps(model, three_sources(), kBegin, neighbors());
    SamplingOptions options;
    options.seed = seed;
    const std::vector<Hypothesis> drawn = sample(steps, kEnd, options, streams);
    written.insert(drawn[1].ids.begin(), drawn[1].ids.end());
    for (const Hypothesis& one : drawn)
      EXPECT_EQ(one.token_scores.size(), one.ids.size() + (one.complete ? 1 : 0));
  }
  EXPECT_EQ(written, (std::set<std::int32_t>{4, 7, 11, 12})) << "of the source 11 and the end, 3";
}

TEST(ShortlistedScorer, KnowTheColumnsOfTheirTokens) {
  const Transformer model = small_transformer();
  ShortlistedScorer steps(model, three_sources(), kBegin, neighbors());
  steps.step(std::vector<std::int32_t>{0, 1, 2}, std::vector<std::int32_t>{2, 2, 2});
  for (std::int64_t sentence = 0; sentence < 3; ++sentence) {
    std::int32_t found = 0;
    for (std::int32_t token = 0; token < kWords; ++token) {
      const std::int32_t column = steps.column(sentence, token);
      if (column < 0) continue;
      EXPECT_EQ(column, found++);
      EXPECT_EQ(steps.token(sentence, column), token);
    }
    EXPECT_GT(found, 1);
    EXPECT_LT(found, kWords);
  }
}

TEST(ShortlistedScorer, RefuseAListForAnotherVocabulary) {
  const Transformer model = small_transformer();
  Shortlist shortlist = neighbors();
  shortlist.always.push_back(kWords);
  expect_error<DataError>([&] { ShortlistedScorer(model, second_source(), kBegin, shortlist); },
                          {"shortlist", "vocabulary of 40"});
  Shortlist empty;
  empty.translations = no_translations();
  expect_error<DataError>([&] { ShortlistedScorer(model, second_source(), kBegin, empty); },
                          {"shortlist", "end"});
}

// Whatever beam search and sampling write, the most likely tokens of a free search are not in it.
TEST(SuppressedTokens, AreNeverWritten) {
  const Transformer model = small_transformer();
  const Shortlist shortlist = everything();
  BeamSearchOptions beam;
  beam.beam_size = 3;
  EncoderDecoderScorer free(model, three_sources(), kBegin);
  std::set<std::int32_t> wanted;
  for (const auto& best : beam_search(free, kEnd, beam))
    wanted.insert(best.front().ids.begin(), best.front().ids.end());
  ASSERT_FALSE(wanted.empty());
  const std::vector<std::int32_t> suppressed(wanted.begin(), wanted.end());
  const auto expect_none = [&](const Hypothesis& written) {
    for (const std::int32_t id : written.ids) EXPECT_FALSE(wanted.contains(id)) << id;
  };
  const std::vector<std::uint64_t> streams{1, 2, 3};
  const auto expect_none_by = [&](const auto& make, const OutputRules& rules) {
    auto searched = make();
    for (const auto& best : beam_search(*searched, kEnd, beam, rules)) expect_none(best.front());
    auto sampled = make();
    SamplingOptions sampling;
    sampling.max_length = 30;
    for (const Hypothesis& drawn : sample(*sampled, kEnd, sampling, streams, rules))
      expect_none(drawn);
  };
  expect_none_by(
      [&] { return std::make_unique<EncoderDecoderScorer>(model, three_sources(), kBegin); },
      {.suppressed = suppressed});
  expect_none_by(
      [&] {
        return std::make_unique<ShortlistedScorer>(model, three_sources(), kBegin,
                                                   shortlist.without(suppressed));
      },
      {});
}

}  // namespace
}  // namespace attend
