#include "attend/interchange/families/bart/bart_type_writing.h"

#include <variant>

#include "attend/interchange/families/families.h"

namespace attend {

const TranslationModel* as_transformer(const SavedModel& saved) {
  const auto* const model = dynamic_cast<const TranslationModel*>(&saved);
  if (model == nullptr) return nullptr;
  return std::holds_alternative<TransformerConfig>(model->network->architecture()) ? model
                                                                                   : nullptr;
}

std::int32_t padding_of(const SpecialTokens& special) {
  return special.pad >= 0 ? special.pad : special.eos;
}

nlohmann::ordered_json bart_type_config(const TranslationModel& model,
                                        const TransformerConfig& shape, std::string_view name,
                                        std::string_view architecture) {
  const SpecialTokens special = model.special();
  const StackConfig decoder = shape.decoder();
  const bool learned = shape.positions == PositionKind::learned;
  nlohmann::ordered_json config{
      {"model_type", name},
      {"architectures", {architecture}},
      {"vocab_size", model.src_tokenizer.vocab_size()},
      {"d_model", shape.d_model},
      {"encoder_layers", shape.n_encoder_layers},
      {"decoder_layers", shape.n_decoder_layers},
      {"encoder_attention_heads", shape.n_heads},
      {"decoder_attention_heads", decoder.n_heads},
      {"encoder_ffn_dim", shape.d_ff},
      {"decoder_ffn_dim", decoder.d_ff},
      {"max_position_embeddings", learned ? shape.max_positions : kUsualLength},
      {"activation_function", write_activation(shape.activation)},
      {"dropout", shape.dropout},
      {"attention_dropout", shape.attention_dropout},
      {"activation_dropout", shape.activation_dropout},
      {"scale_embedding", shape.scale_of_embeddings() != 1.0f},
      {"tie_word_embeddings", shape.tie_embeddings != TiedEmbeddings::none},
      {"is_encoder_decoder", true},
      {"pad_token_id", padding_of(special)},
      {"eos_token_id", special.eos},
      {"forced_eos_token_id", special.eos},
      {"dtype", "float32"}};
  // transformers 5 does without them, CTranslate2's converter does not.
  if (name == "bart" || name == "mbart" || name == "pegasus")
    config.update(
        {{"normalize_before", name != "bart"}, {"normalize_embedding", name != "pegasus"}});
  if (special.bos >= 0) config["bos_token_id"] = special.bos;
  if (const auto start = beginning_of(model.format).start)
    config["decoder_start_token_id"] = *start;
  return config;
}

}  // namespace attend
