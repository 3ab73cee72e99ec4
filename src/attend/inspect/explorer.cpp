#include "attend/inspect/explorer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "attend/core/json/json_text.h"
#include "attend/error.h"
#include "attend/inspect/explored_answer.h"
#include "attend/inspect/scored_pair.h"
#include "attend/inspect/scored_text.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;
using Ids = std::vector<std::int32_t>;

SequenceScore score_of_pair(const TranslationModel& model, const LanguagePair& languages,
                            const Ids& src, const Ids& tgt) {
  return score_pairs(model, model.format.of(languages), std::span(&src, 1), std::span(&tgt, 1))
      .front();
}

// May be empty with heads off, and may not end: then it is cut.
Ids translation_of(const TranslationEngine& translator, const Exploration& exploration,
                   std::size_t src_tokens) {
  TranslationOptions options = translator.default_options();
  options.languages = exploration.languages;
  if (2 * src_tokens + 50 > kMaxPageTokens)
    options.beam.max_length = static_cast<int>(kMaxPageTokens);
  if (!exploration.prefix.empty()) options.prefixes = {exploration.prefix};
  const Translation found = translator.translate(std::span(&exploration.text, 1), options).front();
  Ids ids;
  for (const std::string& token : found.candidates.front().tokens)
    ids.push_back(translator.model().tgt_tokenizer.id(token));
  return ids;
}

ScoredPair pair_of(const TranslationModel& model, const Exploration& exploration) {
  ScoredPair pair{exploration.text,
                  "",
                  page_source(model, exploration.text, exploration.languages),
                  {},
                  0.0f,
                  exploration.languages};
  pair.tgt = exploration.translation
                 ? page_tokens(model.tgt_tokenizer, *exploration.translation, "the translation")
                 : translation_of(TranslationEngine(model), exploration, pair.src.size());
  require_page_length(pair.tgt, "the translation");
  pair.target = model.tgt_tokenizer.decode(pair.tgt);
  SequenceScore score = score_of_pair(model, pair.languages, pair.src, pair.tgt);
  pair.log_probability = score.log_probability;
  pair.token_scores = std::move(score.token_scores);
  return pair;
}

// What an answer shows of the model: its attention, or all that it computes.
struct AttentionView {
  template <class Model, class Text>
  Json operator()(const Model& model, const Text& text) const {
    return explored_answer(model, text);
  }
};
struct InsideView {
  const std::vector<std::string>& modules;

  template <class Model, class Text>
  Json operator()(const Model& model, const Text& text) const {
    return inside_answer(model, text, modules);
  }
};

template <class View>
Json answer_of(const TranslationModel& model, const Exploration& exploration, const View& view) {
  const ScoredPair pair = pair_of(model, exploration);
  Json json = view(model, pair);
  if (exploration.reference.empty()) return json;
  const Ids reference = page_tokens(model.tgt_tokenizer, exploration.reference, "the reference");
  require_page_length(reference, "the reference");
  json["reference_log_probability"] =
      json_number(score_of_pair(model, pair.languages, pair.src, reference).log_probability);
  return json;
}

// Shows single texts, as far as the model reads them.
ClassifiedText text_of(const ClassificationModel& model, const std::string& text) {
  page_tokens(model.tokenizer, text, "the text");
  if (!model.pairs) require_page_length(model.ids(text), "the text");
  return classified_text(ClassificationEngine(model), text);
}

template <class View>
Json answer_of(const ClassificationModel& model, const Exploration& exploration, const View& view) {
  return view(model, text_of(model, exploration.text));
}

template <class View>
Json answer_of(const EmbeddingModel& model, const Exploration& exploration, const View& view) {
  return view(model, embedded_text(model, exploration.text));
}

template <class View>
Json answer_of(const LanguageModel& model, const Exploration& exploration, const View& view) {
  return view(model, scored_text(model, exploration.text));
}

template <class View>
Json answer_of(const SavedModel& model, const Exploration& exploration, const View& view) {
  return visit_model(
      model, [&](const TranslationModel& m) -> Json { return answer_of(m, exploration, view); },
      [&](const ClassificationModel& m) -> Json { return answer_of(m, exploration, view); },
      [&](const LanguageModel& m) -> Json { return answer_of(m, exploration, view); },
      [&](const EmbeddingModel& m) -> Json { return answer_of(m, exploration, view); },
      [&](const SavedModel& m) -> Json {
        throw wrong_task(m.source, "translation, classification, embedding or language modeling",
                         m.task());
      });
}

}  // namespace

std::shared_ptr<const SavedModel> Explorer::changed_model(
    const AttentionChangeOptions& changes) const {
  const AttentionChanges wanted = attention_changes(changes);
  if (wanted.empty()) return base_->model();
  {
    const std::lock_guard lock(mutex_);
    if (last_.model && last_.changes == changes) return last_.model;
  }
  std::shared_ptr<const SavedModel> model = base_->with_attention(wanted);
  const std::lock_guard lock(mutex_);
  last_ = {changes, model};
  return model;
}

void Explorer::forget_changes() const {
  const std::lock_guard lock(mutex_);
  last_ = {};
  base_->drop_content();
}

Json Explorer::explore(const Exploration& exploration) const {
  return answer_of(*changed_model(exploration.changes), exploration, AttentionView());
}

Json Explorer::inside(const Exploration& exploration,
                      const std::vector<std::string>& modules) const {
  return answer_of(*changed_model(exploration.changes), exploration, InsideView{modules});
}

HeadTrials Explorer::head_trials(const Exploration& exploration) const {
  const std::shared_ptr<const SavedModel> model = changed_model(exploration.changes);
  const auto trials = [&](GoldenInput input, std::size_t output) {
    return HeadTrials(*base_, std::move(input), output, attention_changes(exploration.changes));
  };
  return visit_model(
      *model,
      [&](const TranslationModel& m) -> HeadTrials {
        const ScoredPair pair = pair_of(m, exploration);
        return trials({pair.src, pair.tgt}, 0);
      },
      [&](const ClassificationModel& m) -> HeadTrials {
        const ClassifiedText text = text_of(m, exploration.text);
        return trials({text.ids}, text.classes.label);
      },
      [&](const LanguageModel& m) -> HeadTrials {
        return trials({scored_text(m, exploration.text).ids}, 0);
      },
      [&](const SavedModel& m) -> HeadTrials {
        throw ConfigError(fmt::format("{}: expected a model with an answer, found one for {}",
                                      m.source, m.task()));
      });
}

}  // namespace attend
