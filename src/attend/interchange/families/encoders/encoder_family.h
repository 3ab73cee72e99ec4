// What the encoder-only families have in common: a directory holds a classifier, or a model whose
// vectors are those of texts.
#pragma once

#include <span>
#include <string_view>

#include "attend/interchange/families/families.h"
#include "attend/models/encoder_head.h"
#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"

namespace attend {

// How a family names what is its own.
struct EncoderFamily {
  std::string_view prefix;  // of all names but the head's; empty, or absent without a head
  std::span<const NameRule> encoder = {};
  std::span<const NameRule> older_norms = {};  // of older files
  std::span<const NameRule> head = {};         // of a classifier
  std::span<const NameRule> tagger_head = {};  // empty: the usual one, an output layer alone
  // The settings of dropout before the output of a classifier, and of a tagger.
  std::string_view head_dropout = "classifier_dropout";
  std::string_view tagger_dropout = "classifier_dropout";
  HeadOptions head_options = {.activation = Activation::tanh};
  HeadOptions tagger_head_options = {};
  Pooling pooling = Pooling::first;  // of a classifier
  std::span<const std::string_view> ignorable = {};
};

// Settings that do not matter to an encoder, and those that must have their usual value.
void ignore_encoder_settings(ForeignConfig& config);

// Sets the vocabulary of `shape` to that of the tokenizer. `foreign` gets a remark where the model
// has more embeddings. Throws DataError where it has fewer.
void set_vocabulary(const ModelDirectory& directory, const Tokenizer& tokenizer,
                    EncoderConfig& shape, ForeignModel& foreign);

// Throws DataError unless the tokenizer puts one mark before a text, or none if it has no bos, and
// one after it.
void require_marks(const ModelDirectory& directory, const ForeignTokenizer& foreign);

// An embedding model, whose files say how the vectors of tokens become that of a text: adds to
// `foreign`, which has the names of an encoder, the model and what it has beside the encoder.
void finish_embedder(const ModelDirectory& directory, const EncoderConfig& shape,
                     ForeignTokenizer tokenizer, ForeignModel& foreign);

// The model that the directory holds. `shape`: what all models of the family have.
ForeignModel finish_encoder(const ModelDirectory& directory, ForeignConfig& config,
                            const EncoderConfig& shape, const EncoderFamily& family,
                            ForeignTokenizer tokenizer);

}  // namespace attend
