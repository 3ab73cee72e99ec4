// Translations of translations: from one language into another through a third.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "attend/answers.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// A model of several in a row, and how it translates.
struct TranslationStep {
  const TranslationEngine& engine;
  TranslationOptions options;
};

// Translates line by line what a first model writes. How far to trust the answers is said of both
// translations together, if both models are asked for that.
class SecondTranslation {
 public:
  // `sink` gets the answers in the order of the lines. The engine must outlive this object.
  SecondTranslation(TranslationStep step, AnswerSink<Translation> sink);

  // What gets the answers of the first model. This object must outlive it.
  AnswerSink<Translation> of_first();
  // Hands on what is left, after the last answer of the first model.
  void finish();

  // The text between both translations, while the sink gets an answer.
  const std::string& between() const { return between_; }

 private:
  struct Line {
    std::string text;  // of the first translation
    std::optional<TranslationTrust> trust = std::nullopt;
    std::exception_ptr error = nullptr;  // or why there is none
  };
  void add(Line line);
  void hand_on(const std::exception_ptr& error);

  TranslationStep step_;
  AnswerSink<Translation> sink_;
  std::vector<Line> waiting_;
  std::string between_;
  std::size_t lines_ = 0;  // that were handed on
};

}  // namespace attend
