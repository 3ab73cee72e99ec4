// The tokenizer classes of transformers that build a tokenizer from a vocabulary and the settings
// of tokenizer_config.json, whatever else a tokenizer.json says. Private to interchange/.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/json/json_object.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend::detail {

// What files of a model directory say; an empty object where a file is absent.
struct TokenizerSettings {
  nlohmann::json config;     // config.json
  nlohmann::json tokenizer;  // tokenizer_config.json
  nlohmann::json map;        // special_tokens_map.json
  nlohmann::json added;      // added_tokens.json
  std::string path;          // begins the messages

  // tokenizer_config.json lists all added tokens, which makes the older files superfluous.
  bool lists_tokens() const;
};

// The class that takes a tokenizer.json as it is.
inline constexpr std::string_view kGenericTokenizer = "TokenizersBackend";

// The class that transformers reads the directory with, such as "BertTokenizer".
// `works_on_bytes`: its tokenizer.json splits bytes.
std::string named_tokenizer_class(const TokenizerSettings& settings, bool works_on_bytes);
bool is_built_here(std::string_view tokenizer_class);
// Only transformers builds it.
bool is_built_elsewhere(std::string_view tokenizer_class);
// The kind of its model: "BPE", ...
std::string_view model_of(std::string_view tokenizer_class);
// The SentencePiece model that the class reads, such as "spiece.model".
std::string_view sentencepiece_file_of(std::string_view tokenizer_class);

// A token that a file or a piece of a model names.
struct TokenMention {
  NamedToken token;
  bool has_flags = false;                         // otherwise it is special
  std::optional<bool> normalized = std::nullopt;  // absent: unless it is special
};
using ExtraTokens = std::optional<std::vector<TokenMention>>;

// Where the vocabulary of a class comes from.
struct TokenizerSource {
  enum class Kind { vocabulary, tokenizer_json, sentencepiece } kind;
  // A tokenizer.json, or an object with no more than a model.
  nlohmann::json file = nlohmann::json::object();
  std::string character_map = {};         // of its normalization, in base64
  std::vector<TokenMention> pieces = {};  // of a SentencePiece model: never split
  std::vector<std::pair<std::string, std::string>> names = {};  // of special tokens of the model
  bool keeps_tokens_raw = false;  // tokens of added_tokens_decoder are found in the raw text
};

// Makes a tokenizer.json of the source, whose model has the vocabulary and, for BPE, the merges.
// Throws DataError for a model of another kind, and for settings of another type. Leaves the file
// alone for a class that is not built here.
void build_named_tokenizer(std::string_view tokenizer_class, const TokenizerSettings& settings,
                           TokenizerSource& source);

// The tokens that the class adds to such a tokenizer.json, in this order.
std::vector<NamedToken> added_tokens_of(std::string_view tokenizer_class,
                                        const TokenizerSettings& settings,
                                        const TokenizerSource& source);

// The special pieces of a class: those that the settings name, or else the usual ones of its
// model. Leaves others alone for a class that is not built here.
void name_pieces_of_class(std::string_view tokenizer_class, const TokenizerSettings& settings,
                          const nlohmann::json& model, SpecialPieces& special);

}  // namespace attend::detail
