#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/chat_format.h"
#include "attend/interchange/families/decoders/decoder_embedder.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/generation.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/interchange/sentence_transformers.h"

namespace attend {

void ignore_common_settings(ForeignConfig& config) {
  config.ignore({"architectures",     "transformers_version",
                 "torch_dtype",       "dtype",
                 "use_cache",         "init_std",
                 "_name_or_path",     "tokenizer_class",
                 "name_or_path",      "gradient_checkpointing",
                 "is_decoder",        "is_encoder_decoder",
                 "output_past",       "max_length",
                 "num_hidden_layers", "encoder_layerdrop",
                 "decoder_layerdrop", "classifier_dropout",
                 "classif_dropout",   "task_specific_params",
                 "id2label",          "label2id",
                 "num_labels"});
}

namespace {

// Where several names mean one activation, the first is written.
constexpr std::pair<std::string_view, Activation> kActivationNames[] = {
    {"relu", Activation::relu},           {"gelu", Activation::gelu},
    {"gelu_python", Activation::gelu},    {"tanh", Activation::tanh},
    {"silu", Activation::swish},          {"swish", Activation::swish},
    {"gelu_new", Activation::gelu_tanh},  {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh}, {"quick_gelu", Activation::quick_gelu},
    {"linear", Activation::none}};

}  // namespace

std::optional<Activation> activation_named(std::string_view wanted) {
  for (const auto& [name, activation] : kActivationNames) {
    if (name == wanted) return activation;
  }
  return std::nullopt;
}

Activation read_activation(ForeignConfig& config, std::string_view key) {
  const auto activation = activation_named(config.text(key));
  if (!activation)
    config.refuse(key, "supported: relu, gelu, tanh, swish, gelu_new, quick_gelu and linear");
  return *activation;
}

std::string_view write_activation(Activation wanted) {
  for (const auto& [name, activation] : kActivationNames) {
    if (activation == wanted) return name;
  }
  throw Error("an activation that transformers has no name for");
}

namespace {

// 0.1f is the double 0.10000000149011612, and written as 0.1.
void shorten_floats(nlohmann::ordered_json& json) {
  if (json.is_structured()) {
    for (nlohmann::ordered_json& member : json) shorten_floats(member);
  } else if (json.is_number_float()) {
    const auto value = json.get<float>();
    const double shortest = json_number(value);
    if (json.get<double>() == double{value} && static_cast<float>(shortest) == value)
      json = shortest;
  }
}

}  // namespace

std::string write_json(nlohmann::ordered_json json) {
  shorten_floats(json);
  return json.dump(2) + "\n";
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
  ForeignTokenizer read =
      read_tokenizer_directory(texts_of(directory), directory.path(), {.ids = embeddings});
  if (embeddings > 0) require_vocabulary(directory, read.tokenizer, embeddings);
  return read;
}

void require_vocabulary(const ModelDirectory& directory, const Tokenizer& tokenizer, int size) {
  if (tokenizer.vocab_size() != size)
    throw DataError(fmt::format("{}: the model has {} embeddings, its tokenizer {} pieces",
                                directory.path(), size, tokenizer.vocab_size()));
}

void refuse_added_tokens(const ModelDirectory& directory, const VocabularyOrder& known) {
  const SpecialPieces& special = known.special;
  const auto check = [&](const std::string& text) {
    const bool is_known =
        std::find(known.controls.begin(), known.controls.end(), text) != known.controls.end() ||
        text == special.bos || text == special.eos || text == special.pad || text == special.unk;
    if (!is_known)
      throw DataError(
          fmt::format("{}: its tokenizer adds the token {}, which is not supported with this class",
                      directory.path(), quote(text)));
  };
  const auto check_all = [&](const nlohmann::json& tokens) {
    for (const nlohmann::json& token : tokens) {
      if (token.is_string()) check(token.get<std::string>());
      if (token.is_object()) check(token.value("content", ""));
    }
  };
  for (const char* name :
       {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
    if (!directory.contains(name)) continue;
    const nlohmann::json json =
        parse_sorted_json(directory.text(name), directory.path() + "/" + name);
    if (name == std::string_view("added_tokens.json"))
      for (const auto& [text, id] : json.items()) check(text);
    for (const char* list :
         {"added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"})
      if (json.is_object() && json.contains(list) && json[list].is_structured())
        check_all(json[list]);
  }
}

std::vector<std::int32_t> fillers_of(const Tokenizer& tokenizer) {
  std::vector<std::int32_t> fillers;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    if (tokenizer.piece(id) == filler_piece(id)) fillers.push_back(id);
  return fillers;
}

void remark_fillers(const Tokenizer& tokenizer, std::vector<std::string>& remarks) {
  if (const std::size_t fillers = fillers_of(tokenizer).size(); fillers > 0)
    remarks.push_back(
        fmt::format("{} of the {} embeddings belong to no piece of the tokenizer; placeholder "
                    "pieces were added for them",
                    fillers, tokenizer.vocab_size()));
}

void remark_unknown_pieces(std::string_view name, std::string_view bytes,
                           const VocabularyOrder& order, std::vector<std::string>& remarks) {
  const std::int64_t unknown = count_pieces_without_id(bytes, order);
  if (unknown > 0)
    remarks.push_back(fmt::format("{} of {} {} no id and {} unknown", counted(unknown, "piece"),
                                  name, unknown == 1 ? "has" : "have",
                                  unknown == 1 ? "becomes" : "become"));
}

namespace {

// The names of tensors that hold a tokenizer: those of a joint vocabulary, or of a single text.
constexpr std::string_view kTokenizerTensor = "tokenizer";

}  // namespace

void write_tokenizer_files(const Tokenizer& tokenizer, const TextSpecialTokens& marks,
                           const nlohmann::json& settings, TextFiles& files, Checkpoint& equal) {
  files["tokenizer.json"] = write_tokenizer_json(tokenizer, marks);
  files["tokenizer_config.json"] = write_tokenizer_config(tokenizer, settings);
  const Tokenizer written = read_tokenizer_of(ModelDirectory("its tokenizer", files)).tokenizer;
  if (written.bytes() == tokenizer.bytes()) return;
  require_same_tokens(tokenizer, written);
  for (NamedTensor& tensor : equal.tensors)
    if (tensor.name == kTokenizerTensor) tensor.tensor = bytes_tensor(written.bytes());
}

namespace {

// Marks a model of lines that was exported: other programs know nothing of lines.
constexpr const char* kTextUnit = "text_unit";
constexpr const char* kLines = "lines";

// Sets what a text is for the model, and how it is continued.
void read_text_settings(const ModelDirectory& directory, ForeignConfig& config,
                        const ForeignTokenizer& tokenizer, LanguageModel& model) {
  config.require(kTextUnit, kLines);
  LanguageGeneration generation = read_language_generation(directory, model.tokenizer.vocab_size());
  model.generation = generation.defaults;
  if (config.has(kTextUnit)) {
    const std::int32_t eos = model.tokenizer.eos_id();
    model.text = text_of_lines(tokenizer.prefix.empty() ? eos : tokenizer.prefix.front(), eos);
    return;
  }
  model.text = {.unit = TextUnit::documents,
                .prefix = tokenizer.prefix,
                .suffix = tokenizer.suffix,
                .start = generation.start,
                .ends = std::move(generation.ends),
                .forbidden = std::move(generation.forbidden)};
}

}  // namespace

ForeignModel language_model_of(const ModelDirectory& directory, ForeignConfig& config,
                               LanguageTransformerConfig shape, int length, NameMap names) {
  if (is_sentence_transformer(directory))
    return decoder_embedder(directory, shape, length, std::move(names));
  shape.tied = shape.tied && !has_own_output(directory, names);
  ForeignModel foreign{nullptr, std::move(names)};
  foreign.base = "model.";
  ForeignTokenizer read = read_tokenizer_of(directory, shape.vocab_size);
  remark_fillers(read.tokenizer, foreign.remarks);
  if (shape.tied) foreign.ignorable.push_back("lm_head.weight");
  if (read.tokenizer.eos_id() < 0)
    throw DataError(directory.path() + ": the tokenizer names no token that ends a text");
  LanguageOptions context;
  context.sequence_length = length;
  LanguageModel model(std::make_shared<LanguageTransformer>(shape), read.tokenizer, context);
  read_text_settings(directory, config, read, model);
  model.chat = read_chat_format(directory, model.tokenizer, foreign.remarks);
  foreign.model = std::make_shared<LanguageModel>(std::move(model));
  return foreign;
}

nlohmann::ordered_json language_config(std::string_view type, std::string_view architecture,
                                       const LanguageModel& model,
                                       const LanguageTransformerConfig& shape) {
  nlohmann::ordered_json config{{"model_type", type},
                                {"architectures", {architecture}},
                                {"vocab_size", model.tokenizer.vocab_size()},
                                {"tie_word_embeddings", shape.tied},
                                {"dtype", "float32"}};
  const nlohmann::ordered_json generation = generation_json(model);
  for (const char* id : {"bos_token_id", "eos_token_id"}) config[id] = generation[id];
  if (model.text.has_lines()) config[kTextUnit] = kLines;
  return config;
}

TextFiles write_language_files(const LanguageModel& model, const nlohmann::ordered_json& config,
                               Checkpoint& equal) {
  TextFiles files;
  files["config.json"] = write_json(config);
  files[kGenerationConfig] = write_json(generation_json(model));
  const nlohmann::json settings =
      model.chat ? chat_settings(*model.chat, model.tokenizer) : nlohmann::json();
  write_tokenizer_files(model.tokenizer, {.prefix = model.text.prefix, .suffix = model.text.suffix},
                        settings, files, equal);
  return files;
}

}  // namespace attend
