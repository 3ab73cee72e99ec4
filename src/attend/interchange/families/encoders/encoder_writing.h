// Encoders, embedders and classifiers in the other direction: what the encoder-only families write
// alike.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "attend/interchange/families/families.h"
#include "attend/interchange/sentence_transformers.h"
#include "attend/models/encoder_head.h"
#include "attend/models/encoder_transformer.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

// How a family names what is its own.
struct EncoderWords {
  std::string_view type;          // "bert"
  std::string_view class_prefix;  // "Bert": of BertModel
  std::string_view head_dropout;  // the setting of dropout before the output of a classifier
  std::string_view tagger_dropout = "classifier_dropout";  // and of a tagger
  bool has_token_types = false;  // whether the model takes the segments of its tokens
  // The settings of the network, by their names in config.json.
  nlohmann::ordered_json (*settings)(const EncoderConfig& shape) = nullptr;
  // The settings of what is before an output layer, where the family has a choice.
  nlohmann::ordered_json (*head_settings)(const HeadOptions& head, Pooling pooling) = nullptr;
  std::span<const TokenizerType> tokenizers = {};  // of its models; empty: of any kind
};

// What an embedding model has beside its network.
SentenceModules modules_of(const EmbeddingModel& model);

// The files of a directory; nullopt for a model that is no embedder or classifier, or has another
// kind of tokenizer. Throws ConfigError for a tokenizer without an equal.
std::optional<TextFiles> write_encoder(const SavedModel& model, const EncoderWords& words,
                                       Checkpoint& equal);

}  // namespace attend
