// The settings of decoding of transformers' encoder-decoders: generation_config.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/model_directory.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// What the settings say of decoding: those of generation_config.json or, in older directories, of
// config.json. What would change the answers and is not supported is an error; what changes only
// the length of a search is not used.
struct GenerationSettings {
  ModelDecoding decoding;             // its lengths count what the decoder begins with
  std::optional<std::int32_t> start;  // the token that the decoder begins with
  std::optional<std::int32_t> first;  // the token that is always written first
  std::vector<std::int32_t> suppressed;
  std::vector<std::int32_t> ends;  // each ends an output; empty: the end of sentence

  // The decoding after that many tokens, which do not count in its lengths.
  ModelDecoding after(int marks) const;
};
GenerationSettings read_generation(const ModelDirectory& directory, ForeignConfig& config,
                                   int vocabulary);

// The token with which a decoder begins by the file of these settings alone: the one that it names,
// else that of the beginning of a text. nullopt: there is no file, or it names none.
std::optional<std::int32_t> beginning_of_generation(const ModelDirectory& directory,
                                                    int vocabulary);

// What the decoder of a model begins with: with a default language where it is one of a language.
struct DecoderBeginning {
  std::optional<std::int32_t> start = std::nullopt, first = std::nullopt;
};
// Throws ConfigError for more than two tokens.
DecoderBeginning beginning_of(const PairFormat& format);

// The content of a generation_config.json that read_generation() reads as this model has it.
// `longest`: the length of outputs at which transformers stops.
nlohmann::ordered_json generation_json(const TranslationModel& model, int longest);

// The same of a language model: of generation_config.json or, without one, of config.json.
// What would change the answers and is not supported is an error.
struct LanguageGeneration {
  std::vector<std::int32_t> ends;                    // each ends an answer
  std::int32_t start = -1;                           // begins a text without tokens; -1: none
  std::vector<std::vector<std::int32_t>> forbidden;  // sequences that are never written
  GenerationDefaults defaults;
};
LanguageGeneration read_language_generation(const ModelDirectory& directory, int vocabulary);
// The reverse. A model of lines has nothing but the tokens around them.
nlohmann::ordered_json generation_json(const LanguageModel& model);

}  // namespace attend
