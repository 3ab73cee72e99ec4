// T5 and mT5 in the other direction.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type_writing.h"
#include "attend/interchange/families/families.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

using T5Json = nlohmann::ordered_json;

// "gated-gelu" is the approximation; "gelu_python" is exact in all versions.
std::string feed_forward_name(const TransformerConfig& shape) {
  if (!shape.gated_ffn) return std::string(write_activation(shape.activation));
  if (shape.activation == Activation::gelu_tanh) return "gated-gelu";
  if (shape.activation == Activation::gelu) return "gated-gelu_python";
  return "gated-" + std::string(write_activation(shape.activation));
}

T5Json t5_config(const TranslationModel& model, const TransformerConfig& shape) {
  const int d_key = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads;
  const std::int32_t start = model.format.marks.before_target.front();
  return {{"vocab_size", model.tgt_tokenizer.vocab_size()},
          {"d_model", shape.d_model},
          {"d_kv", d_key},
          {"d_ff", shape.d_ff},
          {"num_layers", shape.n_encoder_layers},
          {"num_decoder_layers", shape.n_decoder_layers},
          {"num_heads", shape.n_heads},
          {"feed_forward_proj", feed_forward_name(shape)},
          {"relative_attention_num_buckets", shape.relative.buckets},
          {"relative_attention_max_distance", shape.relative.distance},
          {"layer_norm_epsilon", shape.norm.epsilon},
          {"dropout_rate", shape.dropout},
          {"tie_word_embeddings", shape.tie_embeddings == TiedEmbeddings::all},
          {"is_encoder_decoder", true},
          {"pad_token_id", start},
          {"eos_token_id", model.special().eos},
          {"decoder_start_token_id", start},
          {"dtype", "float32"}};
}

// spiece.model has the pieces but those that fill up the embeddings. transformers adds sentinels
// to it, as many as the first T5 has unless the settings say that there are none.
void write_t5_pieces(const Tokenizer& tokenizer, TextFiles& files) {
  constexpr std::ptrdiff_t kSentinels = 100;
  std::vector<std::string> own;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    if (tokenizer.piece(id) != filler_piece(id)) own.push_back(tokenizer.piece(id));
  const bool has_sentinels = tokenizer.vocab_size() - std::ssize(own) >= kSentinels;
  files["spiece.model"] = restore_sentencepiece(tokenizer.bytes(), own);
  files["tokenizer_config.json"] = write_tokenizer_config(
      tokenizer,
      {{"tokenizer_class", "T5Tokenizer"}, {"extra_ids", has_sentinels ? kSentinels : 0}});
}

void write_t5_tokenizer(const TranslationModel& model, TextFiles& files, Checkpoint& equal) {
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  if (!detail::is_tokenizer_file(tokenizer.bytes()) &&
      is_reordered_sentencepiece(tokenizer.bytes())) {
    write_t5_pieces(tokenizer, files);
    return;
  }
  // The token that the decoder begins with is also the padding token.
  const std::string& start =
      needed_piece(tokenizer, model.format.marks.before_target.front(), "begins a translation");
  const PairSpecialTokens& marks = model.format.marks;
  write_tokenizer_files(tokenizer, {marks.before_source, marks.after_source},
                        {{"bos_token", start}, {"pad_token", start}}, files, equal);
}

// The files but config.json; nullopt for models that are no T5.
std::optional<TextFiles> write_t5_files(const TranslationModel* model, Checkpoint& equal) {
  if (model == nullptr || !model->format.languages.empty()) return std::nullopt;
  if (model->tokenizers().size() > 1) throw ConfigError("two vocabularies");
  TextFiles files;
  files[kGenerationConfig] = write_json(generation_json(*model, kUsualLength));
  write_t5_tokenizer(*model, files, equal);
  return files;
}

}  // namespace

namespace {

// `type` and `architecture`: how transformers calls the family and its class.
std::optional<TextFiles> write_t5_type(const SavedModel& saved, Checkpoint& equal,
                                       std::string_view type, std::string_view architecture) {
  const TranslationModel* const model = as_transformer(saved);
  auto files = write_t5_files(model, equal);
  if (!files) return std::nullopt;
  const auto shape = std::get<TransformerConfig>(model->network->architecture());
  if ((type == "longt5") != (shape.attention_window > 0)) return std::nullopt;
  T5Json config = t5_config(*model, shape);
  config["model_type"] = type;
  config["architectures"] = {architecture};
  if (type == "longt5")
    config.update(
        {{"encoder_attention_type", "local"}, {"local_radius", shape.attention_window - 1}});
  if (type == "t5" || type == "longt5")
    config["scale_decoder_outputs"] = shape.output_scale != 1.0f;
  (*files)["config.json"] = write_json(config);
  return files;
}

}  // namespace

std::optional<TextFiles> write_t5(const SavedModel& saved, Checkpoint& equal) {
  return write_t5_type(saved, equal, "t5", "T5ForConditionalGeneration");
}

std::optional<TextFiles> write_mt5(const SavedModel& saved, Checkpoint& equal) {
  return write_t5_type(saved, equal, "mt5", "MT5ForConditionalGeneration");
}

std::optional<TextFiles> write_longt5(const SavedModel& saved, Checkpoint& equal) {
  return write_t5_type(saved, equal, "longt5", "LongT5ForConditionalGeneration");
}

std::optional<TextFiles> write_umt5(const SavedModel& saved, Checkpoint& equal) {
  return write_t5_type(saved, equal, "umt5", "UMT5ForConditionalGeneration");
}

}  // namespace attend
