// Models to serve, and receivers that collect what becomes of requests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "attend/tasks/serving/decoding_jobs.h"
#include "attend/tasks/serving/scoring_jobs.h"
#include "attend/tasks/serving/serving_engine.h"
#include "attend/tasks/serving/text_jobs.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/translation/small_translator.h"

namespace attend {

inline std::shared_ptr<Runtime> serving_runtime(int threads) {
  return std::make_shared<Runtime>(RuntimeOptions{.threads = threads});
}

// Collects the outcomes of a request.
template <class Answer>
struct Collected {
  std::mutex mutex;
  std::map<std::size_t, Answer> answers;
  std::map<std::size_t, std::exception_ptr> errors;

  Receiver<Answer> receiver() {
    return {.accept =
                [this](std::size_t item, Answer answer) {
                  const std::lock_guard lock(mutex);
                  EXPECT_TRUE(answers.emplace(item, std::move(answer)).second);
                },
            .fail =
                [this](std::size_t item, std::exception_ptr error) {
                  const std::lock_guard lock(mutex);
                  EXPECT_TRUE(errors.emplace(item, error).second);
                }};
  }
};

// A request, its outcomes, and what it is to be.
template <class Answer>
struct Sent {
  std::shared_ptr<RequestState> state = std::make_shared<RequestState>();
  Collected<Answer> collected;
  std::vector<Answer> expected;
};

inline const GenerationEngine& served_generator() {
  static const GenerationEngine engine(small_language_model());
  return engine;
}

inline const ClassificationEngine& served_classifier() {
  static const ClassificationEngine engine(small_classifier());
  return engine;
}

// Texts of more than 8 tokens are tagged in parts.
inline const TaggingEngine& served_tagger() {
  static const TaggingEngine engine = [] {
    const Tokenizer& tokenizer = small_classifier().tokenizer;
    TaggerConfig config;
    config.d_model = 32;
    config.n_heads = 4;
    config.d_ff = 64;
    config.n_encoder_layers = 2;
    config.dropout = 0;
    config.vocab_size = tokenizer.vocab_size();
    config.tags = 3;
    return TaggingEngine(
        {std::make_shared<TokenTagger>(config, 7), tokenizer, {"B-X", "I-X", "O"}, {8}});
  }();
  return engine;
}

inline const std::shared_ptr<const EmbeddingEngine>& served_embedder() {
  static const EmbeddingModel model = small_embedder();
  static const auto engine = std::make_shared<const EmbeddingEngine>(model);
  return engine;
}

}  // namespace attend
