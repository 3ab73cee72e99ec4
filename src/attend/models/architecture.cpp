#include "attend/models/architecture.h"

#include <vector>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

void validate_shared(const EncoderDecoderConfig& c) {
  require_in_range("src-vocab-size", c.src_vocab_size, kVocabularySizes);
  require_in_range("tgt-vocab-size", c.tgt_vocab_size, kVocabularySizes);
  if (shares_inputs(c.tie_embeddings) && c.src_vocab_size != c.tgt_vocab_size)
    throw OptionError<ConfigError>(
        "{}: {} needs one joint vocabulary, got {} source and {} target entries",
        as_key("tie-embeddings"),
        enum_names(c.tie_embeddings)[static_cast<std::size_t>(c.tie_embeddings)], c.src_vocab_size,
        c.tgt_vocab_size);
}

void validate_decoder(const TransformerConfig& c) {
  const StackConfig decoder = c.decoder();
  const int heads = decoder.n_heads, keys = decoder.n_key_heads > 0 ? decoder.n_key_heads : heads;
  if (decoder.d_model % heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw OptionError<ConfigError>("{}: {} heads do not divide the decoder's width of {}",
                                   as_key("decoder-n-heads"), heads, decoder.d_model);
  if (heads % keys != 0)
    throw OptionError<ConfigError>("{}: {} do not divide the decoder's {} heads",
                                   as_key("decoder-n-key-heads"), keys, heads);
  if (decoder.d_model != c.d_model && shares_inputs(c.tie_embeddings))
    throw OptionError<ConfigError>(
        "{}: {} needs one width, got {} and {}", as_key("tie-embeddings"),
        enum_names(c.tie_embeddings)[std::size_t(c.tie_embeddings)], c.d_model, decoder.d_model);
}

void validate_one(const TransformerConfig& c) {
  check_options(c);
  validate_stack(c);
  validate_decoder(c);
  validate_stack(c.decoder());
  validate_shared(c);
}

void validate_one(const RecurrentConfig& c) {
  check_options(c);
  validate_shared(c);
}

}  // namespace

StackConfig TransformerConfig::decoder() const {
  StackConfig stack = *this;
  if (decoder_d_model > 0) stack.d_model = decoder_d_model;
  if (decoder_n_heads > 0) stack.n_heads = decoder_n_heads;
  if (decoder_n_key_heads > 0) stack.n_key_heads = decoder_n_key_heads;
  if (decoder_d_ff > 0) stack.d_ff = decoder_d_ff;
  if (decoder_attention_window > 0) stack.attention_window = decoder_attention_window;
  if (decoder_attention_layers.empty()) return stack;
  stack.attention_layers = decoder_attention_layers;
  if (!stack.has_layers(LayerKind::local)) {
    stack.attention_window = 0;
    stack.local_rotary_theta = 0.0;
  }
  return stack;
}

void TransformerConfig::set_decoder(const StackConfig& stack) {
  const auto unless_equal = [](auto own, auto encoder) {
    return own == encoder ? decltype(own)() : own;
  };
  decoder_d_model = unless_equal(stack.d_model, d_model);
  decoder_n_heads = unless_equal(stack.n_heads, n_heads);
  decoder_d_ff = unless_equal(stack.d_ff, d_ff);
  // As many as heads of queries, where the encoder has fewer of its own.
  const int keys = stack.n_key_heads == 0 && n_key_heads > 0 ? stack.n_heads : stack.n_key_heads;
  decoder_n_key_heads = unless_equal(keys, n_key_heads);
  decoder_attention_window = unless_equal(stack.attention_window, attention_window);
  const std::vector<LayerKind> own = stack.kinds_of_layers(n_decoder_layers);
  decoder_attention_layers = own == kinds_of_layers(n_decoder_layers) ? "" : layer_pattern(own);
}

std::string_view name_of(const ArchitectureConfig& config) {
  return enum_names(Architecture())[config.index()];
}

EncoderDecoderConfig& common(ArchitectureConfig& config) {
  return std::visit([](EncoderDecoderConfig& one) -> EncoderDecoderConfig& { return one; }, config);
}

const EncoderDecoderConfig& common(const ArchitectureConfig& config) {
  return std::visit(
      [](const EncoderDecoderConfig& one) -> const EncoderDecoderConfig& { return one; }, config);
}

int d_model_of(const ArchitectureConfig& config) {
  return std::visit([](const auto& one) { return one.d_model; }, config);
}

int decoder_d_model_of(const ArchitectureConfig& config) {
  const auto* const transformer = std::get_if<TransformerConfig>(&config);
  return transformer != nullptr ? transformer->decoder().d_model : d_model_of(config);
}

void validate(const ArchitectureConfig& config) {
  std::visit([](const auto& one) { validate_one(one); }, config);
}

ArchitectureConfig ModelOptions::chosen() const {
  if (arch == Architecture::transformer) return transformer;
  RecurrentConfig config;
  static_cast<RecurrentWidths&>(config) = rnn;
  static_cast<EncoderDecoderConfig&>(config) = transformer;
  config.d_model = transformer.d_model;
  config.dropout = transformer.dropout;
  config.attention = transformer.attention;
  return config;
}

ModelOptions ModelOptions::of(const ArchitectureConfig& config) {
  ModelOptions options;
  options.arch = static_cast<Architecture>(config.index());
  if (const auto* const transformer = std::get_if<TransformerConfig>(&config)) {
    options.transformer = *transformer;
    return options;
  }
  const auto& recurrent = std::get<RecurrentConfig>(config);
  options.rnn = recurrent;
  static_cast<EncoderDecoderConfig&>(options.transformer) = recurrent;
  options.transformer.d_model = recurrent.d_model;
  options.transformer.dropout = recurrent.dropout;
  options.transformer.attention = recurrent.attention;
  return options;
}

}  // namespace attend
