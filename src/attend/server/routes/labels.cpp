#include "attend/server/routes/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "attend/core/json_text.h"
#include "attend/core/quote.h"
#include "attend/core/utf8.h"
#include "attend/data/tagged_text.h"
#include "attend/server/gathering.h"
#include "attend/server/routes/inputs.h"
#include "attend/server/service.h"

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
                  InputTexts inputs, ShapeOfLabels shape) {
  const std::size_t count = inputs.texts.size();
  const auto done = [call, shape = std::move(shape)](std::vector<Classification> classified) {
    call->respond(shape(std::move(classified)));
  };
  call->on_hang_up(call->service.jobs().submit(
      *model->as<Classifier>(), ClassificationRequest{std::move(inputs.texts), inputs.pairs},
      gather<Classification>(count, done, failing(call)), call->spend()));
}

// Clients may have a tagger in mind, which that server does not know.
void refuse_tagger(const Models& models, const std::string& name) {
  for (const ServedModelPointer& model : models.all()) {
    if (!name.empty() && model->name != name) continue;
    if (model->as<Classifier>() != nullptr) return;
    if (model->as<Tagger>() != nullptr)
      throw HttpError{400, fmt::format("{} tags words; send texts to POST /models/{}",
                                       quote(model->name), printable(model->name))};
  }
}

// ---- taggers

// What becomes of the tags of a text.
struct TagOptions {
  bool grouped = true;
  std::vector<std::string> ignored = {"O"};
};

TagOptions tag_options(const Parameters& parameters) {
  TagOptions options;
  static constexpr std::string_view kMembers[] = {"aggregation_strategy", "ignore_labels"};
  const Json* const more = parameters.object("parameters", kMembers);
  if (more == nullptr) return options;
  if (const auto found = more->find("aggregation_strategy");
      found != more->end() && !found->is_null()) {
    // All tokens of a word have the tag of the first one here.
    if (*found != "none" && *found != "simple" && *found != "first")
      throw HttpError{400, "aggregation_strategy: expected none, simple or first"};
    options.grouped = *found != "none";
  }
  if (const auto found = more->find("ignore_labels"); found != more->end() && !found->is_null()) {
    options.ignored.clear();
    if (!found->is_array()) throw HttpError{400, "ignore_labels: expected a list of strings"};
    for (const Json& label : *found) {
      if (!label.is_string()) throw HttpError{400, "ignore_labels: expected a list of strings"};
      options.ignored.push_back(label);
    }
  }
  return options;
}

// Words [begin, end) of a text with one label.
struct WordGroup {
  std::string label;
  std::size_t begin, end;
};

// The entities of IOB tags, with the words between them as "O"; of other tags the runs of one tag.
std::vector<WordGroup> groups_of(const Tagging& tagging, const std::vector<std::string>& labels) {
  std::vector<WordGroup> groups;
  if (are_entity_tags(labels)) {
    std::size_t done = 0;
    const auto skip_to = [&](std::size_t begin) {
      if (begin > done) groups.push_back({"O", done, begin});
    };
    for (const Entity& entity : tagging.entities(labels)) {
      skip_to(entity.begin);
      groups.push_back({entity.type, entity.begin, entity.end});
      done = entity.end;
    }
    skip_to(tagging.words.size());
    return groups;
  }
  for (std::size_t word = 0; word < tagging.words.size(); ++word) {
    const std::string& label = labels[tagging.tags[word]];
    if (groups.empty() || groups.back().label != label) groups.push_back({label, word, word});
    groups.back().end = word + 1;
  }
  return groups;
}

std::vector<WordGroup> words_alone(const Tagging& tagging, const std::vector<std::string>& labels) {
  std::vector<WordGroup> groups;
  for (std::size_t word = 0; word < tagging.words.size(); ++word)
    groups.push_back({labels[tagging.tags[word]], word, word + 1});
  return groups;
}

// Bytes and characters at which a word begins and ends.
struct WordPlace {
  std::size_t begin, end, first, last;
};

std::vector<WordPlace> places_of(std::string_view text, const std::vector<std::string>& words) {
  std::vector<WordPlace> places;
  std::size_t at = 0, characters = 0;
  for (const std::string& word : words) {
    const std::size_t begin = text.find(word, at), end = begin + word.size();
    const std::size_t first = characters + count_code_points(text.substr(at, begin - at));
    characters = first + count_code_points(word);
    places.push_back({begin, end, first, characters});
    at = end;
  }
  return places;
}

Json entities_json(const Tagging& tagging, std::string_view text,
                   const std::vector<std::string>& labels, const TagOptions& options) {
  const std::vector<WordPlace> places = places_of(text, tagging.words);
  Json list = Json::array();
  for (const WordGroup& group :
       options.grouped ? groups_of(tagging, labels) : words_alone(tagging, labels)) {
    if (std::find(options.ignored.begin(), options.ignored.end(), group.label) !=
        options.ignored.end())
      continue;
    double sum = 0;
    for (std::size_t word = group.begin; word < group.end; ++word)
      sum += double{tagging.probabilities[word]};
    const WordPlace &first = places[group.begin], &last = places[group.end - 1];
    Json json{
        {options.grouped ? "entity_group" : "entity", group.label},
        {"score",
         json_number(static_cast<float>(sum / static_cast<double>(group.end - group.begin)))}};
    if (!options.grouped) json["index"] = group.begin + 1;
    json["word"] = text.substr(first.begin, last.end - first.begin);
    json["start"] = first.first;
    json["end"] = last.last;
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
    throw HttpError{400, "raw_scores: this model gives probabilities of labels"};
  InputTexts inputs = pairs_or_texts(p, model->as<Classifier>()->takes_pairs());
  const bool list = inputs.is_list;
  submit_texts(call, model, std::move(inputs), [=](std::vector<Classification> classified) {
    Json body = Json::array();
    for (Classification& one : classified) {
      if (is_number && !raw) one.value = 1 / (1 + std::exp(-one.value));
      body.push_back(labels_of(one, model->as<Classifier>()->labels()));
    }
    return list ? body : body.at(0);
  });
}

void classify_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model) {
  const Parameters& p = call->parameters;
  std::size_t most = model->as<Classifier>()->labels().size();
  static constexpr std::string_view kMembers[] = {"top_k"};
  if (const Json* const more = p.object("parameters", kMembers)) {
    const auto top = more->find("top_k");
    if (top != more->end() && !top->is_null()) {
      if (!top->is_number_integer() || *top < 1)
        throw HttpError{400, "top_k: expected a whole number from 1"};
      most = std::min(most, top->get<std::size_t>());
    }
  }
  InputTexts inputs = pairs_or_texts(p, model->as<Classifier>()->takes_pairs());
  submit_texts(call, model, std::move(inputs), [=](const std::vector<Classification>& classified) {
    Json body = Json::array();
    for (const Classification& one : classified) {
      Json labels = labels_of(one, model->as<Classifier>()->labels());
      if (labels.size() > most) labels.erase(labels.begin() + static_cast<int>(most), labels.end());
      body.push_back(std::move(labels));
    }
    return body;
  });
}

void tag_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model) {
  const Parameters& p = call->parameters;
  const TagOptions options = tag_options(p);
  const std::vector<std::string> texts = inputs_of(p);
  const bool list = p.is_list("inputs");
  const auto done = [=](const std::vector<Tagging>& tagged) {
    Json body = Json::array();
    for (std::size_t i = 0; i < tagged.size(); ++i)
      body.push_back(entities_json(tagged[i], texts[i], model->as<Tagger>()->labels(), options));
    call->respond(list ? body : body.at(0));
  };
  call->on_hang_up(call->service.jobs().submit(*model->as<Tagger>(), TaggingRequest{texts},
                                               gather<Tagging>(texts.size(), done, failing(call)),
                                               call->spend()));
}

}  // namespace attend
