#include "attend/tasks/translation/alternatives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::string kAskedAbout = "the old dog";

std::vector<TokenAlternatives> asked(const std::string& target, int count) {
  return translator().alternatives(kAskedAbout, translator().model().tgt_tokenizer.encode(target),
                                   count);
}

TEST(Alternatives, HaveTheScoresOfTheTranslation) {
  const std::vector<std::string> source{kAskedAbout}, target{"der alte hund"};
  const SequenceScore score = translator().score(source, target)[0];
  const Tokenizer& tokenizer = translator().model().tgt_tokenizer;
  std::vector<std::int32_t> ids = tokenizer.encode(target[0]);
  ids.push_back(tokenizer.eos_id());
  const auto found = asked(target[0], 3);
  ASSERT_EQ(found.size(), score.token_scores.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    EXPECT_EQ(found[t].written.id, ids[t]);
    EXPECT_EQ(found[t].written.token, tokenizer.piece(ids[t]));
    EXPECT_NEAR(found[t].written.log_probability, score.token_scores[t], 1e-5);
    EXPECT_EQ(found[t].likeliest.size(), 3u);
  }
}

TEST(Alternatives, AreAllTokensByTheirProbabilities) {
  const int vocabulary = translator().model().tgt_tokenizer.vocab_size();
  for (const TokenAlternatives& one : asked("eine katze", vocabulary + 5)) {
    ASSERT_EQ(one.likeliest.size(), static_cast<std::size_t>(vocabulary));
    double sum = 0;
    for (std::size_t i = 0; i < one.likeliest.size(); ++i) {
      sum += std::exp(double{one.likeliest[i].log_probability});
      if (i == 0) continue;
      EXPECT_LE(one.likeliest[i].log_probability, one.likeliest[i - 1].log_probability);
    }
    EXPECT_NEAR(sum, 1, 1e-4);
    EXPECT_EQ(one.likeliest.at(static_cast<std::size_t>(one.rank - 1)).id, one.written.id);
  }
}

// The likeliest token everywhere is what greedy search writes.
TEST(Alternatives, OfTheGreedyTranslationBeginWithItsTokens) {
  const std::vector<std::string> source{kAskedAbout};
  const TranslationCandidate greedy =
      translator().translate(source, beam_of(1))[0].candidates.front();
  std::vector<std::int32_t> ids;
  for (const std::string& token : greedy.tokens)
    ids.push_back(translator().model().tgt_tokenizer.id(token));
  const auto found = translator().alternatives(kAskedAbout, ids, 2);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    EXPECT_EQ(found[t].rank, 1);
    EXPECT_EQ(found[t].likeliest.front().id, ids[t]);
    EXPECT_NEAR(found[t].written.log_probability, greedy.token_scores[t], 1e-4);
  }
}

TEST(Alternatives, LeaveOutWhatIsNeverWritten) {
  TranslationModel model = translator().model();
  const std::int32_t likeliest = asked("der", 1)[0].likeliest.front().id;
  model.suppressed = {likeliest};
  const auto found = TranslationEngine(model).alternatives(
      kAskedAbout, model.tgt_tokenizer.encode("der"), model.tgt_tokenizer.vocab_size());
  for (const TokenChoice& choice : found[0].likeliest) EXPECT_NE(choice.id, likeliest);
}

TEST(Alternatives, OfAnEnsembleAverageProbabilities) {
  const auto one = std::make_shared<const TranslationModel>(translator().model());
  const auto other = std::make_shared<TranslationModel>(*one);
  other->network =
      std::make_shared<Transformer>(std::get<TransformerConfig>(one->network->architecture()), 9);
  const auto of = [&](TranslationEnsemble::Models models) {
    return TranslationEngine(TranslationEnsemble(std::move(models)))
        .alternatives(kAskedAbout, one->tgt_tokenizer.encode("der hund"), 1);
  };
  const auto first = of({one}), second = of({other}), both = of({one, other});
  for (std::size_t t = 0; t < both.size(); ++t)
    EXPECT_NEAR(
        std::exp(both[t].written.log_probability),
        (std::exp(first[t].written.log_probability) + std::exp(second[t].written.log_probability)) /
            2,
        1e-5);
}

TEST(Alternatives, RefuseWhatIsNoTranslation) {
  expect_error<ConfigError>([] { asked("der", 0); },
                            {"alternatives: the count must be at least 1"});
  const std::int32_t eos = translator().model().special().eos;
  expect_error<ConfigError>([&] { translator().alternatives("a", {eos}, 1); },
                            {"target: expected ids of target tokens, without the end"});
}

}  // namespace
}  // namespace attend
