// What translations may contain and what ends them, by the options of a call.
#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kRuledSentences{"the old dog", "a cat", "dogs catch the small fish"};

// Searched for, and drawn.
std::vector<TranslationOptions> both_ways() {
  TranslationOptions drawn = beam_of(5, 2);
  drawn.sampling.emplace().max_length = 12;
  return {beam_of(3, 2), drawn};
}

std::vector<std::int32_t> ids_of(const TranslationCandidate& candidate) {
  return target_ids(translator().model(), candidate);
}

template <class Use>
void for_candidates(const TranslationOptions& options, const Use& use) {
  for (const Translation& translation : translator().translate(kRuledSentences, options))
    for (const TranslationCandidate& candidate : translation.candidates) use(candidate);
}

// The likeliest first token of each sentence.
std::vector<std::int32_t> first_tokens() {
  std::vector<std::int32_t> tokens;
  for_candidates(beam_of(1), [&](const auto& one) { tokens.push_back(ids_of(one).at(0)); });
  return tokens;
}

TEST(TranslationRules, EndWithTheTokensThatTheCallNames) {
  const std::int32_t eos = translator().model().special().eos;
  for (TranslationOptions options : both_ways()) {
    for_candidates(options, [&](const TranslationCandidate& candidate) {
      const bool ended = candidate.token_scores.size() > candidate.tokens.size();
      EXPECT_EQ(candidate.end, ended ? eos : -1);
    });
  }
  TranslationOptions options = beam_of(1);
  options.end_ids = first_tokens();
  for_candidates(options, [&](const TranslationCandidate& candidate) {
    EXPECT_TRUE(candidate.tokens.empty());
    EXPECT_EQ(candidate.token_scores.size(), 1u);
    EXPECT_GE(std::count(options.end_ids.begin(), options.end_ids.end(), candidate.end), 1);
  });
}

TEST(TranslationRules, ForbidSequencesOfTokens) {
  for (TranslationOptions options : both_ways()) {
    for (const std::int32_t token : first_tokens()) options.forbidden_ids.push_back({token});
    for_candidates(options, [&](const TranslationCandidate& candidate) {
      for (const std::int32_t id : ids_of(candidate))
        EXPECT_EQ(
            std::count(options.forbidden_ids.begin(), options.forbidden_ids.end(), std::vector{id}),
            0);
    });
  }
}

TEST(TranslationRules, ForbidTheTokenForUnknownWords) {
  const std::int32_t unknown = translator().model().tgt_tokenizer.unk_id();
  ASSERT_GE(unknown, 0);
  TranslationOptions options = beam_of(1, 400);
  options.sampling.emplace().temperature = 1000;  // every token is about as likely
  options.sampling->max_length = 12;
  const auto count = [&] {
    std::ptrdiff_t found = 0;
    for_candidates(options, [&](const TranslationCandidate& candidate) {
      const std::vector<std::int32_t> ids = ids_of(candidate);
      found += std::count(ids.begin(), ids.end(), unknown);
    });
    return found;
  };
  EXPECT_GT(count(), 0);
  options.forbid_unknown = true;
  EXPECT_EQ(count(), 0);
}

TEST(TranslationRules, HoldForSamplesToo) {
  TranslationOptions options = both_ways()[1];
  options.beam.n_best = 20;
  options.beam.min_length = 8;
  options.beam.no_repeat_ngram = 2;
  for_candidates(options, [](const TranslationCandidate& candidate) {
    std::vector<std::int32_t> ids = ids_of(candidate);
    EXPECT_GE(ids.size(), 8u);
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t i = 1; i < ids.size(); ++i) pairs.emplace_back(ids[i - 1], ids[i]);
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
  });
}

TEST(TranslationRules, PenalizeRepetitions) {
  for (TranslationOptions options : both_ways()) {
    if (options.sampling) options.sampling->top_k = 1;
    options.beam.min_length = 12;
    const auto repetitions = [&] {
      std::size_t found = 0;
      for_candidates(options, [&](const TranslationCandidate& candidate) {
        std::vector<std::int32_t> ids = ids_of(candidate);
        std::sort(ids.begin(), ids.end());
        found += static_cast<std::size_t>(ids.end() - std::unique(ids.begin(), ids.end()));
      });
      return found;
    };
    const std::size_t usual = repetitions();
    options.beam.repetition_penalty = 1e6f;
    EXPECT_LT(repetitions(), usual);
  }
}

TEST(TranslationRules, RefuseWhatTheModelDoesNotHave) {
  const auto translate = [](auto&& change) {
    TranslationOptions options = beam_of(2);
    change(options);
    translator().translate(kRuledSentences, options);
  };
  expect_error<ConfigError>([&] { translate([](TranslationOptions& o) { o.end_ids = {100000}; }); },
                            {"end_ids", "100000"});
  expect_error<ConfigError>([&] { translate([](TranslationOptions& o) { o.end_ids = {-1}; }); },
                            {"end_ids", "-1"});
  expect_error<ConfigError>(
      [&] { translate([](TranslationOptions& o) {
              o.forbidden_ids = {{5}, {}};
            }); },
      {"forbidden_ids"});
  expect_error<ConfigError>(
      [&] { translate([](TranslationOptions& o) {
              o.forbidden_ids = {{5, 100000}};
            }); },
      {"forbidden_ids"});
  expect_error<ConfigError>(
      [&] { translate([](TranslationOptions& o) { o.forbidden_ids.resize(257, {5}); }); },
      {"forbidden_ids", "256"});
  expect_error<ConfigError>(
      [&] { translate([](TranslationOptions& o) { o.beam.repetition_penalty = 0; }); },
      {"repetition_penalty", "0"});
}

}  // namespace
}  // namespace attend
