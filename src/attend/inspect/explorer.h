// A model that answers while its attention is changed: what the page of the explorer shows.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attend/inspect/head_importance.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/loaded_model.h"
#include "attend/translator.h"

namespace attend {

// A question to the model. A classifier, an embedding model and a language model look at `text`
// alone.
struct Exploration {
  std::string text;
  LanguagePair languages = {};
  std::string prefix = {};                      // what the translation begins with
  std::optional<std::string> translation = {};  // shown instead of the model's own
  std::string reference = {};                   // another translation to score; empty: none
  AttentionChangeOptions changes = {};
};

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class Explorer {
 public:
  explicit Explorer(std::shared_ptr<const LoadedModel> base) : base_(std::move(base)) {}

  // Frees the memory of the last changes. The next ones are made anew.
  void forget_changes() const;

  // The model with these changes of its attention. Throws ConfigError like attention_changes() and
  // changed_attention().
  std::shared_ptr<const SavedModel> changed_model(const AttentionChangeOptions& changes) const;

  // explored_answer(), with "reference_log_probability" if there is a reference. Numbers are those
  // that `attend score` and `attend classify` print with the same changes. Throws DataError for a
  // text that is empty, not UTF-8 or longer than kMaxPageTokens; ConfigError like changed_model()
  // and TranslationEngine::translate().
  nlohmann::ordered_json explore(const Exploration& exploration) const;

  // The same of inside_answer(). `modules`: patterns of the names of those whose values are wanted;
  // none: all. Throws like explore() and inside_data().
  nlohmann::ordered_json inside(const Exploration& exploration,
                                const std::vector<std::string>& modules = {}) const;

  // What each head does for the answer: `exploration.translation`, or the model's own; the most
  // probable class; or the text. The trials end before the explorer. Throws like explore(), and
  // ConfigError for an embedding model, which has no answer.
  HeadTrials head_trials(const Exploration& exploration) const;

 private:
  const std::shared_ptr<const LoadedModel> base_;
  // The model of the last changes: people look at several sentences with the same.
  struct Changed {
    AttentionChangeOptions changes;
    std::shared_ptr<const SavedModel> model;
  };
  mutable std::mutex mutex_;
  mutable Changed last_;
};

}  // namespace attend
