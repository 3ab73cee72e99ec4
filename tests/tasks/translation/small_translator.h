// A translator whose answers depend on the source, sentences for it, and the comparison of answers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/tasks/translation/engine.h"
#include "tasks/small_model.h"

namespace attend {

// Wide enough for kernels to share their work among threads, and with weights so large that what it
// says depends on the source: with those that training begins with, it says much the same to
// everything.
inline const TranslationEngine& translator() {
  static const TranslationEngine result = [] {
    TranslationModel model = small_model();
    auto config = std::get<TransformerConfig>(model.network->architecture());
    config.d_model = 128;
    config.d_ff = 512;
    config.n_encoder_layers = 2;
    model.network = std::make_shared<Transformer>(config, 5);
    const ParameterSet& parameters = model.network->parameters();
    for (const ParameterSet::Entry& entry : parameters.entries()) {
      if (entry.shape.rank() != 2) continue;
      for (float& weight : parameters.value(entry).span()) weight *= 3;
    }
    return TranslationEngine(std::move(model));
  }();
  return result;
}

// 1 to 15 words in any order.
inline std::vector<std::string> random_sentences(std::size_t count) {
  static const std::vector<std::string> words{"the", "old",  "dog",  "sees", "small", "cat",
                                              "a",   "eats", "fish", "&",    "chips", "catch"};
  Random random({1, 2});
  std::vector<std::string> sentences(count);
  for (std::string& sentence : sentences) {
    for (std::uint64_t left = 1 + random.below(15); left > 0; --left)
      sentence += words[random.below(words.size())] + (left > 1 ? " " : "");
  }
  return sentences;
}

inline TranslationOptions beam_of(int beam_size, int n_best = 1) {
  TranslationOptions options;
  options.beam.beam_size = beam_size;
  options.beam.n_best = n_best;
  options.beam.max_length = 12;
  options.batch_size = 64;
  return options;
}

// The same to the last bit.
inline void expect_same(const Translation& actual, const Translation& expected) {
  EXPECT_EQ(actual.source_tokens, expected.source_tokens);
  ASSERT_EQ(actual.candidates.size(), expected.candidates.size());
  for (std::size_t i = 0; i < expected.candidates.size(); ++i) {
    EXPECT_EQ(actual.candidates[i].text, expected.candidates[i].text);
    EXPECT_EQ(actual.candidates[i].tokens, expected.candidates[i].tokens);
    EXPECT_EQ(actual.candidates[i].token_scores, expected.candidates[i].token_scores);
    EXPECT_EQ(actual.candidates[i].log_probability, expected.candidates[i].log_probability);
    EXPECT_EQ(actual.candidates[i].score, expected.candidates[i].score);
  }
}

inline void expect_same(const std::vector<Translation>& actual,
                        const std::vector<Translation>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE("sentence " + std::to_string(i));
    expect_same(actual[i], expected[i]);
  }
}

}  // namespace attend
