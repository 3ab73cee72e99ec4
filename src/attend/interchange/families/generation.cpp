#include "attend/interchange/families/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/error.h"
#include "attend/interchange/families/families.h"

namespace attend {

namespace {

// Settings that are supported only where they change nothing: 1 or 0.
constexpr std::array kOnlyOne{"repetition_penalty", "encoder_repetition_penalty", "guidance_scale"};
constexpr std::array kOnlyZero{"encoder_no_repeat_ngram_size", "diversity_penalty"};

// Settings of generation that do not change which tokens greedy decoding writes before the end, or
// that repeat others.
void ignore_generation_settings(ForeignConfig& from) {
  from.ignore({"max_length",
               "max_new_tokens",
               "early_stopping",
               "forced_eos_token_id",
               "bos_token_id",
               "pad_token_id",
               "do_sample",
               "temperature",
               "top_k",
               "top_p",
               "typical_p",
               "num_return_sequences",
               "renormalize_logits",
               "use_cache",
               "transformers_version",
               "_from_model_config",
               "output_attentions",
               "output_hidden_states",
               "output_scores",
               "return_dict_in_generate",
               "return_dict"});
}

void read_token(ForeignConfig& from, const char* key, const NumberRange& ids,
                std::optional<std::int32_t>& id) {
  if (from.has(key)) id = static_cast<std::int32_t>(from.integer(key, ids));
}

// How the decoder starts and ends.
void read_start_and_ends(ForeignConfig& from, GenerationSettings& settings,
                         const NumberRange& ids) {
  read_token(from, "decoder_start_token_id", ids, settings.start);
  if (!from.has("eos_token_id")) return;
  const auto ends = from.integer_or_integers("eos_token_id", ids);
  settings.ends.assign(ends.begin(), ends.end());
}

void read_generation_from(ForeignConfig& from, GenerationSettings& settings,
                          const NumberRange& ids) {
  read_start_and_ends(from, settings, ids);
  ModelDecoding& decoding = settings.decoding;
  decoding.beam_size =
      static_cast<int>(from.integer_or("num_beams", decoding.beam_size, kBeamSizes));
  decoding.length_penalty = static_cast<float>(
      from.number_or("length_penalty", decoding.length_penalty, kLengthPenalties));
  decoding.min_length =
      static_cast<int>(from.integer_or("min_length", decoding.min_length, between(0, 1e6)));
  decoding.no_repeat_ngram = static_cast<int>(
      from.integer_or("no_repeat_ngram_size", decoding.no_repeat_ngram, between(0, 1e6)));
  read_token(from, "forced_bos_token_id", ids, settings.first);
  if (from.has("bad_words_ids")) {
    settings.suppressed.clear();
    for (const auto& word : from.integer_lists("bad_words_ids", ids)) {
      if (word.size() != 1) from.refuse("bad_words_ids", "only single tokens are supported");
      settings.suppressed.push_back(static_cast<std::int32_t>(word.front()));
    }
  }
  for (const char* factor : kOnlyOne) from.require(factor, 1.0);
  for (const char* none : kOnlyZero) from.require(none, 0);
  from.require("num_beam_groups", 1);
  ignore_generation_settings(from);
}

}  // namespace

ModelDecoding GenerationSettings::after(int marks) const {
  ModelDecoding result = decoding;
  result.min_length = std::max(0, result.min_length - marks);
  return result;
}

GenerationSettings read_generation(const ModelDirectory& directory, ForeignConfig& config,
                                   int vocabulary) {
  const NumberRange ids = between(0, vocabulary - 1);
  GenerationSettings settings;
  settings.decoding.beam_size = 1;
  settings.decoding.length_penalty = 1.0f;
  if (!directory.contains(kGenerationConfig)) {
    read_generation_from(config, settings, ids);
    return settings;
  }
  ForeignConfig generation = ForeignConfig::from_json(directory.text(kGenerationConfig),
                                                      directory.path() + "/" + kGenerationConfig);
  read_generation_from(generation, settings, ids);
  generation.require_all_known();
  // Then config.json only says how the decoder starts and ends, where the other file does not.
  GenerationSettings older;
  read_start_and_ends(config, older, ids);
  if (!settings.start) settings.start = older.start;
  if (settings.ends.empty()) settings.ends = older.ends;
  for (const char* factor : kOnlyOne) config.ignore({factor});
  for (const char* count : kOnlyZero) config.ignore({count});
  config.ignore({"num_beams", "length_penalty", "min_length", "no_repeat_ngram_size",
                 "forced_bos_token_id", "bad_words_ids", "num_beam_groups"});
  ignore_generation_settings(config);
  return settings;
}

std::optional<std::int32_t> beginning_of_generation(const ModelDirectory& directory,
                                                    int vocabulary) {
  if (!directory.contains(kGenerationConfig)) return std::nullopt;
  ForeignConfig generation = ForeignConfig::from_json(directory.text(kGenerationConfig),
                                                      directory.path() + "/" + kGenerationConfig);
  std::optional<std::int32_t> beginning;
  for (const char* key : {"bos_token_id", "decoder_start_token_id"})
    read_token(generation, key, between(0, vocabulary - 1), beginning);
  return beginning;
}

namespace {

// A token of a target that stands for a language is the default one, if there is one.
std::optional<std::int32_t> token_of_mark(const PairFormat& format, std::int32_t mark) {
  if (mark >= 0) return mark;
  for (const PairFormat::Language& language : format.languages)
    if (language.name == format.defaults.target) return language.token;
  return std::nullopt;
}

std::vector<std::int32_t> suppressed_pieces(const TranslationModel& model) {
  const std::vector<std::int32_t> fillers = fillers_of(model.tgt_tokenizer);
  std::vector<std::int32_t> pieces;
  for (const std::int32_t id : model.suppressed)
    if (std::find(fillers.begin(), fillers.end(), id) == fillers.end()) pieces.push_back(id);
  return pieces;
}

}  // namespace

DecoderBeginning beginning_of(const PairFormat& format) {
  const std::vector<std::int32_t>& marks = format.marks.before_target;
  if (marks.size() > 2)
    throw ConfigError(fmt::format("the decoder begins with {} tokens", marks.size()));
  DecoderBeginning beginning{.start = token_of_mark(format, marks.front())};
  if (marks.size() == 2) beginning.first = token_of_mark(format, marks.back());
  return beginning;
}

nlohmann::ordered_json generation_json(const TranslationModel& model, int longest) {
  const ModelDecoding& decoding = model.decoding;
  const SpecialTokens special = model.special();
  nlohmann::ordered_json json{{"num_beams", decoding.beam_size},
                              {"length_penalty", decoding.length_penalty},
                              {"max_length", longest},
                              {"eos_token_id", model.ends},
                              {"forced_eos_token_id", special.eos}};
  if (model.ends.size() == 1) json["eos_token_id"] = model.ends.front();
  json["pad_token_id"] = special.pad >= 0 ? special.pad : special.eos;
  if (decoding.min_length > 0)
    json["min_length"] = decoding.min_length + model.format.marks.of_target();
  if (decoding.no_repeat_ngram > 0) json["no_repeat_ngram_size"] = decoding.no_repeat_ngram;
  const DecoderBeginning beginning = beginning_of(model.format);
  if (beginning.start) json["decoder_start_token_id"] = *beginning.start;
  if (beginning.first) json["forced_bos_token_id"] = *beginning.first;
  for (const std::int32_t id : suppressed_pieces(model))
    json["bad_words_ids"].push_back(nlohmann::ordered_json::array({id}));
  return json;
}

}  // namespace attend
