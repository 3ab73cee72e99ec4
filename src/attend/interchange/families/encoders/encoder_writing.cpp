#include "attend/interchange/families/encoders/encoder_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "attend/tasks/classification/model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/tagging/model.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

using EncoderJson = nlohmann::ordered_json;

// Returns what tokenizer_config.json holds beside what all families write.
nlohmann::json tokenizer_settings(const Tokenizer& tokenizer, const TextLengthOptions& length,
                                  bool has_token_types) {
  nlohmann::json inputs{"input_ids"};
  if (has_token_types) inputs.push_back("token_type_ids");
  inputs.push_back("attention_mask");
  nlohmann::json settings{
      {"model_input_names", inputs},
      {"model_max_length", length.max_length},
      {"truncation_side",
       enum_names(length.truncation)[static_cast<std::size_t>(length.truncation)]},
      {"sep_token", needed_piece(tokenizer, tokenizer.eos_id(), "ends a text")}};
  if (tokenizer.bos_id() >= 0) settings["cls_token"] = tokenizer.piece(tokenizer.bos_id());
  return settings;
}

EncoderJson network_settings(const EncoderConfig& shape, const EncoderWords& words,
                             const Tokenizer& tokenizer, std::string_view kind) {
  EncoderJson json{{"model_type", words.type},
                   {"architectures", {fmt::format("{}{}", words.class_prefix, kind)}},
                   {"vocab_size", tokenizer.vocab_size()},
                   {"pad_token_id", tokenizer.pad_id()},
                   {"dtype", "float32"}};
  json.update(words.settings(shape));
  return json;
}

void add_labels(const std::vector<std::string>& labels, EncoderJson& json) {
  EncoderJson names = EncoderJson::object(), ids = EncoderJson::object();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    names[std::to_string(i)] = labels[i];
    ids[labels[i]] = i;
  }
  json["id2label"] = names;
  json["label2id"] = ids;
}

bool has_its_tokenizer(const SavedModel& model, const EncoderWords& words) {
  if (words.tokenizers.empty()) return true;
  const TokenizerType type = type_of(model.tokenizers().front().tokenizer);
  return std::find(words.tokenizers.begin(), words.tokenizers.end(), type) !=
         words.tokenizers.end();
}

// A SentencePiece model before fairseq's order: its special pieces, then its own up to <mask>.
std::string before_fairseq_order(const Tokenizer& tokenizer) {
  constexpr std::int32_t kFairseqPieces = 4;
  std::vector<std::string> own{"<unk>", "<s>", "</s>"};
  for (std::int32_t id = kFairseqPieces; id + 1 < tokenizer.vocab_size(); ++id)
    own.push_back(tokenizer.piece(id));
  return restore_sentencepiece(tokenizer.bytes(), own);
}

// The tokenizer in the form in which it was read.
TextFiles files_of_encoder(const Tokenizer& tokenizer, const TextLengthOptions& length,
                           const EncoderWords& words, Checkpoint& equal,
                           const PairForm& pair = {}) {
  TextFiles files;
  const SpecialTokens& special = tokenizer.special_tokens();
  nlohmann::json settings =
      tokenizer_settings(tokenizer, length, words.has_token_types || pair.numbers_texts);
  const bool is_engine = detail::is_tokenizer_file(tokenizer.bytes());
  if (is_engine || !is_reordered_sentencepiece(tokenizer.bytes())) {
    TextSpecialTokens marks{{}, {special.eos}, pair};
    if (special.bos >= 0) marks.prefix = {special.bos};
    write_tokenizer_files(tokenizer, marks, settings, files, equal);
    return files;
  }
  settings["tokenizer_class"] = fmt::format("{}Tokenizer", words.class_prefix);
  files["sentencepiece.bpe.model"] = before_fairseq_order(tokenizer);
  files["tokenizer_config.json"] = write_tokenizer_config(tokenizer, settings);
  return files;
}

}  // namespace

SentenceModules modules_of(const EmbeddingModel& model) {
  const EmbedderConfig& config = model.network->config();
  SentenceModules modules{.poolings = config.poolings(),
                          .normalize = config.normalize,
                          .length = model.length.max_length,
                          .prompts = model.prompts,
                          .pools_prompt = model.pools_prompt,
                          .similarity = model.similarity};
  for (const int width : {config.dense_width, config.second_dense_width})
    if (width > 0)
      modules.dense.push_back({modules.dense.empty() ? "2_Dense" : "3_Dense", width,
                               config.dense_activation, config.dense_bias});
  return modules;
}

std::optional<TextFiles> write_encoder(const SavedModel& saved, const EncoderWords& words,
                                       Checkpoint& equal) {
  if (!has_its_tokenizer(saved, words)) return std::nullopt;
  write_special_text(SpecialText::as_tokens, equal.metadata);
  if (const auto* const model = dynamic_cast<const ClassificationModel*>(&saved)) {
    const ClassifierConfig& shape = model->network->config();
    TextFiles files = files_of_encoder(model->tokenizer, model->length, words, equal,
                                       {shape.separators, shape.token_types > 1});
    EncoderJson json =
        network_settings(shape, words, model->tokenizer, "ForSequenceClassification");
    json.emplace(words.head_dropout, shape.output_dropout);  // unless it is the network's
    if (words.head_settings != nullptr) json.update(words.head_settings(shape.head, shape.pooling));
    add_labels(model->labels, json);
    if (shape.problem_type == ProblemType::multi_label)
      json["problem_type"] = "multi_label_classification";
    const std::string_view usual =
        model->labels.size() == 1 ? ClassificationModel::kSigmoid : ClassificationModel::kIdentity;
    if (model->activation() != usual)
      json["sentence_transformers"] = {{"activation_fn", model->activation()}};
    if (shape.problem_type == ProblemType::regression && !model->cross_encoder_function)
      json["problem_type"] = "regression";
    files["config.json"] = write_json(json);
    return files;
  }
  if (const auto* const model = dynamic_cast<const TaggingModel*>(&saved)) {
    const TaggerConfig& shape = model->network->config();
    TextFiles files = files_of_encoder(model->tokenizer, {model->length.max_length}, words, equal);
    EncoderJson json = network_settings(shape, words, model->tokenizer, "ForTokenClassification");
    json.emplace(words.tagger_dropout, shape.output_dropout);
    if (words.head_settings != nullptr)
      json.update(words.head_settings(shape.head, Pooling::first));
    add_labels(model->labels, json);
    files["config.json"] = write_json(json);
    equal.metadata["attend.units"] = "tokens";
    return files;
  }
  if (const auto* const model = dynamic_cast<const EmbeddingModel*>(&saved)) {
    const EmbedderConfig& shape = model->network->config();
    TextFiles files = files_of_encoder(model->tokenizer, model->length, words, equal);
    files["config.json"] = write_json(network_settings(shape, words, model->tokenizer, "Model"));
    files.merge(write_sentence_modules(modules_of(*model), shape.d_model));
    return files;
  }
  return std::nullopt;
}

}  // namespace attend
