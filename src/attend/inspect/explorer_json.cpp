#include "attend/inspect/explorer_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "attend/core/json/json_text.h"
#include "attend/tasks/explanation/explanation_json.h"

namespace attend {

nlohmann::ordered_json to_json(const HeadEffect& effect) {
  return {{"module", effect.module}, {"head", effect.head}, {"change", json_number(effect.change)}};
}

nlohmann::ordered_json to_json(const WordEffect& effect, float probability) {
  nlohmann::ordered_json json{
      {"word", effect.word}, {"probability_without", nullptr}, {"change", nullptr}};
  if (!effect.probability_without) return json;
  json["probability_without"] = json_number(*effect.probability_without);
  json["change"] = json_number(*effect.probability_without - probability);
  return json;
}

nlohmann::ordered_json to_json(const AttentionEntropy& entropy) {
  return {{"entropy", entropy.mean},
          {"nearly_uniform", entropy.is_nearly_uniform()},
          {"heads", entropy.heads}};
}

nlohmann::ordered_json to_json(const DrawnText& drawn) {
  return {{"text", drawn.text},
          {"log_probability", json_number(drawn.log_probability)},
          {"complete", drawn.complete}};
}

nlohmann::ordered_json to_json(const WordUses& found, int layers) {
  nlohmann::ordered_json uses = nlohmann::ordered_json::array();
  for (const WordUse& use : found.uses) {
    nlohmann::ordered_json json{{"text", use.text},
                                {"x", json_number(static_cast<float>(use.x))},
                                {"y", json_number(static_cast<float>(use.y))},
                                {"nearest", nullptr},
                                {"similarity", nullptr}};
    if (use.nearest >= 0) {
      json["nearest"] = use.nearest;
      json["similarity"] = json_number(use.similarity);
    }
    uses.push_back(std::move(json));
  }
  return {{"layer", found.layer},
          {"layers", layers},
          {"shown_variance", json_number(static_cast<float>(found.shown_variance))},
          {"uses", std::move(uses)}};
}

nlohmann::ordered_json to_json(const AnswerExplanation& found, bool translates) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (translates) json["translation"] = found.translation;
  json.update(to_json(found.why));
  return json;
}

}  // namespace attend
