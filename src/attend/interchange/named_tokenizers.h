// The tokenizer classes of transformers that build a tokenizer from a vocabulary and the settings
// of tokenizer_config.json, whatever else a tokenizer.json says. Private to interchange/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "attend/core/json_object.h"
#include "attend/text/sentencepiece_writing.h"

namespace attend::detail {

// What files of a model directory say; an empty object where a file is absent.
struct TokenizerSettings {
  nlohmann::json config;     // config.json
  nlohmann::json tokenizer;  // tokenizer_config.json
  nlohmann::json map;        // special_tokens_map.json
  std::string path;          // begins the messages
};

// The class that transformers reads the directory with, such as "BertTokenizer". Empty: one that
// takes a tokenizer.json as it is. `works_on_bytes`: its tokenizer.json splits bytes.
std::string named_tokenizer_class(const TokenizerSettings& settings, bool works_on_bytes);

// The tokenizer.json that a class makes. `file` has a model with the vocabulary and, for BPE, the
// merges, perhaps with the added tokens and the post-processor of a tokenizer.json, which
// `is_tokenizer_json` says it was. Throws DataError for a model of another kind, and for settings
// of another type. Returns `file` for an empty class.
nlohmann::json named_tokenizer_json(std::string_view tokenizer_class,
                                    const TokenizerSettings& settings, nlohmann::json file,
                                    bool is_tokenizer_json);

// Fills in the special pieces that a class has where nothing else names them.
void name_usual_pieces(std::string_view tokenizer_class, const nlohmann::json& vocabulary,
                       SpecialPieces& special);

}  // namespace attend::detail
