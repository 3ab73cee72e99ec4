#include "attend/browser/exploring.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/api/c/call.h"
#include "attend/api/c/requests.h"
#include "attend/api/views.h"
#include "attend/core/json/json_text.h"
#include "attend/decode/sampling.h"
#include "attend/inspect/beam_tree.h"
#include "attend/inspect/explorer.h"
#include "attend/inspect/explorer_json.h"
#include "attend/inspect/scored_pair.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

struct ExploringRequest {
  Exploration exploration;
  std::string translation;
};
template <class Visitor>
void fields(ExploringRequest& o, Visitor&& visit) {
  visit("translation", o.translation, "show this translation; default: the model's own");
  visit("prefix", o.exploration.prefix, "prefix of the model's translation");
  visit("reference", o.exploration.reference, "another translation to score");
  fields(o.exploration.languages, visit);
  fields(o.exploration.changes, visit);
}

struct InsideRequest {
  ExploringRequest exploring;
  std::vector<std::string> modules;
};
template <class Visitor>
void fields(InsideRequest& o, Visitor&& visit) {
  fields(o.exploring, visit);
  visit("modules", o.modules, "modules whose values are wanted; default: all");
}

struct ExplainingRequest {
  AnswerQuestion question;
  std::string translation;
  AttentionChangeOptions changes;
};
template <class Visitor>
void fields(ExplainingRequest& o, Visitor&& visit) {
  ExplanationOptions& options = o.question.options;
  visit("translation", o.translation, "translation to explain; default: the model's");
  visit("position", options.position, between(-1, 1e6), "token to explain, from 0");
  visit("instead", options.instead, "word, token or class to compare with");
  visit("alone", options.alone, "explain the logit alone, not a difference of two");
  visit("top", options.top, between(1, 1000), "most probable tokens for each layer");
  visit("temperature", options.temperature, kTemperatures, "divides the logits");
  fields(o.question.languages, visit);
  fields(o.changes, visit);
}

struct DrawingRequest {
  DrawQuestion question;
  AttentionChangeOptions changes;
};
template <class Visitor>
void fields(DrawingRequest& o, Visitor&& visit) {
  visit("prefix", o.question.prefix, "prefix of the model's translation");
  visit("temperature", o.question.temperature, between(0, 100), "divides the logits");
  visit("seed", o.question.seed, any_seed(), "equal seeds give equal texts");
  visit("max-tokens", o.question.max_tokens, between(1, kMaxPageTokens), "most tokens to write");
  fields(o.question.languages, visit);
  fields(o.changes, visit);
}

struct SearchingRequest {
  BeamSearchOptions beam = {};
  std::string prefix = {};
  LanguagePair languages = {};
  AttentionChangeOptions changes = {};
};
template <class Visitor>
void fields(SearchingRequest& o, Visitor&& visit) {
  visit("beam-size", o.beam.beam_size, between(1, kWidestShownBeam), "hypotheses kept at a step");
  visit("length-penalty", o.beam.length_penalty, between(-10, 10),
        "scores are log-probabilities divided by length^penalty");
  visit("prefix", o.prefix, "prefix of the model's translation");
  fields(o.languages, visit);
  fields(o.changes, visit);
}

struct WordRequest {
  std::string word;
  int layer = -1;
  AttentionChangeOptions changes;
};
template <class Visitor>
void fields(WordRequest& o, Visitor&& visit) {
  visit("word", o.word, "the word");
  visit("layer", o.layer, between(-1025, 1024), "of the encoder or language model");
  fields(o.changes, visit);
}

Exploration exploration_of(ExploringRequest request, const char* text,
                           const attend_options* options) {
  request.exploration.text = required_text(text, "text");
  if (given_in(options)("translation"))
    request.exploration.translation = std::move(request.translation);
  return std::move(request.exploration);
}
Exploration exploration_of(const char* text, const attend_options* options) {
  return exploration_of(with_options(ExploringRequest(), options), text, options);
}

const std::shared_ptr<const LoadedModel>& loaded(const attend_model* model) {
  return ModelAccess::loaded(required(model, "model").base);
}

Explorer explorer_of(const attend_model* model) { return Explorer(loaded(model)); }

// The JSON that answer() returns.
template <class Answer>
attend_result* as_result(attend_error** error, attend_cancellation* cancellation,
                         const Answer& answer) {
  return made_by(error, cancellation, [&] {
    auto result = std::make_unique<attend_result>();
    result->items.emplace_back().choices.emplace_back().text = json_text(answer());
    return result;
  });
}

}  // namespace
}  // namespace attend

struct attend_head_trials {
  attend_head_trials(std::shared_ptr<const attend::LoadedModel> base,
                     const attend::Exploration& exploration)
      : explorer(std::move(base)), trials(explorer.head_trials(exploration)) {}

  attend::Explorer explorer;
  attend::HeadTrials trials;
};

using attend::as_result;
using attend::explorer_of;
using attend::with_options;

attend_result* attend_explore(const attend_model* model, const char* text,
                              const attend_options* options, attend_cancellation* cancellation,
                              attend_error** error) {
  return as_result(error, cancellation, [&] {
    return explorer_of(model).explore(attend::exploration_of(text, options));
  });
}

attend_result* attend_explore_inside(const attend_model* model, const char* text,
                                     const attend_options* options,
                                     attend_cancellation* cancellation, attend_error** error) {
  return as_result(error, cancellation, [&] {
    const auto request = with_options(attend::InsideRequest(), options);
    return explorer_of(model).inside(attend::exploration_of(request.exploring, text, options),
                                     request.modules);
  });
}

attend_result* attend_explain(const attend_model* model, const char* text,
                              const attend_options* options, attend_cancellation* cancellation,
                              attend_error** error) {
  return as_result(error, cancellation, [&] {
    auto request = with_options(attend::ExplainingRequest(), options);
    request.question.text = attend::required_text(text, "text");
    if (attend::given_in(options)("translation"))
      request.question.translation = std::move(request.translation);
    const auto changed = explorer_of(model).changed_model(request.changes);
    return attend::to_json(attend::explain_answer(*changed, request.question),
                           model->task == "translation");
  });
}

attend_head_trials* attend_head_trials_new(const attend_model* model, const char* text,
                                           const attend_options* options,
                                           attend_cancellation* cancellation,
                                           attend_error** error) {
  return attend::made_by(error, cancellation, [&] {
    return std::make_unique<attend_head_trials>(attend::loaded(model),
                                                attend::exploration_of(text, options));
  });
}

int64_t attend_head_trials_count(const attend_head_trials* trials) {
  return trials == nullptr ? 0 : static_cast<int64_t>(trials->trials.size());
}

attend_result* attend_head_trial(const attend_head_trials* trials, int64_t number,
                                 attend_cancellation* cancellation, attend_error** error) {
  return as_result(error, cancellation, [&] {
    const attend::HeadTrials& all = attend::required(trials, "trials").trials;
    if (number < 0 || number >= attend_head_trials_count(trials))
      throw attend::ArgumentError(
          fmt::format("number: expected 0 to {}, got {}", all.size() - 1, number));
    return attend::to_json(all.effect(static_cast<std::size_t>(number)));
  });
}

void attend_head_trials_free(attend_head_trials* trials) { delete trials; }

attend_result* attend_explore_draw(const attend_model* model, const char* text,
                                   const attend_options* options, attend_cancellation* cancellation,
                                   attend_error** error) {
  return as_result(error, cancellation, [&] {
    auto request = with_options(attend::DrawingRequest(), options);
    request.question.text = attend::required_text(text, "text");
    const auto changed = explorer_of(model).changed_model(request.changes);
    return attend::to_json(attend::drawn_text(*changed, request.question));
  });
}

attend_result* attend_explore_words(const attend_model* model, const attend_texts* texts,
                                    const attend_options* options,
                                    attend_cancellation* cancellation, attend_error** error) {
  return as_result(error, cancellation, [&] {
    const auto request = with_options(attend::WordRequest(), options);
    const auto& list = attend::required(texts, "texts").list;
    const auto changed = explorer_of(model).changed_model(request.changes);
    for (const std::string& text : list)
      attend::require_page_length(changed->golden_format().sides.front().tokenizer->encode(text),
                                  "a text");
    const attend::EmbeddingEngine embedder(*changed);
    return attend::to_json(attend::word_uses(embedder, list, request.word, request.layer),
                           embedder.layers());
  });
}

attend_result* attend_beam(const attend_model* model, const char* text,
                           const attend_options* options, attend_cancellation* cancellation,
                           attend_error** error) {
  return as_result(error, cancellation, [&] {
    const std::string source = attend::required_text(text, "text");
    const auto changed =
        explorer_of(model).changed_model(with_options(attend::SearchingRequest(), options).changes);
    const attend::TranslationEngine engine(attend::model_as<attend::TranslationModel>(*changed));
    attend::TranslationOptions asked = engine.default_options();
    asked.beam.beam_size = std::min(asked.beam.beam_size, attend::kWidestShownBeam);
    auto request = with_options(attend::SearchingRequest{.beam = asked.beam}, options);
    asked.beam = request.beam;
    asked.languages = std::move(request.languages);
    if (!request.prefix.empty()) asked.prefixes = {std::move(request.prefix)};
    const attend::BeamRecorder recorder;
    attend::show_search(asked, recorder);
    return attend::search_json(engine.translate(std::span(&source, 1), asked).front(), recorder,
                               engine.model().tgt_tokenizer);
  });
}

attend_result* attend_model_languages(const attend_model* model, attend_error** error) {
  return as_result(error, nullptr, [&] {
    const bool translates = attend::required(model, "model").task == "translation";
    return attend::Json(translates ? model->base.translator().languages()
                                   : std::vector<std::string>());
  });
}
