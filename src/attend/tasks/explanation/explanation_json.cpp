#include "attend/tasks/explanation/explanation_json.h"

#include "attend/core/json/json_text.h"

namespace attend {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const TokenProbability& token) {
  return {{"token", token.token}, {"probability", json_number(token.probability)}};
}

OrderedJson to_json(const LogitPart& part) {
  OrderedJson json{{"module", part.module}};
  if (part.head >= 0) json["head"] = part.head;
  json["value"] = json_number(part.value);
  return json;
}

OrderedJson to_json(const ResidualAddition& addition) {
  return {{"module", addition.module},
          {"length", json_number(addition.length)},
          {"cosine", json_number(addition.cosine)}};
}

template <class Item>
OrderedJson list_of(const std::vector<Item>& items) {
  OrderedJson list = OrderedJson::array();
  for (const Item& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const OutputExplanation& explanation) {
  OrderedJson json{{"tokens", explanation.tokens}, {"position", nullptr}};
  if (explanation.position >= 0) json["position"] = explanation.position;
  json["token"] = to_json(explanation.token);
  json["instead"] = nullptr;
  if (!explanation.instead.token.empty()) json["instead"] = to_json(explanation.instead);
  json["difference"] = json_number(explanation.difference);
  json["parts"] = list_of(explanation.parts);
  json["lens"] = OrderedJson::array();
  for (const auto& layer : explanation.lens) json["lens"].push_back(list_of(layer));
  json["additions"] = list_of(explanation.additions);
  return json;
}

}  // namespace attend
