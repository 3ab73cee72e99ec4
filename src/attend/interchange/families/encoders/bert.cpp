// BERT (Devlin et al. 2019), RoBERTa (Liu et al. 2019), XLM-R (Conneau et al. 2020) and CamemBERT
// (Martin et al. 2020), as transformers has them: encoders, such as those of sentence-transformers,
// and classifiers.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"
#include "attend/interchange/families/encoders/jina_bert.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

constexpr std::array kOlderBertNorms{
    NameRule{"norm.weight", "embeddings.LayerNorm.gamma"},
    NameRule{"norm.bias", "embeddings.LayerNorm.beta"},
    NameRule{"encoder.layers.*.norm1.weight", "encoder.layer.*.attention.output.LayerNorm.gamma"},
    NameRule{"encoder.layers.*.norm1.bias", "encoder.layer.*.attention.output.LayerNorm.beta"},
    NameRule{"encoder.layers.*.norm2.weight", "encoder.layer.*.output.LayerNorm.gamma"},
    NameRule{"encoder.layers.*.norm2.bias", "encoder.layer.*.output.LayerNorm.beta"},
};

constexpr std::array kBertHead{
    NameRule{"head.*", "bert.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};
constexpr std::array kRobertaHead{
    NameRule{"head.*", "classifier.dense.*"},
    NameRule{"output.*", "classifier.out_proj.*"},
};

// Buffers, poolers that an embedding does not use, and heads of pretraining.
constexpr std::array<std::string_view, 9> kBertIgnorable{"embeddings.position_ids",
                                                         "*.embeddings.position_ids",
                                                         "pooler.dense.*",
                                                         "bert.pooler.dense.*",
                                                         "cls.predictions.*",
                                                         "cls.predictions.transform.*.*",
                                                         "cls.predictions.transform.*.*.*",
                                                         "cls.predictions.decoder.*",
                                                         "cls.seq_relationship.*"};
constexpr std::array<std::string_view, 7> kRobertaIgnorable{"embeddings.position_ids",
                                                            "*.embeddings.position_ids",
                                                            "pooler.dense.*",
                                                            "roberta.pooler.dense.*",
                                                            "lm_head.*",
                                                            "lm_head.*.*",
                                                            "*.embeddings.token_type_ids"};

}  // namespace

ForeignModel read_bert(const ModelDirectory& directory, ForeignConfig& config) {
  if (is_jina_bert(config)) return read_jina_bert(directory, config);
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_bert_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "bert.",
                         .encoder = kBertEncoder,
                         .older_norms = kOlderBertNorms,
                         .head = kBertHead,
                         .ignorable = kBertIgnorable},
                        read_tokenizer_of(directory));
}

ForeignModel read_roberta(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_roberta_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "roberta.",
                         .encoder = kRobertaEncoder,
                         .head = kRobertaHead,
                         .ignorable = kRobertaIgnorable},
                        read_tokenizer_of(directory));
}

namespace {

constexpr std::array kRobertaTokenizers{TokenizerType::byte_bpe};
constexpr std::array kXlmRobertaTokenizers{TokenizerType::unigram, TokenizerType::bpe,
                                           TokenizerType::chars, TokenizerType::word};

}  // namespace

std::optional<TextFiles> write_bert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "bert",
                        .class_prefix = "Bert",
                        .head_dropout = "classifier_dropout",
                        .has_token_types = true,
                        .settings = bert_settings},
                       equal);
}

std::optional<TextFiles> write_roberta(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "roberta",
                        .class_prefix = "Roberta",
                        .head_dropout = "classifier_dropout",
                        .settings = roberta_settings,
                        .tokenizers = kRobertaTokenizers},
                       equal);
}

std::optional<TextFiles> write_camembert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "camembert",
                        .class_prefix = "Camembert",
                        .head_dropout = "classifier_dropout",
                        .settings = roberta_settings,
                        .tokenizers = kXlmRobertaTokenizers},
                       equal);
}

std::optional<TextFiles> write_xlm_roberta(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "xlm-roberta",
                        .class_prefix = "XLMRoberta",
                        .head_dropout = "classifier_dropout",
                        .settings = roberta_settings,
                        .tokenizers = kXlmRobertaTokenizers},
                       equal);
}

}  // namespace attend
