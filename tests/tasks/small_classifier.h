// A small classifier with random parameters, and the tokenizer of a few sentences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/tasks/classification/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline const LabeledText kFilms{{"bad", "fine", "so-so"},
                                {"a good film", "a bad film", "not a good film", "good and bad",
                                 "the film is fine", "the cat is bad", "so good", "it is a film"},
                                {1, 0, 0, 2, 1, 0, 1, 2}};

inline ClassificationModel small_classifier(Pooling pooling = Pooling::max, float dropout = 0.0f) {
  TokenizerOptions options;
  options.type = TokenizerType::bpe;
  options.vocab_size = 40;
  const Tokenizer tokenizer = Tokenizer::train(kFilms.texts, options);
  ClassifierConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 64;
  config.n_encoder_layers = 2;
  config.dropout = dropout;
  config.pooling = pooling;
  config.vocab_size = tokenizer.vocab_size();
  config.classes = static_cast<int>(kFilms.classes.size());
  TextLengthOptions length;
  length.max_length = 20;
  length.truncation = Truncation::left;
  return {std::make_shared<TextClassifier>(config, 7), tokenizer, kFilms.classes, length};
}

// The same network for another problem: several of the labels of kFilms, or a number.
inline ClassificationModel small_classifier_for(ProblemType problem, bool pairs = false,
                                                int token_types = 0) {
  const ClassificationModel films = small_classifier();
  ClassifierConfig config = films.network->config();
  config.problem_type = problem;
  config.token_types = token_types;
  std::vector<std::string> labels = films.labels;
  if (problem == ProblemType::regression) labels = {"score"};
  config.classes = static_cast<int>(labels.size());
  ClassificationModel model{std::make_shared<TextClassifier>(config, 7), films.tokenizer, labels,
                            films.length};
  model.pairs = pairs;
  return model;
}

// As it is in a file.
inline Checkpoint small_classifier_checkpoint(Pooling pooling = Pooling::max) {
  return finished_checkpoint_of(small_classifier(pooling));
}

}  // namespace attend
