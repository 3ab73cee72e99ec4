#include "attend/browser/exploring.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/api/c/call.h"
#include "attend/api/c/requests.h"
#include "attend/api/views.h"
#include "attend/core/json/json_text.h"
#include "attend/decode/sampling.h"
#include "attend/inspect/explorer.h"
#include "attend/inspect/explorer_json.h"
#include "attend/inspect/scored_pair.h"

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

Explorer explorer_of(const attend_model* model) {
  return Explorer(ModelAccess::loaded(required(model, "model").base));
}

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

attend_result* attend_explore_heads(const attend_model* model, const char* text,
                                    const attend_options* options,
                                    attend_cancellation* cancellation, attend_error** error) {
  return as_result(error, cancellation, [&] {
    const attend::Explorer explorer = explorer_of(model);
    const attend::HeadTrials trials = explorer.head_trials(attend::exploration_of(text, options));
    attend::Json effects = attend::Json::array();
    for (std::size_t i = 0; i < trials.size(); ++i)
      effects.push_back(attend::to_json(trials.effect(i)));
    return attend::Json{{"effects", std::move(effects)}};
  });
}

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
