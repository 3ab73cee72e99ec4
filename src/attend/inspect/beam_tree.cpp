#include "attend/inspect/beam_tree.h"

#include <utility>

#include "attend/core/json/json_text.h"

namespace attend {

namespace {
using Json = nlohmann::ordered_json;
}

const char* name_of(BeamFate fate) {
  switch (fate) {
    case BeamFate::kept:
      return "kept";
    case BeamFate::ended:
      return "ended";
    case BeamFate::cut:
      return "cut";
    case BeamFate::pruned:
      break;
  }
  return "pruned";
}

std::function<void(std::size_t, const BeamStep&)> BeamRecorder::listener() const {
  return [all = all_](std::size_t sentence, const BeamStep& step) {
    const std::lock_guard lock(all->mutex);
    std::vector<BeamStep>& steps = all->steps[sentence];
    if (!steps.empty() && step.written <= steps.back().written) steps.clear();  // begun again
    steps.push_back(step);
  };
}

std::vector<BeamStep> BeamRecorder::take(std::size_t sentence) const {
  const std::lock_guard lock(all_->mutex);
  const auto found = all_->steps.extract(sentence);
  return found ? std::move(found.mapped()) : std::vector<BeamStep>();
}

Json beam_json(std::span<const BeamStep> steps, const Tokenizer& target) {
  Json list = Json::array();
  for (const BeamStep& step : steps) {
    Json candidates = Json::array();
    for (const BeamCandidate& c : step.candidates)
      candidates.push_back({{"parent", c.parent},
                            {"id", c.token},
                            {"token", target.piece(c.token)},
                            {"token_log_probability", json_number(c.token_score)},
                            {"log_probability", json_number(c.log_probability)},
                            {"score", json_number(c.score)},
                            {"fate", name_of(c.fate)}});
    list.push_back({{"written", step.written}, {"candidates", std::move(candidates)}});
  }
  return list;
}

void show_search(TranslationOptions& options, const BeamRecorder& recorder) {
  options.beam.n_best = options.beam.beam_size;
  options.max_source_tokens = kLongestShownSource;
  options.search_listener = recorder.listener();
}

Json search_json(const Translation& translation, const BeamRecorder& recorder,
                 const Tokenizer& target) {
  Json json = translation_json(translation);
  json["steps"] = beam_json(recorder.take(0), target);
  return json;
}

Json alternatives_json(std::span<const TokenAlternatives> tokens) {
  const auto json_of = [](const TokenChoice& choice) {
    return Json{{"token", choice.token},
                {"id", choice.id},
                {"log_probability", json_number(choice.log_probability)}};
  };
  Json list = Json::array();
  for (const TokenAlternatives& one : tokens) {
    Json json = json_of(one.written);
    json["rank"] = one.rank;
    json["likeliest"] = Json::array();
    for (const TokenChoice& choice : one.likeliest) json["likeliest"].push_back(json_of(choice));
    list.push_back(std::move(json));
  }
  return list;
}

Json trust_json(const TranslationTrust& trust) {
  Json flags = Json::array();
  for (const TranslationFlag& flag : trust.flags)
    flags.push_back({{"name", flag.name}, {"reason", flag.reason}});
  Json json{{"confidence", nullptr}, {"flags", std::move(flags)}};
  if (trust.confidence) json["confidence"] = json_number(*trust.confidence);
  return json;
}

Json translation_json(const Translation& translation, bool alignment) {
  Json json{{"source_tokens", translation.source_tokens}, {"translations", Json::array()}};
  for (const TranslationCandidate& c : translation.candidates) {
    Json candidate{{"text", c.text},
                   {"score", c.score},
                   {"log_probability", c.log_probability},
                   {"tokens", c.tokens},
                   {"token_log_probabilities", c.token_scores}};
    if (alignment) candidate["alignment"] = c.alignment;
    if (c.trust) candidate.update(trust_json(*c.trust));
    json["translations"].push_back(std::move(candidate));
  }
  return json;
}

}  // namespace attend
