// Models that translate together.
#include "attend/tasks/translation/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kTogether{"the old dog", "a cat", "", "dogs catch the small fish"};

std::shared_ptr<const TranslationModel> member(std::uint64_t seed) {
  TranslationModel model = translator().model();
  model.network = std::make_shared<Transformer>(
      std::get<TransformerConfig>(model.network->architecture()), seed);
  const ParameterSet& parameters = model.network->parameters();
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.shape.rank() != 2) continue;
    for (float& weight : parameters.value(entry).span()) weight *= 3;
  }
  model.source = "model" + std::to_string(seed);
  return std::make_shared<const TranslationModel>(std::move(model));
}

TranslationEngine together(std::vector<std::shared_ptr<const TranslationModel>> models) {
  return TranslationEngine(TranslationEnsemble(std::move(models)));
}

TEST(Ensemble, OfAModelWithItselfSaysWhatTheModelSays) {
  const auto one = member(3);
  TranslationOptions options = beam_of(4, 4);
  const auto alone = together({one}).translate(kTogether, options),
             twice = together({one, one}).translate(kTogether, options);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    ASSERT_EQ(twice[i].candidates.size(), alone[i].candidates.size());
    for (std::size_t c = 0; c < alone[i].candidates.size(); ++c) {
      EXPECT_EQ(twice[i].candidates[c].tokens, alone[i].candidates[c].tokens);
      EXPECT_NEAR(twice[i].candidates[c].log_probability, alone[i].candidates[c].log_probability,
                  1e-4);
    }
  }
}

// The log-probability of each token, by a pass over the whole target.
std::vector<std::vector<float>> token_scores(const TranslationEngine& engine,
                                             const std::vector<Translation>& found) {
  std::vector<std::vector<float>> scores;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const PairSpecialTokens marks = engine.model().format.of({});
    std::vector<std::int32_t> target;
    for (const std::string& token : found[i].candidates.front().tokens)
      target.push_back(engine.model().tgt_tokenizer.id(token));
    const std::vector<std::vector<std::int32_t>> src{
        marks.around(engine.model().src_tokenizer.encode(kTogether[i]))},
        tgt{target};
    scores.push_back(score_pairs(engine.model(), marks, src, tgt)[0].token_scores);
  }
  return scores;
}

TEST(Ensemble, AveragesTheProbabilitiesOfEveryToken) {
  const auto first = member(3), second = member(4), third = member(5);
  const auto found = together({first, second, third}).translate(kTogether, beam_of(3));
  const auto of_first = token_scores(together({first}), found),
             of_second = token_scores(together({second}), found),
             of_third = token_scores(together({third}), found);
  double differences = 0;
  for (const std::size_t i : {0, 1, 3}) {
    const std::vector<float>& scores = found[i].candidates.front().token_scores;
    ASSERT_FALSE(scores.empty());
    for (std::size_t t = 0; t < scores.size(); ++t) {
      const double mean = (std::exp(double{of_first[i][t]}) + std::exp(double{of_second[i][t]}) +
                           std::exp(double{of_third[i][t]})) /
                          3;
      EXPECT_NEAR(scores[t], std::log(mean), 1e-4);
      differences += std::abs(of_first[i][t] - of_second[i][t]);
    }
  }
  EXPECT_GT(differences, 0.1) << "the models say different things";
}

TEST(Ensemble, ScoresWhatItTranslates) {
  const TranslationEngine engine = together({member(3), member(4)});
  const std::vector<std::string> sources{kTogether[0], kTogether[3]}, targets{"der hund", "fisch"};
  const auto both = engine.score(sources, targets);
  const auto first = together({member(3)}).score(sources, targets),
             second = together({member(4)}).score(sources, targets);
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < both[i].token_scores.size(); ++t) {
      const double mean = (std::exp(double{first[i].token_scores[t]}) +
                           std::exp(double{second[i].token_scores[t]})) /
                          2;
      EXPECT_NEAR(both[i].token_scores[t], std::log(mean), 1e-5);
      sum += std::log(mean);
    }
    EXPECT_NEAR(both[i].log_probability, sum, 1e-4);
  }
}

TEST(Ensemble, OfAModelWithItselfScoresAsTheModel) {
  const std::vector<std::string> sources{kTogether[0], kTogether[3]}, targets{"der hund", "fisch"};
  const auto alone = together({member(3)}).score(sources, targets),
             three = together({member(3), member(3), member(3)}).score(sources, targets);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(three[i].token_scores, alone[i].token_scores) << "to the bit";
    EXPECT_EQ(three[i].log_probability, alone[i].log_probability);
  }
}

TEST(Ensemble, AnswersASentenceAloneAsBesideOthers) {
  const TranslationEngine engine = together({member(3), member(4)});
  const auto all = engine.translate(kTogether, beam_of(3, 3));
  for (std::size_t i = 0; i < kTogether.size(); ++i)
    expect_same(engine.translate(std::span(&kTogether[i], 1), beam_of(3, 3))[0], all[i]);
}

TEST(Ensemble, SamplesAndForcesAndKeepsToPhrases) {
  const TranslationEngine engine = together({member(3), member(4)});
  TranslationOptions options = beam_of(6, 2);
  options.prefixes = {"der"};
  options.must_contain = {"katze"};
  const Translation found = engine.translate(kTogether, options)[0];
  for (const TranslationCandidate& c : found.candidates) {
    EXPECT_TRUE(c.text.starts_with("der")) << c.text;
    EXPECT_NE(c.text.find("katze"), std::string::npos) << c.text;
  }
  options = beam_of(1, 3);
  options.sampling = SamplingOptions{.max_length = 6};
  const auto samples = engine.translate(kTogether, options)[0].candidates;
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(engine.translate(kTogether, options)[0].candidates[2].tokens, samples[2].tokens);
}

TEST(Ensemble, NeverWritesWhatAMemberNeverWrites) {
  const TranslationEngine free = together({member(3), member(4)});
  const std::string token =
      free.translate(kTogether, beam_of(1))[0].candidates.front().tokens.front();
  const auto silent = std::make_shared<TranslationModel>(*member(4));
  silent->suppressed = {silent->tgt_tokenizer.id(token)};
  const TranslationEngine engine = together({member(3), silent});
  for (const Translation& found : engine.translate(kTogether, beam_of(3, 3)))
    for (const TranslationCandidate& c : found.candidates)
      EXPECT_EQ(std::count(c.tokens.begin(), c.tokens.end(), token), 0);
}

TEST(Ensemble, NamesTheModelThatDoesNotFit) {
  const auto first = member(3);
  const auto other = std::make_shared<TranslationModel>(*member(4));
  other->tgt_tokenizer = other->src_tokenizer;
  expect_error<DataError>(
      [&] {
        together({first, first, other});
      },
      {"model4: expected the target vocabulary of model3"});
  const auto reads_others = std::make_shared<TranslationModel>(*member(5));
  reads_others->src_tokenizer = reads_others->tgt_tokenizer;
  expect_error<DataError>(
      [&] {
        together({first, reads_others});
      },
      {"model5: expected the source vocabulary of model3"});
  const auto marked = std::make_shared<TranslationModel>(*member(6));
  marked->format.marks.before_target.push_back(5);
  expect_error<DataError>(
      [&] {
        together({first, marked});
      },
      {"model6: expected the languages, special tokens and context of model3"});
  TranslationOptions options = beam_of(1);
  options.shortlist = true;
  expect_error<ConfigError>(
      [&] {
        together({first, first}).translate(kTogether, options);
      },
      {"shortlist: expected one model"});
}

}  // namespace
}  // namespace attend
