// What the encoder-decoders of transformers that go back to BART (Lewis et al. 2020) share: BART,
// mBART, M2M100, Pegasus and MarianMT.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/interchange/families/families.h"
#include "attend/interchange/families/generation.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/models/architecture.h"

namespace attend {

// How such a family differs from the others.
struct BartTypeTraits {
  bool norm_first = false;  // with a normalization after the last layer
  bool norm_embedding = false;
  PositionKind positions = PositionKind::learned;
  int first_position = 0;
  bool output_bias = true;
};

// The sizes and everything else but how embeddings are shared; one vocabulary.
TransformerConfig read_bart_type(ForeignConfig& config, const BartTypeTraits& traits);

// Their names for our parameters; those of `first` come before the usual ones.
NameMap bart_type_names(std::span<const NameRule> first = {});
inline constexpr EmbeddingTensors kBartTypeEmbeddings{
    "model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
    "lm_head.weight"};
// Sinusoids, which some files hold.
inline constexpr std::string_view kBartTypeSinusoids[] = {
    "model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight",
    "model.encoder.embed_positions.weights", "model.decoder.embed_positions.weights"};

// A model of one vocabulary.
struct BartTypeModel {
  TransformerConfig shape;
  ForeignEmbeddings embeddings;
};
BartTypeModel read_bart_type_model(const ModelDirectory& directory, ForeignConfig& config,
                                   const BartTypeTraits& traits);
ForeignModel bart_type_model(const BartTypeModel& read, const Tokenizer& tokenizer,
                             const GenerationSettings& generation, PairFormat format);

// An integer of tokenizer_config.json.
int read_tokenizer_setting(const ModelDirectory& directory, std::string_view key, int otherwise,
                           const NumberRange& range);

// The pieces of a JSON file of pieces and ids, by their ids. Throws DataError.
std::vector<std::string> read_piece_ids(const ModelDirectory& directory, const char* name);
// The same of what such a file says.
std::vector<std::string> pieces_by_id(const nlohmann::json& json, const std::string& where);

// Fills a list of pieces up to the embeddings of a model with pieces that stand for nothing, and
// returns these. Throws DataError for more pieces than embeddings.
std::vector<std::string> fill_up(std::vector<std::string>& pieces, int embeddings,
                                 const ModelDirectory& directory);

}  // namespace attend
