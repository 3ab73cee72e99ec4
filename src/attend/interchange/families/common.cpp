#include <fmt/format.h>

#include <optional>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/families.h"

namespace attend {

void ignore_common_settings(ForeignConfig& config) {
  config.ignore({"architectures",
                 "transformers_version",
                 "torch_dtype",
                 "dtype",
                 "use_cache",
                 "init_std",
                 "_name_or_path",
                 "name_or_path",
                 "gradient_checkpointing",
                 "is_decoder",
                 "is_encoder_decoder",
                 "output_past",
                 "max_length",
                 "num_hidden_layers",
                 "encoder_layerdrop",
                 "decoder_layerdrop",
                 "classifier_dropout",
                 "classif_dropout",
                 "task_specific_params",
                 "id2label",
                 "label2id",
                 "num_labels"});
}

std::optional<Activation> activation_named(std::string_view wanted) {
  constexpr std::pair<std::string_view, Activation> kNames[] = {
      {"relu", Activation::relu},           {"gelu", Activation::gelu},
      {"gelu_python", Activation::gelu},    {"tanh", Activation::tanh},
      {"swish", Activation::swish},         {"silu", Activation::swish},
      {"gelu_new", Activation::gelu_tanh},  {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh}, {"quick_gelu", Activation::quick_gelu}};
  for (const auto& [name, activation] : kNames) {
    if (name == wanted) return activation;
  }
  return std::nullopt;
}

Activation read_activation(ForeignConfig& config, std::string_view key) {
  const auto activation = activation_named(config.text(key));
  if (!activation)
    config.refuse(key, "supported are relu, gelu, tanh, swish, gelu_new and quick_gelu");
  return *activation;
}

int read_int(ForeignConfig& config, std::string_view key, const NumberRange& range) {
  return static_cast<int>(config.integer(key, range));
}

float read_dropout(ForeignConfig& config, std::string_view key, double otherwise) {
  return static_cast<float>(config.number_or(key, otherwise, dropout_shares()));
}

FileText texts_of(const ModelDirectory& directory) {
  return [&directory](std::string_view name) -> std::optional<std::string> {
    if (!directory.contains(name)) return std::nullopt;
    return directory.text(name);
  };
}

ForeignTokenizer read_tokenizer_of(const ModelDirectory& directory, int embeddings) {
  return read_tokenizer_directory(texts_of(directory), directory.path(), embeddings);
}

void require_vocabulary(const ModelDirectory& directory, const Tokenizer& tokenizer, int size) {
  if (tokenizer.vocab_size() != size)
    throw DataError(fmt::format("{}: the model has {} embeddings, its tokenizer {} pieces",
                                directory.path(), size, tokenizer.vocab_size()));
}

TranslationDecoding read_decoding(const ModelDirectory& directory, ForeignConfig& config) {
  constexpr const char* kFile = "generation_config.json";
  TranslationDecoding decoding;
  const auto read = [&](ForeignConfig& from) {
    decoding.beam_size =
        static_cast<int>(from.integer_or("num_beams", decoding.beam_size, kBeamSizes));
    decoding.length_penalty = static_cast<float>(
        from.number_or("length_penalty", decoding.length_penalty, kLengthPenalties));
  };
  decoding.beam_size = 1;
  decoding.length_penalty = 1.0f;
  read(config);
  if (directory.contains(kFile)) {
    ForeignConfig generation =
        ForeignConfig::from_json(directory.text(kFile), directory.path() + "/" + kFile);
    read(generation);
  }
  return decoding;
}

}  // namespace attend
