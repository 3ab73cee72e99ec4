#include <fmt/format.h>

#include "attend/interchange/families/families.h"
#include "attend/interchange/families/generation.h"
#include "attend/tasks/language/running_generations.h"

namespace attend {

namespace {

// One outside the vocabulary, such as the default of another model, is never written.
constexpr NumberRange kAnyId = between(-1, 1e9);

std::vector<std::int32_t> known_ids(const std::vector<std::int64_t>& ids, int vocabulary) {
  std::vector<std::int32_t> known;
  for (const std::int64_t id : ids)
    if (id >= 0 && id < vocabulary) known.push_back(static_cast<std::int32_t>(id));
  return known;
}

std::vector<std::vector<std::int32_t>> forbidden_by(ForeignConfig& settings, int vocabulary) {
  std::vector<std::vector<std::int32_t>> forbidden;
  if (settings.has("suppress_tokens"))
    for (const std::int32_t id :
         known_ids(settings.integers("suppress_tokens", kAnyId), vocabulary))
      forbidden.push_back({id});
  if (settings.has("bad_words_ids")) {
    for (const auto& word : settings.integer_lists("bad_words_ids", kAnyId)) {
      std::vector<std::int32_t> ids = known_ids(word, vocabulary);
      if (!ids.empty() && ids.size() == word.size()) forbidden.push_back(std::move(ids));
    }
  }
  return forbidden;
}

// Settings that change which tokens can be drawn. Greedy decoding, which a file without do_sample
// asks for, does not look at them.
void refuse_other_sampling(ForeignConfig& settings) {
  if (!settings.boolean_or("do_sample", false)) return;
  settings.require("typical_p", 1.0);
  for (const char* cutoff : {"min_p", "epsilon_cutoff", "eta_cutoff"})
    settings.require(cutoff, 0.0);
  settings.require("top_h", nullptr);
}

// Settings that change what is written.
void refuse_others(ForeignConfig& settings) {
  refuse_other_sampling(settings);
  for (const char* factor : {"encoder_repetition_penalty", "guidance_scale"})
    settings.require(factor, 1.0);
  for (const char* count : {"min_length", "encoder_no_repeat_ngram_size"})
    settings.require(count, 0);
  settings.require("token_healing", false);
  settings.require("num_beams", 1);
  for (const char* none :
       {"forced_bos_token_id", "forced_eos_token_id", "begin_suppress_tokens", "sequence_bias",
        "exponential_decay_length_penalty", "forced_decoder_ids", "force_words_ids", "constraints",
        "stop_strings", "penalty_alpha", "dola_layers", "watermarking_config"})
    settings.require(none, nullptr);
}

GenerationDefaults defaults_in(ForeignConfig& settings) {
  GenerationDefaults d;
  const auto number = [&](const char* key, float usual, const NumberRange& range) {
    return static_cast<float>(settings.number_or(key, usual, range));
  };
  const auto integer = [&](const char* key, const NumberRange& range) {
    return static_cast<int>(settings.integer_or(key, 0, range));
  };
  d.temperature = number("temperature", d.temperature, between(0, 1e6));
  d.top_k = integer("top_k", between(0, kVocabularySizes.most));
  d.top_p = number("top_p", d.top_p, above(0, 1));
  d.repetition_penalty = number("repetition_penalty", d.repetition_penalty, kRepetitionPenalties);
  d.no_repeat_ngram = integer("no_repeat_ngram_size", kOutputLengths);
  d.min_tokens = integer("min_new_tokens", between(0, 1e9));
  if (d.temperature < kTemperatures.least) {  // the most likely token
    d.temperature = 1.0f;
    d.top_k = 1;
  }
  return d;
}

// The ids as transformers writes them: one alone is no list.
nlohmann::ordered_json ends_json(const LanguageFormat& text) {
  if (text.ends.empty()) return nullptr;
  if (text.ends.size() == 1) return text.ends.front();
  return text.ends;
}

nlohmann::ordered_json start_json(const LanguageFormat& text) {
  const std::int32_t start = text.has_lines() ? text.prefix.front() : text.start;
  return start < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(start);
}

}  // namespace

LanguageGeneration read_language_generation(const ModelDirectory& directory, int vocabulary) {
  const char* const name =
      directory.contains(kGenerationConfig) ? kGenerationConfig : "config.json";
  ForeignConfig settings =
      ForeignConfig::from_json(directory.text(name), directory.path() + "/" + name);
  LanguageGeneration generation;
  if (settings.has("eos_token_id"))
    generation.ends = known_ids(settings.integer_or_integers("eos_token_id", kAnyId), vocabulary);
  if (settings.has("bos_token_id"))
    for (const std::int32_t id :
         known_ids(settings.integer_or_integers("bos_token_id", kAnyId), vocabulary))
      generation.start = id;
  generation.forbidden = forbidden_by(settings, vocabulary);
  generation.defaults = defaults_in(settings);
  refuse_others(settings);
  return generation;
}

nlohmann::ordered_json generation_json(const LanguageModel& model) {
  nlohmann::ordered_json json{{"bos_token_id", start_json(model.text)},
                              {"eos_token_id", ends_json(model.text)}};
  const GenerationDefaults &own = model.generation, usual;
  const auto add = [&](const char* key, auto value, auto otherwise) {
    if (value != otherwise) json[key] = value;
  };
  add("temperature", own.temperature, usual.temperature);
  add("top_k", own.top_k, usual.top_k);
  add("top_p", own.top_p, usual.top_p);
  add("repetition_penalty", own.repetition_penalty, usual.repetition_penalty);
  add("no_repeat_ngram_size", own.no_repeat_ngram, usual.no_repeat_ngram);
  add("min_new_tokens", own.min_tokens, usual.min_tokens);
  if (model.text.has_lines()) json["suppress_tokens"] = unwritten_tokens(model);
  if (!model.text.forbidden.empty()) json["bad_words_ids"] = model.text.forbidden;
  return json;
}

}  // namespace attend
