#include "attend/server/routes/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "attend/core/json/json_text.h"
#include "attend/core/strings/character_index.h"
#include "attend/core/strings/quote.h"
#include "attend/server/routes/inputs.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/submission.h"
#include "attend/tasks/tagging/engine.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// ---- classifiers

// The labels by their probability, or the name of a number and the number.
Json labels_of(const Classification& one, const std::vector<std::string>& labels) {
  Json list = Json::array();
  if (one.probabilities.empty()) {
    list.push_back({{"label", labels.front()}, {"score", json_number(one.value)}});
    return list;
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return one.probabilities[a] > one.probabilities[b];
  });
  for (const std::size_t label : order)
    list.push_back({{"label", labels[label]}, {"score", json_number(one.probabilities[label])}});
  return list;
}

// Answers with what `shape` makes of the classifications.
using ShapeOfLabels = std::function<Json(std::vector<Classification>)>;
void submit_texts(const std::shared_ptr<Call>& call, const ServedModelPointer& model,
                  ClassificationRequest request, ShapeOfLabels shape) {
  const std::size_t count = request.texts.size();
  const auto done = [call, shape = std::move(shape)](std::vector<Classification> classified) {
    call->respond(shape(std::move(classified)));
  };
  submit<Classification>(call, *model->as<Classifier>(), std::move(request), count, done);
}

// Reads from "parameters" whether special tokens in a text are text.
bool splits_special_tokens(const Json* more) {
  if (more == nullptr || !more->is_object()) return false;
  const auto found = more->find("split_special_tokens");
  if (found == more->end() || found->is_null()) return false;
  if (!found->is_boolean()) throw HttpError{400, "split_special_tokens: expected true or false"};
  return found->get<bool>();
}

// What the pipeline of transformers applies, unless the request asks for another function.
OutputFunction function_to_apply(const Json* more, const Classifier& classifier) {
  const Json null,
      &asked = more != nullptr && more->is_object() && more->contains("function_to_apply")
                   ? more->at("function_to_apply")
                   : null;
  if (asked.is_null())
    return classifier.is_cross_encoder() ? OutputFunction::sigmoid : OutputFunction::standard;
  if (asked == "sigmoid") return OutputFunction::sigmoid;
  if (asked == "softmax") return OutputFunction::softmax;
  if (asked == "none") return OutputFunction::none;
  throw HttpError{400, "function_to_apply: expected sigmoid, softmax or none"};
}

// Clients may have a tagger in mind, which that server does not know.
void refuse_tagger(const Models& models, const std::string& name) {
  for (const ServedModelPointer& model : models.all()) {
    if (!name.empty() && model->name != name) continue;
    if (model->is<Classifier>()) return;
    if (model->is<Tagger>())
      throw HttpError{400, fmt::format("{} tags words; send texts to POST /models/{}",
                                       quote(model->name), printable(model->name))};
  }
}

// ---- taggers

// The names are those of the pipeline of transformers.
TaggingOptions tagging_options(const Parameters& parameters) {
  TaggingOptions options;
  static constexpr std::string_view kMembers[] = {"aggregation_strategy", "ignore_labels",
                                                  "split_special_tokens", "stride"};
  const Json* const more = parameters.object("parameters", kMembers);
  if (more == nullptr) return options;
  options.split_special_tokens = splits_special_tokens(more);
  const auto find = [more](const char* name) {
    const auto found = more->find(name);
    return found == more->end() || found->is_null() ? nullptr : &*found;
  };
  if (const Json* const asked = find("aggregation_strategy")) {
    const auto names = enum_names(TagAggregation{});
    const auto name = asked->is_string()
                          ? std::find(names.begin(), names.end(), asked->get<std::string>())
                          : names.end();
    if (name == names.end())
      throw HttpError{400, "aggregation_strategy: expected none, simple, first, average or max"};
    options.aggregation_strategy = static_cast<TagAggregation>(name - names.begin());
  }
  if (const Json* const asked = find("ignore_labels")) {
    options.ignore_labels.clear();
    if (!asked->is_array()) throw HttpError{400, "ignore_labels: expected a list of strings"};
    for (const Json& label : *asked) {
      if (!label.is_string()) throw HttpError{400, "ignore_labels: expected a list of strings"};
      options.ignore_labels.push_back(label);
    }
  }
  if (const Json* const asked = find("stride")) {
    if (!asked->is_number_integer() || *asked < 0 || *asked > 1000000)
      throw HttpError{400, "stride: expected a whole number from 0"};
    options.stride = asked->get<int>();
  }
  return options;
}

Json groups_json(const Tagging& tagging, bool alone) {
  Json list = Json::array();
  CharacterIndex characters(tagging.text);
  for (const TagGroup& group : tagging.groups) {
    Json json{{alone ? "entity" : "entity_group", group.label},
              {"score", json_number(group.score)}};
    if (alone) json["index"] = group.begin + 1;
    json["word"] = group.text;
    json["start"] = characters.of(group.span.begin);
    json["end"] = characters.of(group.span.end);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

void predict(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const Models& models = call->service.models();
  refuse_tagger(models, p.text("model"));
  const ServedModelPointer model = models.find<Classifier>(p.text("model"));
  const bool is_number = model->as<Classifier>()->problem_type() == ProblemType::regression;
  const bool raw = p.flag("raw_scores", false);
  if (raw && !is_number)
    throw HttpError{400,
                    "raw_scores: this model gives probabilities of labels; POST / has "
                    "function_to_apply"};
  const OutputFunction function = raw         ? OutputFunction::none
                                  : is_number ? OutputFunction::sigmoid
                                              : OutputFunction::standard;
  InputTexts inputs = pairs_or_texts(p, model->takes_pairs);
  const bool list = inputs.is_list;
  const auto shape = [=](const std::vector<Classification>& classified) {
    Json body = Json::array();
    for (const Classification& one : classified)
      body.push_back(labels_of(one, model->as<Classifier>()->labels()));
    return list ? body : body.at(0);
  };
  submit_texts(call, model,
               {std::move(inputs.texts), inputs.pairs, function,
                p.flag("split_special_tokens", false), preparation_of(*call)},
               shape);
}

void classify_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model) {
  const Parameters& p = call->parameters;
  std::size_t most = model->as<Classifier>()->labels().size();
  static constexpr std::string_view kMembers[] = {"function_to_apply", "split_special_tokens",
                                                  "top_k"};
  if (const Json* const more = p.object("parameters", kMembers)) {
    const auto top = more->find("top_k");
    if (top != more->end() && !top->is_null()) {
      if (!top->is_number_integer() || *top < 1)
        throw HttpError{400, "top_k: expected a whole number from 1"};
      most = std::min(most, top->get<std::size_t>());
    }
  }
  const OutputFunction function = function_to_apply(p.find("parameters"), *model->as<Classifier>());
  InputTexts inputs = pairs_or_texts(p, model->takes_pairs);
  const auto shape = [=](const std::vector<Classification>& classified) {
    Json body = Json::array();
    for (const Classification& one : classified) {
      Json labels = labels_of(one, model->as<Classifier>()->labels());
      if (labels.size() > most) labels.erase(labels.begin() + static_cast<int>(most), labels.end());
      body.push_back(std::move(labels));
    }
    return body;
  };
  submit_texts(call, model,
               {std::move(inputs.texts), inputs.pairs, function,
                splits_special_tokens(p.find("parameters")), preparation_of(*call)},
               shape);
}

void tag_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model) {
  const Parameters& p = call->parameters;
  TaggingOptions options = tagging_options(p);
  options.preparation = preparation_of(*call);
  const bool alone = options.aggregation_strategy == TagAggregation::none;
  const std::vector<std::string> texts = inputs_of(p);
  const bool list = p.is_list("inputs");
  const auto done = [call, list, alone](const std::vector<Tagging>& tagged) {
    Json body = Json::array();
    for (const Tagging& one : tagged) body.push_back(groups_json(one, alone));
    call->respond(list ? body : body.at(0));
  };
  submit<Tagging>(call, *model->as<Tagger>(), TaggingRequest{texts, options}, texts.size(), done);
}

}  // namespace attend
