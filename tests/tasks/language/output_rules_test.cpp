// What continuations may contain and what ends them, by the options of a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "attend/error.h"
#include "attend/tasks/language/engine.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const GenerationEngine& generator() {
  static const GenerationEngine result(small_language_model(rhyme_tokenizer(), 40));
  return result;
}

// Searched for, and drawn: to the end of the line.
std::vector<GenerationOptions> lines_both_ways() {
  GenerationOptions options;
  options.max_tokens = 20;
  options.one_line = true;
  options.n_best = 3;
  GenerationOptions searched = options;
  searched.beam.beam_size = 3;
  return {searched, options};
}

std::vector<Generation> lines(const GenerationOptions& options) {
  return generator().generate(generator().prompt("the cat", options, 0));
}

TEST(GenerationRules, EndALineAfterTheFewestTokens) {
  for (GenerationOptions options : lines_both_ways()) {
    options.min_tokens = 11;
    for (const Generation& line : lines(options))
      EXPECT_GE(line.ids.size(), line.complete ? 12u : 20u) << line.text;
  }
}

TEST(GenerationRules, NeverWriteTokensInARowTwice) {
  const std::vector<std::int32_t> prompt = generator().prompt("the cat", {}, 0).stream;
  for (GenerationOptions options : lines_both_ways()) {
    options.min_tokens = 16;
    options.no_repeat_ngram = 2;
    for (const Generation& line : lines(options)) {
      std::vector<std::int32_t> ids = prompt;
      ids.insert(ids.end(), line.ids.begin(), line.ids.end());
      std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
      for (std::size_t i = 1; i < ids.size(); ++i) pairs.emplace_back(ids[i - 1], ids[i]);
      std::sort(pairs.begin(), pairs.end());
      EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end()) << line.text;
    }
  }
}

TEST(GenerationRules, EndWithTheTokensThatTheCallNames) {
  const Tokenizer& tokenizer = generator().model().tokenizer;
  for (GenerationOptions options : lines_both_ways()) {
    options.end_ids = {lines(options)[0].ids.at(1), tokenizer.encode("dog").at(0)};
    int complete = 0;
    for (const Generation& line : lines(options)) {
      const auto is_end = [&](std::int32_t id) {
        return std::count(options.end_ids.begin(), options.end_ids.end(), id) > 0;
      };
      const auto ends = std::count_if(line.ids.begin(), line.ids.end(), is_end);
      EXPECT_EQ(ends, line.complete ? 1 : 0) << line.text;
      EXPECT_EQ(is_end(line.ids.back()), line.complete) << line.text;
      EXPECT_EQ(line.ids.size(), line.token_scores.size());
      complete += line.complete ? 1 : 0;
    }
    EXPECT_GT(complete, 0);
  }
}

TEST(GenerationRules, ForbidSequencesOfTokens) {
  for (GenerationOptions options : lines_both_ways()) {
    const std::vector<std::int32_t> usual = lines(options)[0].ids;
    ASSERT_GE(usual.size(), 2u);
    options.forbidden_ids = {{usual[0], usual[1]}};
    for (const Generation& line : lines(options))
      EXPECT_EQ(std::search(line.ids.begin(), line.ids.end(), usual.begin(), usual.begin() + 2),
                line.ids.end());
  }
}

TEST(GenerationRules, LetASearchGoOn) {
  GenerationOptions options = lines_both_ways()[0];
  options.n_best = 6;
  options.end_ids.resize(static_cast<std::size_t>(generator().model().tokenizer.vocab_size()) / 2);
  std::iota(options.end_ids.begin(), options.end_ids.end(), 4);
  options.beam.patience = 2;
  EXPECT_EQ(lines(options).size(), 6u);
  options.beam.patience = 1;
  expect_error<ConfigError>([&] { lines(options); }, {"n_best", "beam_size 3"});
}

TEST(GenerationRules, RefuseWhatTheModelDoesNotHave) {
  GenerationOptions options;
  options.end_ids = {100000};
  expect_error<ConfigError>([&] { lines(options); }, {"end_ids"});
  options = {};
  options.forbidden_ids = {{}};
  expect_error<ConfigError>([&] { lines(options); }, {"forbidden_ids"});
  options = {};
  options.min_tokens = -1;
  expect_error<ConfigError>([&] { lines(options); }, {"min_tokens", "-1"});
}

}  // namespace
}  // namespace attend
