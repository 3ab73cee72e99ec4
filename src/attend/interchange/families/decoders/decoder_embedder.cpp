#include "attend/interchange/families/decoders/decoder_embedder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"
#include "attend/interchange/sentence_transformers.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

ForeignModel decoder_embedder(const ModelDirectory& directory,
                              const LanguageTransformerConfig& shape, int length, NameMap names,
                              Direction direction) {
  EncoderConfig encoder;
  static_cast<StackConfig&>(encoder) = shape;
  encoder.n_encoder_layers = shape.n_layers;
  encoder.causal = direction == Direction::before;
  encoder.vocab_size = shape.vocab_size;
  // Longer texts are truncated unless the files say another length.
  encoder.max_positions = length;
  names.rename_ours("decoder.", "encoder.");
  ForeignModel foreign{nullptr, std::move(names)};
  foreign.base = "model.";
  foreign.ignorable.push_back("lm_head.weight");
  ForeignTokenizer tokenizer = read_tokenizer_directory(
      texts_of(directory), directory.path(), {.ids = shape.vocab_size, .marks_are_ends = true});
  require_vocabulary(directory, tokenizer.tokenizer, shape.vocab_size);
  remark_fillers(tokenizer.tokenizer, foreign.remarks);
  finish_embedder(directory, encoder, std::move(tokenizer), foreign);
  return foreign;
}

namespace {

constexpr const char* kNetwork = "attend.config";

// The language model whose stack this is, for the words of its settings; it has no weights.
LanguageModel language_model_with(const EmbeddingModel& embedder) {
  const EmbedderConfig& config = embedder.network->config();
  LanguageTransformerConfig shape;
  static_cast<StackConfig&>(shape) = config;
  shape.n_layers = config.n_encoder_layers;
  shape.tied = true;
  shape.vocab_size = config.vocab_size;
  LanguageOptions context;
  context.sequence_length = config.max_positions;
  LanguageModel model(std::make_shared<LanguageTransformer>(shape), embedder.tokenizer, context);
  const SpecialTokens& special = embedder.tokenizer.special_tokens();
  model.text = {.unit = TextUnit::documents, .suffix = {special.eos}, .ends = {special.eos}};
  if (special.bos >= 0) model.text.prefix = {special.bos};
  return model;
}

void rename(Checkpoint& model, std::string_view from, std::string_view to) {
  for (NamedTensor& tensor : model.tensors)
    if (tensor.name.starts_with(from)) tensor.name.replace(0, from.size(), to);
}

void add_text_length(const TextLengthOptions& length, std::string& tokenizer_config) {
  nlohmann::ordered_json config = parse_json(tokenizer_config, "tokenizer_config.json");
  config["model_max_length"] = length.max_length;
  config["truncation_side"] =
      enum_names(length.truncation)[static_cast<std::size_t>(length.truncation)];
  tokenizer_config = write_json(config);
}

// Without what only the language model has: an output, and tokens that end what it writes.
void describe_embedder(std::string& model_config) {
  nlohmann::ordered_json config = parse_json(model_config, "config.json");
  for (const char* key : {"tie_word_embeddings", "bos_token_id", "eos_token_id"}) config.erase(key);
  config.erase("architectures");
  model_config = write_json(config);
}

}  // namespace

std::optional<TextFiles> write_decoder_embedder(const SavedModel& saved,
                                                decltype(ModelFamily::write) write_language_model,
                                                Checkpoint& equal, Direction direction) {
  const auto* const embedder = dynamic_cast<const EmbeddingModel*>(&saved);
  if (embedder == nullptr || embedder->network->config().causal != (direction == Direction::before))
    return std::nullopt;
  const LanguageModel model = language_model_with(*embedder);
  Checkpoint words = equal;
  words.metadata[kNetwork] = options_to_json(model.network->config());
  rename(words, "encoder.", "decoder.");
  std::optional<TextFiles> files = write_language_model(model, words);
  if (!files) return std::nullopt;
  // What the family says in another way.
  const auto language = read_options<LanguageTransformerConfig>(words, kNetwork);
  auto config = read_options<EmbedderConfig>(equal, kNetwork);
  static_cast<StackConfig&>(config) = language;
  equal.metadata[kNetwork] = options_to_json(config);
  rename(words, "decoder.", "encoder.");
  equal.tensors = std::move(words.tensors);
  std::erase_if(equal.tensors,
                [](const NamedTensor& tensor) { return tensor.name == "output_proj.weight"; });
  write_special_text(SpecialText::as_tokens, equal.metadata);
  describe_embedder((*files)["config.json"]);
  files->erase(kGenerationConfig);
  add_text_length(embedder->length, (*files)["tokenizer_config.json"]);
  files->merge(write_sentence_modules(modules_of(*embedder), config.d_model));
  return files;
}

}  // namespace attend
