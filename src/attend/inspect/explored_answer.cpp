#include "attend/inspect/explored_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "attend/core/json/json_text.h"
#include "attend/inspect/attention_data.h"
#include "attend/inspect/inside_data.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

Json answer_with(Json answer, const Json& view) {
  answer.update(view);
  return answer;
}
Json with_attention(Json answer, Json attention) {
  answer["attention"] = std::move(attention);
  return answer;
}

Json translation_json(const ScoredPair& pair) {
  return {{"translation", pair.target}, {"log_probability", json_number(pair.log_probability)}};
}

// From the most probable class to the least; of equal ones the first comes first.
Json classes_json(const ClassificationModel& model, const Classification& found) {
  std::vector<std::size_t> order(model.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.probabilities[a] > found.probabilities[b];
  });
  Json classes = Json::array();
  for (const std::size_t label : order)
    classes.push_back(
        {{"label", model.labels[label]}, {"probability", json_number(found.probabilities[label])}});
  return {{"classes", std::move(classes)}};
}

Json score_json(const ScoredText& text) {
  return {{"log_probability", json_number(text.log_probability)}};
}

}  // namespace

Json explored_answer(const TranslationModel& model, const ScoredPair& pair) {
  return with_attention(translation_json(pair), attention_data(model, pair));
}
Json explored_answer(const ClassificationModel& model, const ClassifiedText& text) {
  return with_attention(classes_json(model, text.classes),
                        attention_data(model, model.tokenizer, text.ids));
}
Json explored_answer(const EmbeddingModel& model, const EmbeddedText& text) {
  return with_attention(Json::object(), attention_data(model, model.tokenizer, text.ids));
}
Json explored_answer(const LanguageModel& model, const ScoredText& text) {
  return with_attention(score_json(text), attention_data(model, text.ids, text.token_scores));
}

Json inside_answer(const TranslationModel& model, const ScoredPair& pair,
                   const std::vector<std::string>& modules) {
  return answer_with(translation_json(pair), inside_data(model, pair, modules));
}
Json inside_answer(const ClassificationModel& model, const ClassifiedText& text,
                   const std::vector<std::string>& modules) {
  return answer_with(classes_json(model, text.classes), inside_data(model, text.ids, modules));
}
Json inside_answer(const EmbeddingModel& model, const EmbeddedText& text,
                   const std::vector<std::string>& modules) {
  return inside_data(model, text.ids, modules);
}
Json inside_answer(const LanguageModel& model, const ScoredText& text,
                   const std::vector<std::string>& modules) {
  return answer_with(score_json(text), inside_data(model, text.ids, text.token_scores, modules));
}

}  // namespace attend
