#include "attend/decode/running_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "attend/core/random/random.h"
#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/decode/scorers/language_scorer.h"
#include "attend/decode/scorers/shortlisted_scorer.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "decode/table_model.h"
#include "models/small_encoder_decoder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::int32_t kEndOfSentence = 3;

// The search of a sentence, of a kind that depends on its number only.
RunningBatch::Search search_for(const DecodeRequest& arrival, std::size_t sentence,
                                OutputRules rules = {}) {
  if (sentence % 3 == 2) {
    SamplingOptions options;
    options.temperature = sentence % 2 == 0 ? 0.7f : 1.5f;
    options.top_k = static_cast<int>(sentence % 5) * 2;
    options.max_length = 9;
    const std::vector<std::uint64_t> streams{sentence, sentence + 1000};
    if (sentence % 4 == 1) rules.min_length = 3, rules.no_repeat_ngram = 2;
    if (sentence % 7 == 1) rules.repetition.factor = 1.4f;
    return Sampling(arrival, kEndOfSentence, options, streams, rules);
  }
  BeamSearchOptions options;
  options.beam_size = 1 + static_cast<int>(sentence % 4);
  options.n_best = 1 + static_cast<int>(sentence % 2) * (options.beam_size - 1);
  options.max_length = 4 + static_cast<int>(sentence % 7);
  options.no_repeat_ngram = sentence % 5 == 0 ? 2 : 0;
  options.repetition_penalty = sentence % 4 == 3 ? 1.5f : 1.0f;
  return BeamSearch(arrival, kEndOfSentence, options, rules);
}

using ByNumber = std::map<std::size_t, std::vector<Hypothesis>>;

void expect_same_bits(const ByNumber& found, const ByNumber& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [sentence, hypotheses] : expected) {
    ASSERT_EQ(found.count(sentence), 1u) << sentence;
    const std::vector<Hypothesis>& ours = found.at(sentence);
    ASSERT_EQ(ours.size(), hypotheses.size()) << sentence;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].ids, hypotheses[i].ids) << "sentence " << sentence;
      EXPECT_EQ(ours[i].token_scores, hypotheses[i].token_scores) << "sentence " << sentence;
      EXPECT_EQ(ours[i].score, hypotheses[i].score) << "sentence " << sentence;
    }
  }
}

// Some sentences of a scorer, by number; join(scorer, number) makes one join it.
template <class ScorerOf, class Join>
class JoinsInAnyOrder {
 public:
  using RulesOf = std::function<OutputRules(std::size_t number)>;

  JoinsInAnyOrder(const ScorerOf& scorer_of, const Join& join, const RulesOf& rules_of)
      : scorer_of_(scorer_of),
        join_(join),
        search_([rules_of](const DecodeRequest& arrival, std::size_t number) {
          return search_for(arrival, number, rules_of(number));
        }) {}

  ByNumber alone(std::size_t sentences) const {
    ByNumber results;
    for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
      auto scorer = scorer_of_();
      RunningBatch batch(*scorer);
      join_(*scorer, sentence);
      batch.join(sentence, search_);
      while (!batch.empty()) take(batch.step(), results);
    }
    return results;
  }

  // Every sentence joins before a step that the seed chooses, or several at once.
  ByNumber together(std::size_t sentences, std::uint64_t seed) const {
    Random random({seed, 1});
    ByNumber results;
    auto scorer = scorer_of_();
    RunningBatch batch(*scorer);
    for (std::size_t next = 0; next < sentences || !batch.empty();) {
      while (next < sentences && random.below(3) == 0) {
        join_(*scorer, next);
        batch.join(next++, search_);
      }
      take(batch.step(), results);
    }
    return results;
  }

 private:
  static void take(std::vector<RunningBatch::Decoded> outcomes, ByNumber& results) {
    for (auto& outcome : outcomes) {
      EXPECT_EQ(outcome.error, nullptr);
      results[outcome.number] = std::move(outcome.result);
    }
  }

  const ScorerOf& scorer_of_;
  const Join& join_;
  RunningBatch::MakeSearch search_;
};

OutputRules some_suppressed(std::size_t number) {
  if (number % 2 == 0) return {};
  return {.suppressed = {0, 4}, .renormalized = number % 3 == 0};
}

// Sentences of random tokens; each number has its own.
Tokens random_sentence(std::size_t number, std::int32_t vocabulary) {
  Random random({77, number});
  Tokens tokens(1 + random.below(9));
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(vocabulary));
  return tokens;
}

class RunningEncoderDecoder : public testing::TestWithParam<EncoderDecoderVariant> {};

INSTANTIATE_TEST_SUITE_P(Of, RunningEncoderDecoder, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(RunningEncoderDecoder, GivesASentenceTheBitsOfAloneWheneverItJoins) {
  const auto model = make_encoder_decoder(GetParam().config, 4);
  const auto scorer_of = [&] { return std::make_unique<EncoderDecoderScorer>(*model); };
  const auto join = [&](EncoderDecoderScorer& scorer, std::size_t number) {
    DecoderPrefix prefix{{2}};
    if (number % 4 == 1) prefix = {{2, 7, 5}};
    if (number % 4 == 2) prefix = {{2, 7, 5, 4}, 2};
    const std::vector prefixes{prefix};
    scorer.join({Ragged::one(random_sentence(number, model->config().src_vocab_size)), prefixes});
  };
  const JoinsInAnyOrder sentences(scorer_of, join, some_suppressed);
  const ByNumber alone = sentences.alone(12);
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    expect_same_bits(sentences.together(12, seed), alone);
}

TEST(RunningShortlist, GivesASentenceTheBitsOfAloneWheneverItJoins) {
  TransformerConfig config = small_config();
  config.tgt_vocab_size = 400;
  config.tie_embeddings = TiedEmbeddings::target;
  const Transformer model(config, 6);
  Shortlist shortlist;
  shortlist.always = {kEndOfSentence};
  RaggedBuilder translations;  // a few of some words, and of others more than a vector holds
  for (std::int32_t id = 0; id < config.src_vocab_size; ++id) {
    Tokens tokens{id};
    for (std::int32_t i = 0; i < id % 5 * 15; ++i) tokens.push_back((id * 7 + i * 3) % 400);
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    translations.add(tokens);
  }
  shortlist.translations = translations.build();
  const auto scorer_of = [&] { return std::make_unique<ShortlistedScorer>(model, shortlist); };
  const auto join = [&](ShortlistedScorer& scorer, std::size_t number) {
    const std::vector<DecoderPrefix> prefixes{{{2}}};
    scorer.join({Ragged::one(random_sentence(number, config.src_vocab_size)), prefixes});
  };
  const JoinsInAnyOrder sentences(scorer_of, join, some_suppressed);
  const ByNumber alone = sentences.alone(20);
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    expect_same_bits(sentences.together(20, seed), alone);
}

// Prompts of one token up to several blocks, small contexts that overflow, and every option.
TEST(RunningLanguageModel, GivesATextTheBitsOfAloneWheneverItJoins) {
  LanguageTransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_layers = 2;
  config.previous_tokens = 1;
  config.vocab_size = 11;
  const LanguageTransformer model(config, 5);
  const auto scorer_of = [&] { return std::make_unique<LanguageScorer>(model); };
  const auto join = [](LanguageScorer& scorer, std::size_t number) {
    LanguageScorerOptions options{.context = number % 3 == 0 ? 6 : 200, .max_length = 12};
    if (number % 4 == 1) options.cache = {.tokens = 70, .weight = 0.4f, .beta = 2.0f};
    Random random({5, number});
    Tokens prompt(1 + random.below(number % 3 == 0 ? 6 : 150));
    for (std::int32_t& token : prompt) token = static_cast<std::int32_t>(random.below(11));
    scorer.join(prompt, options);
  };
  const auto rules_of = [](std::size_t number) {
    OutputRules rules = some_suppressed(number);
    rules.repetition.context = number % 3 == 0 ? 6 : 200;
    if (number % 5 == 2) rules.repetition.factor = 1.7f;
    return rules;
  };
  const JoinsInAnyOrder texts(scorer_of, join, rules_of);
  const ByNumber alone = texts.alone(16);
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    expect_same_bits(texts.together(16, seed), alone);
}

// Greedy searches, of which each writes its number of tokens.
RunningBatch::Search greedy(const DecodeRequest& arrival, std::size_t) {
  BeamSearchOptions options;
  options.beam_size = 1;
  return BeamSearch(arrival, TableModel::kEos, options);
}

std::vector<float> writes_its_number(int sentence, const TableModel::Prefix& prefix) {
  return {0, static_cast<int>(prefix.size()) == sentence ? 20.0f : -20.0f, 1, -1};
}

TEST(RunningBatch, TakesInSentencesAtAnyStepAndLetsThemGoWhenDone) {
  TableModel model({3, 1}, 10, writes_its_number);
  RunningBatch batch(model);
  EXPECT_TRUE(batch.empty());
  batch.join(0, greedy);
  EXPECT_TRUE(batch.step().empty());
  model.join(2);
  batch.join(2, greedy);
  const std::vector<RunningBatch::Decoded> first = batch.step();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].number, 1u);
  EXPECT_EQ(first[0].result[0].ids.size(), 1u);
  while (!batch.empty()) batch.step();
  EXPECT_EQ(model.asked(), (std::vector<std::vector<int>>{{3, 1}, {3, 1, 2}, {3, 2}, {3, 2}}));
}

TEST(RunningBatch, LetsSentencesLeaveBeforeTheirEnd) {
  TableModel model({5, 2, 5}, 10, writes_its_number);
  RunningBatch batch(model);
  batch.join(10, greedy);
  batch.step();
  batch.leave(10);
  batch.leave(12);
  batch.leave(99);
  std::vector<RunningBatch::Decoded> done;
  while (!batch.empty())
    for (auto& outcome : batch.step()) done.push_back(std::move(outcome));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].number, 11u);
  EXPECT_EQ(model.asked()[1], std::vector<int>{2});
}

TEST(RunningBatch, ForgetsASentenceThatCannotBeginAndLeaves) {
  TableModel model({2, 2}, 10, writes_its_number);
  RunningBatch batch(model);
  batch.join(0, [](const DecodeRequest& arrival, std::size_t sentence) {
    if (sentence == 0) throw Error("no search");
    return greedy(arrival, sentence);
  });
  batch.leave(0);
  std::vector<std::size_t> done;
  while (!batch.empty())
    for (const auto& outcome : batch.step()) done.push_back(outcome.number);
  EXPECT_EQ(done, std::vector<std::size_t>{1});
}

TEST(RunningBatch, GivesAnErrorToTheSentenceThatHasItAndGoesOn) {
  const auto broken = [](int sentence, const TableModel::Prefix& prefix) {
    if (sentence == 7 && prefix.size() == 1) return std::vector<float>(4, NAN);
    return writes_its_number(sentence, prefix);
  };
  for (const bool sampled : {false, true}) {
    TableModel model({2, 7, 3}, 10, broken);
    RunningBatch batch(model);
    batch.join(0, [&](const DecodeRequest& arrival, std::size_t number) -> RunningBatch::Search {
      if (!sampled) return greedy(arrival, number);
      const std::vector<std::uint64_t> streams{number};
      return Sampling(arrival, TableModel::kEos, {.top_k = 1}, streams);
    });
    std::map<std::size_t, RunningBatch::Decoded> done;
    while (!batch.empty())
      for (auto& outcome : batch.step()) done[outcome.number] = outcome;
    ASSERT_EQ(done.size(), 3u);
    EXPECT_EQ(done[0].result.at(0).ids.size(), 2u);
    EXPECT_EQ(done[2].result.at(0).ids.size(), 3u);
    expect_error<DataError>([&] { std::rethrow_exception(done[1].error); }, {"logits", "NaN"});
  }
}

TEST(RunningBatch, GivesAnErrorToASentenceWhoseSearchCannotBegin) {
  TableModel model({1, 2}, 10, writes_its_number);
  RunningBatch batch(model);
  batch.join(0, [](const DecodeRequest& arrival, std::size_t number) -> RunningBatch::Search {
    if (number == 0) throw ConfigError("none for the first");
    return greedy(arrival, number);
  });
  std::map<std::size_t, RunningBatch::Decoded> done;
  while (!batch.empty())
    for (auto& outcome : batch.step()) done[outcome.number] = outcome;
  expect_error<ConfigError>([&] { std::rethrow_exception(done[0].error); }, {"none for the first"});
  EXPECT_EQ(done[1].result.at(0).ids.size(), 2u);
}

TEST(RunningBatch, ReadsAPrefixBesideSentencesThatWrite) {
  TableModel model({3}, 10, writes_its_number);
  RunningBatch batch(model);
  batch.join(0, greedy);
  model.join(1, {9, 9});
  batch.join(1, greedy);
  int steps = 0;
  while (!batch.empty()) {
    batch.step();
    ++steps;
  }
  EXPECT_EQ(model.asked(), (std::vector<std::vector<int>>{{3, 1}, {3, 1}, {3, 1}, {3, 1}}));
  EXPECT_EQ(steps, 4) << "two tokens read before the first is written, then one and the end";
}

TEST(RunningBatch, ShowsTheSamplesThatGrow) {
  TableModel model({2}, 10, writes_its_number);
  RunningBatch batch(model);
  batch.join(4, [](const DecodeRequest& arrival, std::size_t) -> RunningBatch::Search {
    const std::vector<std::uint64_t> streams{1, 2, 3};
    return Sampling(arrival, TableModel::kEos, {.top_k = 1}, streams);
  });
  std::vector<std::size_t> lengths;
  while (!batch.empty()) {
    batch.step();
    batch.for_samples([&](std::size_t sentence, const std::vector<Hypothesis>& samples) {
      EXPECT_EQ(sentence, 4u);
      EXPECT_EQ(samples.size(), 3u);
      lengths.push_back(samples[2].ids.size());
    });
  }
  EXPECT_EQ(lengths, (std::vector<std::size_t>{1, 2}));
}

}  // namespace
}  // namespace attend
