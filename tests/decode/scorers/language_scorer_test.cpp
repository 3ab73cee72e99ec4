#include "attend/decode/scorers/language_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "ops/operands.h"

namespace attend {
namespace {

using Sequence = std::vector<std::int32_t>;

constexpr std::int32_t kWordsOfText = 6;
constexpr std::int32_t kEndOfText = 3;
const Sequence kPrompt{3, 1, 5};

LanguageTransformer text_model(int previous_tokens = 0) {
  LanguageTransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_layers = 2;
  config.previous_tokens = previous_tokens;
  config.vocab_size = kWordsOfText;
  return LanguageTransformer(config, 5);
}

// log p(continuation | prompt), each token from a pass of its own over `context_of(tokens before)`.
template <class ContextOf>
double log_probability_of(const LanguageTransformer& model, Sequence text,
                          const Sequence& continuation, const ContextOf& context_of) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  double sum = 0;
  for (const std::int32_t token : continuation) {
    const Tensor hidden = model.hidden(Ragged::one(context_of(text)), pass).value();
    const Sequence target{token};
    sum += model.target_log_probabilities(
        Variable(hidden.slice_rows(hidden.rows() - 1, hidden.rows())), target)[0];
    text.push_back(token);
  }
  return sum;
}

Sequence everything_of(const Sequence& text) { return text; }

// The best of all sequences that end within `longest` tokens or have so many.
Sequence best_by_trying_all(const LanguageTransformer& model, std::size_t longest) {
  Sequence best;
  double highest = -std::numeric_limits<double>::infinity();
  std::vector<Sequence> open{{}};
  while (!open.empty()) {
    const Sequence prefix = open.back();
    open.pop_back();
    for (std::int32_t token = 0; token < kWordsOfText; ++token) {
      Sequence next = prefix;
      next.push_back(token);
      const bool ends = token == kEndOfText;
      if (!ends && next.size() < longest) open.push_back(next);
      if (!ends) continue;  // beam search prefers what has ended
      const double score = log_probability_of(model, kPrompt, next, everything_of) /
                           static_cast<double>(next.size());
      if (score > highest) {
        highest = score;
        best.assign(next.begin(), next.end() - 1);
      }
    }
  }
  return best;
}

TEST(LanguageScorer, LetsBeamSearchFindTheLikeliestContinuation) {
  const LanguageTransformer model = text_model();
  LanguageScorer scorer(model, kPrompt, {.context = 20, .max_length = 4});
  const auto found = beam_search(scorer, kEndOfText, {.beam_size = 400, .n_best = 5});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0][0].ids, best_by_trying_all(model, 4));
  for (std::size_t i = 1; i < found[0].size(); ++i)
    EXPECT_GE(found[0][i - 1].score, found[0][i].score);
}

TEST(LanguageScorer, ScoresHypothesesAsAPassOverTheWholeTextDoes) {
  for (const int previous_tokens : {0, 2}) {
    const LanguageTransformer model = text_model(previous_tokens);
    LanguageScorer scorer(model, kPrompt, {.context = 20, .max_length = 8});
    const auto all = beam_search(scorer, kEndOfText, {.beam_size = 4, .n_best = 4});
    for (const Hypothesis& found : all[0]) {
      Sequence continuation = found.ids;
      if (found.complete) continuation.push_back(kEndOfText);
      EXPECT_NEAR(found.log_probability,
                  log_probability_of(model, kPrompt, continuation, everything_of), 1e-4);
    }
  }
}

TEST(LanguageScorer, GoesOnWithTheNewerHalfOfAFullContext) {
  constexpr std::size_t kContext = 6;
  const LanguageTransformer model = text_model();
  LanguageScorer scorer(model, kPrompt, {.context = kContext, .max_length = 15});
  // What the model sees of a text: the tokens since it last forgot.
  const auto seen = [](const Sequence& text) {
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= text.size(); ++end)
      if (end - begin > kContext) begin = end - 1 - kContext / 2;
    EXPECT_EQ(tokens_in_context(std::ssize(text), kContext),
              static_cast<std::int64_t>(text.size() - begin));
    return Sequence(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  };
  const auto all = beam_search(scorer, -1, {.beam_size = 3, .n_best = 3});
  for (const Hypothesis& found : all[0]) {
    EXPECT_EQ(found.ids.size(), 15u);
    EXPECT_FALSE(found.complete);
    EXPECT_NEAR(found.log_probability, log_probability_of(model, kPrompt, found.ids, seen), 1e-3);
  }
}

// The score that a hypothesis gets when no other is beside it.
float alone(const LanguageTransformer& model, const LanguageScorerOptions& options,
            const OutputRules& rules, const Sequence& ids) {
  LanguageScorer scorer(model, kPrompt, options);
  const Sequence only{0};
  float sum = 0;
  Sequence written;
  scorer.advance(only, Ragged::one(kPrompt));
  for (const std::int32_t next : ids) {
    const Tensor logits = scorer.logits(0, 1);
    change_logits(std::vector{rules.change(kPrompt, written, {})}, 0, scorer, logits);
    backend()->log_softmax(logits, logits);
    sum += logits.row(0)[next];
    written.push_back(next);
    scorer.step(only, {&next, 1});
  }
  return sum;
}

TEST(LanguageScorer, GivesEveryHypothesisAMemoryOfItsOwn) {
  const LanguageTransformer model = text_model();
  const LanguageScorerOptions options{
      .context = 5, .max_length = 9, .cache = {.tokens = 6, .weight = 0.4f, .beta = 2.0f}};
  const OutputRules rules{.repetition = {1.7f, options.context, 1}};
  LanguageScorer scorer(model, kPrompt, options);
  const auto found =
      beam_search(scorer, -1, {.beam_size = 4, .n_best = 4, .repetition_penalty = 1.7f}, rules)[0];
  ASSERT_EQ(found.size(), 4u);
  for (const Hypothesis& one : found)
    EXPECT_NEAR(one.log_probability, alone(model, options, rules, one.ids), 1e-4);
}

// Bit for bit, however long the prompt is: it is read in blocks.
TEST(LanguageScorer, ReadsAPromptAsItsTokensOneByOne) {
  const LanguageTransformer model = text_model(1);
  const LanguageScorerOptions options{
      .context = 200, .max_length = 9, .cache = {.tokens = 90, .weight = 0.4f, .beta = 2.0f}};
  Random random({8, 1});
  Sequence prompt;
  for (int t = 0; t < 150; ++t)
    prompt.push_back(static_cast<std::int32_t>(random.below(kWordsOfText)));
  LanguageScorer at_once(model, prompt, options),
      one_by_one(model, std::span(prompt).first(1), options);
  const Sequence only{0};
  for (std::size_t begin = 0; begin < prompt.size(); begin += 64)
    at_once.advance(only, Ragged::one(std::span(prompt).subspan(
                              begin, std::min<std::size_t>(64, prompt.size() - begin))));
  for (const std::int32_t token : prompt) one_by_one.step(only, {&token, 1});
  EXPECT_TRUE(same_bits(at_once.logits(0, 1), one_by_one.logits(0, 1)));
}

TEST(LanguageScorer, NeverSaysWhatIsSuppressed) {
  const LanguageTransformer model = text_model();
  const OutputRules rules{.suppressed = {0, 2, 5}, .renormalized = true};
  LanguageScorer searching(model, kPrompt, {.context = 20, .max_length = 10});
  const auto found = beam_search(searching, -1, {.beam_size = 5, .n_best = 5}, rules);
  for (const Hypothesis& one : found[0])
    for (const std::int32_t id : one.ids) EXPECT_TRUE(id == 1 || id == 3 || id == 4) << id;
  LanguageScorer sampling(model, kPrompt, {.context = 20, .max_length = 50});
  const std::uint64_t stream = 0;
  const Hypothesis drawn = sample(sampling, -1, {}, {&stream, 1}, rules)[0];
  for (const std::int32_t id : drawn.ids) EXPECT_TRUE(id == 1 || id == 3 || id == 4) << id;
}

TEST(LanguageScorer, MakesTheTokensOfItsContextLessLikely) {
  const LanguageTransformer model = text_model();
  const OutputRules rules{.repetition = {2.0f, 20}};
  LanguageScorer scorer(model, kPrompt, {.context = 20, .max_length = 10});
  const Sequence only{0};
  scorer.advance(only, Ragged::one(kPrompt));
  const std::vector<float> before = scorer.logits(0, 1).to_vector();
  const Tensor logits = scorer.logits(0, 1);
  ASSERT_TRUE(change_logits(std::vector{rules.change(kPrompt, {}, {})}, 0, scorer, logits));
  for (std::int32_t id = 0; id < kWordsOfText; ++id) {
    const float value = before[static_cast<std::size_t>(id)];
    const bool repeated = std::find(kPrompt.begin(), kPrompt.end(), id) != kPrompt.end();
    const float less_likely = value > 0 ? value / 2 : value * 2;
    EXPECT_FLOAT_EQ(logits.row(0)[id], repeated ? less_likely : value) << id;
  }
}

TEST(LanguageScorer, SamplesWithTheScoresOfTheModelItself) {
  const LanguageTransformer model = text_model();
  LanguageScorer scorer(model, kPrompt, {.context = 20, .max_length = 10});
  const std::uint64_t stream = 4;
  const OutputRules rules{.repetition = {3.0f, 20}, .suppressed = {0}};
  const Hypothesis drawn = sample(scorer, -1, {}, {&stream, 1}, rules)[0];
  EXPECT_NEAR(drawn.log_probability, log_probability_of(model, kPrompt, drawn.ids, everything_of),
              1e-4);
}

}  // namespace
}  // namespace attend
