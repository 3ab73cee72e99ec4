#include "attend/tasks/filtering/model_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attend/error.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/translation/engine.h"
#include "core/files.h"
#include "core/scoped_threads.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;
using Judged = std::vector<PairScorer::Verdict>;

const Texts kScoredSources{"the old dog", "a cat eats fish", "dogs"};
const Texts kScoredTargets{"der alte hund", "eine katze", "die kleine katze frisst"};

Judged judge(const PairScorer& scorer, const Texts& src, const Texts& tgt) {
  std::vector<TextPair> pairs(src.size());
  std::vector<const TextPair*> pointers;
  for (std::size_t i = 0; i < src.size(); ++i) {
    pairs[i].src = src[i];
    if (!tgt.empty()) pairs[i].tgt = tgt[i];
    pointers.push_back(&pairs[i]);
  }
  return scorer.judge(pointers);
}

std::unique_ptr<PairScorer> of_pairs(const ModelFilterOptions& options = {}) {
  return make_scorer(std::make_shared<TranslationModel>(small_model()), true, options);
}

std::unique_ptr<PairScorer> of_lines(const ModelFilterOptions& options = {}) {
  return make_scorer(std::make_shared<LanguageModel>(small_language_model()), false, options);
}

TEST(ModelScorer, GivesTheLogProbabilityPerTokenOfATarget) {
  const Judged verdicts = judge(*of_pairs(), kScoredSources, kScoredTargets);
  const auto scores = TranslationEngine(small_model()).score(kScoredSources, kScoredTargets);
  ASSERT_EQ(verdicts.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(verdicts[i].broken, std::nullopt);
    EXPECT_EQ(verdicts[i].score,
              scores[i].log_probability / static_cast<float>(scores[i].token_scores.size()));
  }
}

TEST(ModelScorer, GivesTheLogProbabilityPerTokenOfALine) {
  const Judged verdicts = judge(*of_lines(), kRhyme, {});
  const auto scores = score_lines(small_language_model(), kRhyme, {});
  ASSERT_EQ(verdicts.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    EXPECT_EQ(verdicts[i].score,
              scores[i].log_probability / static_cast<float>(scores[i].token_scores.size()));
}

TEST(ModelScorer, DropsTheUnlikely) {
  const Judged all = judge(*of_pairs(), kScoredSources, kScoredTargets);
  ModelFilterOptions options;
  options.min_score = all[1].score;  // which itself stays
  const Judged verdicts = judge(*of_pairs(options), kScoredSources, kScoredTargets);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(verdicts[i].broken,
              all[i].score < all[1].score ? std::optional(FilterRule::min_score) : std::nullopt);
  EXPECT_EQ(verdicts[0].broken || verdicts[2].broken, true);
  EXPECT_EQ(verdicts[1].broken, std::nullopt);
}

TEST(ModelScorer, DropsTheUnlikelyLines) {
  const Judged all = judge(*of_lines(), kRhyme, {});
  ModelFilterOptions options;
  options.min_score = std::nextafter(all[0].score, 0.0f);
  EXPECT_EQ(judge(*of_lines(options), kRhyme, {})[0].broken, FilterRule::min_score);
}

TEST(ModelScorer, DropsTextsWithTooManyTokens) {
  const TranslationModel model = small_model();
  const auto tokens = [&](const std::string& text) {
    return static_cast<int>(model.tgt_tokenizer.encode(text).size());
  };
  ModelFilterOptions options;
  options.scoring.max_tokens = tokens(kScoredTargets[0]);
  const Judged verdicts =
      judge(*of_pairs(options), {"dogs", "dogs", "the old dog sees the small cat", "dogs"},
            {kScoredTargets[0], kScoredTargets[0] + " " + kScoredTargets[0], "ü", "ü"});
  EXPECT_EQ(verdicts[0].broken, std::nullopt);
  EXPECT_EQ(verdicts[1].broken, FilterRule::max_tokens);
  EXPECT_EQ(verdicts[2].broken, FilterRule::max_tokens);
  EXPECT_EQ(verdicts[3].broken, std::nullopt);
}

TEST(ModelScorer, DropsLinesWithTooManyTokens) {
  ModelFilterOptions options;
  options.scoring.max_tokens = 3;
  const Judged verdicts = judge(*of_lines(options), {"the cat sat", "the cat sat on", "a"}, {});
  EXPECT_EQ(verdicts[0].broken, std::nullopt);
  EXPECT_EQ(verdicts[1].broken, FilterRule::max_tokens);
  EXPECT_EQ(verdicts[2].broken, std::nullopt);
}

TEST(ModelScorer, DropsTextsForWhichTheModelHasNoPositions) {
  const TranslationModel small = small_model();
  TransformerConfig config = small_config(small.src_tokenizer, small.tgt_tokenizer);
  config.positions = PositionKind::learned;
  config.max_positions = 4;
  const auto model = std::make_shared<TranslationModel>(std::make_shared<Transformer>(config, 7),
                                                        small.src_tokenizer, small.tgt_tokenizer);
  const Judged verdicts =
      judge(*make_scorer(model, true, {}), {"dogs catch fish", "a"}, {"ü", "ü"});
  EXPECT_EQ(verdicts[0].broken, FilterRule::max_tokens);
  EXPECT_EQ(verdicts[1].broken, std::nullopt);
}

TEST(ModelScorer, DropsPairsWhoseSourceWordsAreNotAligned) {
  const TranslationModel model = small_model();
  const PairSpecialTokens marks = model.format.of({});
  const std::string src = "the old dog sees the small cat", tgt = "hund";
  const auto ids = model.src_tokenizer.encode(src);
  std::set<int> aligned;
  for (const auto& [source, target] :
       word_alignment(model, marks, marks.around(ids), model.tgt_tokenizer.encode(tgt)))
    aligned.insert(source);
  const auto words = static_cast<double>(model.src_tokenizer.words(ids).size());
  ModelFilterOptions options;
  options.max_unaligned = 1 - static_cast<double>(aligned.size()) / words;
  ASSERT_GT(options.max_unaligned, 0);
  EXPECT_EQ(judge(*of_pairs(options), {src}, {tgt})[0].broken, std::nullopt);
  options.max_unaligned -= 1e-6;
  EXPECT_EQ(judge(*of_pairs(options), {src}, {tgt})[0].broken, FilterRule::max_unaligned);
}

TEST(ModelScorer, GivesTheSameInAnyBatchAndWithAnyNumberOfThreads) {
  Texts src, tgt;
  for (std::size_t i = 0; i < 150; ++i) {
    src.push_back(kScoredSources[i % 3] + " " + kScoredSources[i % 2]);
    tgt.push_back(kScoredTargets[i % 3]);
  }
  ModelFilterOptions options;
  options.max_unaligned = 0.5;
  const auto scorer = of_pairs(options);
  for (const int threads : {1, 3}) {
    const ScopedThreads scoped(threads);
    const Judged together = judge(*scorer, src, tgt);
    for (std::size_t i = 0; i < 7; ++i) {
      const Judged alone = judge(*scorer, {src[i]}, {tgt[i]});
      EXPECT_EQ(alone[0].score, together[i].score);
      EXPECT_EQ(alone[0].broken, together[i].broken);
    }
  }
}

TEST(ModelScorer, TakesNoPairs) { EXPECT_TRUE(judge(*of_pairs(), {}, {}).empty()); }

TEST(ModelScorer, NeedsTheRightModel) {
  const auto translation = std::make_shared<TranslationModel>(small_model());
  const auto language = std::make_shared<LanguageModel>(small_language_model());
  const std::string message = message_of<DataError>([&] { make_scorer(language, true, {}); });
  EXPECT_TRUE(contains(message, "expected a model for translation")) << message;
  EXPECT_THROW(make_scorer(translation, false, {}), DataError);
  ModelFilterOptions options;
  options.max_unaligned = 0.5;
  EXPECT_THROW(make_scorer(language, false, options), ConfigError);
  options = {};
  options.min_score = 1;
  EXPECT_THROW(make_scorer(translation, true, options), ConfigError);
}

// A model of one pair of languages has no choice; the names are then for other rules.
TEST(ModelScorer, PassesLanguagesToAModelOfSeveral) {
  const auto one = std::make_shared<TranslationModel>(small_model());
  EXPECT_NO_THROW(make_scorer(one, true, {}, {"en", "de"}));
  TranslationModel several = small_model();
  several.format.marks.after_source.push_back(PairFormat::kTargetLanguage);
  several.format.languages = {{"de", 10}, {"fr", 11}};
  const auto choice = std::make_shared<TranslationModel>(several);
  // The source has no mark, and its language is not asked for.
  EXPECT_NO_THROW(make_scorer(choice, true, {}, {"xx", "de"}));
  EXPECT_THROW(make_scorer(choice, true, {}, {"de", "xx"}), ConfigError);
  const auto de =
      judge(*make_scorer(choice, true, {}, {"fr", "de"}), kScoredSources, kScoredTargets);
  const auto fr =
      judge(*make_scorer(choice, true, {}, {"de", "fr"}), kScoredSources, kScoredTargets);
  EXPECT_NE(de[0].score, fr[0].score);
}

TEST(ModelScorer, ListsTheRulesThatAreOn) {
  using Rules = std::vector<FilterRule>;
  EXPECT_EQ(of_pairs()->rules(), (Rules{FilterRule::max_tokens, FilterRule::min_score}));
  EXPECT_EQ(of_lines()->rules(), (Rules{FilterRule::max_tokens, FilterRule::min_score}));
  ModelFilterOptions options;
  options.max_unaligned = 0.9;
  EXPECT_EQ(of_pairs(options)->rules().back(), FilterRule::max_unaligned);
}

}  // namespace
}  // namespace attend
