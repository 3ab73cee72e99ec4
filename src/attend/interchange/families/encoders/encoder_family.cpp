#include "attend/interchange/families/encoders/encoder_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/sentence_transformers.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/models/text_classifier.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/tagging/model.h"

namespace attend {

namespace {

// The class that wrote the directory; empty if it does not say.
std::string architecture_of(ForeignConfig& config) {
  if (!config.has("architectures")) return "";
  const std::vector<std::string> classes = config.texts("architectures");
  return classes.empty() ? "" : classes.front();
}

enum class EncoderKind { embedder, classifier, tagger };

// Throws DataError for what is none of these.
EncoderKind kind_of_model(ForeignConfig& config) {
  const std::string architecture = architecture_of(config);
  if (architecture.ends_with("ForSequenceClassification")) return EncoderKind::classifier;
  if (architecture.ends_with("ForTokenClassification")) return EncoderKind::tagger;
  const bool is_encoder = architecture.empty() || architecture.ends_with("Model") ||
                          architecture.ends_with("ForMaskedLM") ||
                          architecture.ends_with("ForPreTraining");
  if (!is_encoder)
    config.refuse("architectures",
                  "supported: encoders and models for sequence and token classification");
  return EncoderKind::embedder;
}

std::vector<std::string> read_labels(ForeignConfig& config) {
  std::vector<std::string> labels;
  if (config.has("id2label")) {
    ForeignConfig& names = config.object("id2label");
    const std::size_t count = names.keys().size();
    for (std::size_t i = 0; i < count; ++i) labels.push_back(names.text(std::to_string(i)));
  } else {
    const std::int64_t count = config.integer_or("num_labels", 2, between(1, 1e6));
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  }
  return labels;
}

// The function that sentence-transformers has set for the outputs, by its name in PyTorch.
std::string read_activation(ForeignConfig& config, const CrossEncoderModules& modules) {
  constexpr const char* kSettings = "sentence_transformers";
  std::string name = config.text_or("sbert_ce_default_activation_function", "");
  if (config.has(kSettings)) {
    ForeignConfig& settings = config.object(kSettings);
    settings.ignore({"version"});
    name = settings.text_or("activation_fn", name);
  }
  return modules.activation.empty() ? name : modules.activation;
}

// Sets what becomes of the outputs. A cross-encoder is a model with one output and no type of
// problem, to whose output transformers applies a sigmoid. CrossEncoder of sentence-transformers
// applies one to any model with one output, and knows only the functions of PyTorch.
void set_activation(const ModelDirectory& directory, ForeignConfig& config, const std::string& name,
                    ClassificationModel& model) {
  if (model.labels.size() == 1 && !config.has("problem_type")) {
    if (!name.empty() && !name.ends_with(".Sigmoid") && !name.ends_with(".Identity"))
      throw DataError(
          fmt::format("{}: sentence_transformers: the activation_fn {} is not supported; Sigmoid "
                      "and Identity of torch.nn.modules are",
                      directory.path(), quote(name)));
    model.cross_encoder_function =
        name.ends_with(".Identity") ? OutputFunction::none : OutputFunction::sigmoid;
    return;
  }
  const std::string usual = model.activation();
  model.saved_activation = name.starts_with("torch.") ? name
                           : model.labels.size() == 1 ? ClassificationModel::kSigmoid
                                                      : ClassificationModel::kIdentity;
  if (model.saved_activation == usual) model.saved_activation.clear();
}

// As transformers takes it: without a type, a model with one output gives a number.
ProblemType read_problem_type(ForeignConfig& config, std::size_t outputs) {
  constexpr std::size_t kUnsaid = 3;
  const std::size_t type =
      config.choice_or("problem_type", kUnsaid,
                       {"single_label_classification", "multi_label_classification", "regression"});
  const ProblemType problem =
      type == kUnsaid ? (outputs == 1 ? ProblemType::regression : ProblemType::single_label)
                      : std::array{ProblemType::single_label, ProblemType::multi_label,
                                   ProblemType::regression}[type];
  if (problem == ProblemType::regression && outputs != 1)
    config.refuse("problem_type", "a regression of several numbers is not supported");
  if (problem == ProblemType::single_label && outputs < 2)
    config.refuse("problem_type", "expected at least two labels to choose from, found one");
  return problem;
}

TextLengthOptions read_text_length(const ModelDirectory& directory, int positions) {
  TextLengthOptions length{.max_length = positions};
  constexpr const char* kFile = "tokenizer_config.json";
  if (!directory.contains(kFile)) return length;
  ForeignConfig options =
      ForeignConfig::from_json(directory.text(kFile), directory.path() + "/" + kFile);
  length.truncation = std::array{Truncation::right, Truncation::left}.at(
      options.choice_or("truncation_side", 0, {"right", "left"}));
  if (!options.has("model_max_length")) return length;
  const double most = options.number("model_max_length", between(3, 1e40));  // 1e30: no limit
  length.max_length = static_cast<int>(std::min(most, static_cast<double>(positions)));
  return length;
}

// Returns the names of weights that are still to be written, or that have no prefix.
NameMap names_to_write(const EncoderFamily& family, EncoderKind kind) {
  NameMap names({});
  names.add(family.encoder, kind == EncoderKind::embedder ? "" : family.prefix);
  return names;
}

NameMap names_in(const ModelDirectory& directory, const EncoderFamily& family) {
  const TensorTable weights = open_huggingface_weights(directory);
  const auto is_in_file = [&](const ForeignTensor& tensor) {
    return tensor.name.starts_with(family.prefix);
  };
  const auto is_older = [](const ForeignTensor& tensor) {
    return tensor.name.ends_with(".LayerNorm.gamma");
  };
  const auto& tensors = weights.tensors();
  const std::string prefix(std::any_of(tensors.begin(), tensors.end(), is_in_file) ? family.prefix
                                                                                   : "");
  NameMap names({});
  if (std::any_of(tensors.begin(), tensors.end(), is_older)) names.add(family.older_norms, prefix);
  names.add(family.encoder, prefix);
  return names;
}

std::shared_ptr<SavedModel> classifier(const ModelDirectory& directory, ForeignConfig& config,
                                       const EncoderConfig& shape, const EncoderFamily& family,
                                       ForeignTokenizer foreign) {
  std::vector<std::string> labels = read_labels(config);
  ClassifierConfig whole;
  static_cast<EncoderConfig&>(whole) = shape;
  whole.pooling = family.pooling;
  whole.head = family.head_options;
  whole.bos = whole.pooling != Pooling::first;
  whole.problem_type = read_problem_type(config, labels.size());
  whole.separators = foreign.pair.separators;
  // Both texts of a pair have the first type if the tokenizer says no more.
  if (whole.token_types > 1 && whole.separators > 0 && !foreign.pair.numbers_texts)
    whole.token_types = 1;
  whole.output_dropout =
      static_cast<float>(config.number_or(family.head_dropout, shape.dropout, dropout_shares()));
  whole.classes = static_cast<int>(labels.size());
  TextLengthOptions length = read_text_length(directory, shape.max_positions);
  CrossEncoderModules modules{.length = length.max_length};
  read_cross_encoder_modules(directory, modules);
  length.max_length = std::min(modules.length, shape.max_positions);
  auto model = std::make_shared<ClassificationModel>(std::make_shared<TextClassifier>(whole),
                                                     std::move(foreign.tokenizer),
                                                     std::move(labels), length);
  set_activation(directory, config, read_activation(config, modules), *model);
  model->special_text = SpecialText::as_tokens;
  return model;
}

constexpr std::array kTaggerHead{NameRule{"output.*", "classifier.*"}};

std::shared_ptr<SavedModel> tagger(const ModelDirectory& directory, ForeignConfig& config,
                                   const EncoderConfig& shape, const EncoderFamily& family,
                                   Tokenizer tokenizer) {
  std::vector<std::string> labels = read_labels(config);
  if (labels.size() < 2)
    config.refuse(config.has("id2label") ? "id2label" : "num_labels", "expected at least two tags");
  TaggerConfig whole;
  static_cast<EncoderConfig&>(whole) = shape;
  whole.head = family.tagger_head_options;
  whole.output_dropout =
      static_cast<float>(config.number_or(family.tagger_dropout, shape.dropout, dropout_shares()));
  whole.tags = static_cast<int>(labels.size());
  const TextLengthOptions length = read_text_length(directory, shape.max_positions);
  if (length.truncation == Truncation::left)
    throw DataError(directory.path() +
                    "/tokenizer_config.json: truncation_side: left is not "
                    "supported for models that classify tokens");
  auto model =
      std::make_shared<TaggingModel>(std::make_shared<TokenTagger>(whole), std::move(tokenizer),
                                     std::move(labels), TaggedLength{length.max_length});
  model->units = TaggedUnits::tokens;
  model->special_text = SpecialText::as_tokens;
  return model;
}

}  // namespace

void require_marks(const ModelDirectory& directory, const ForeignTokenizer& foreign) {
  const SpecialTokens& special = foreign.tokenizer.special_tokens();
  const std::vector<std::int32_t> before =
      special.bos < 0 ? std::vector<std::int32_t>() : std::vector{special.bos};
  if (foreign.prefix != before || foreign.suffix != std::vector{special.eos})
    throw DataError(
        fmt::format("{}: expected a tokenizer that puts {} before a text and one after "
                    "it",
                    directory.path(), special.bos < 0 ? "no token" : "one token"));
}

void set_vocabulary(const ModelDirectory& directory, const Tokenizer& tokenizer,
                    EncoderConfig& shape, ForeignModel& foreign) {
  const int embeddings = shape.vocab_size;
  shape.vocab_size = tokenizer.vocab_size();
  if (shape.vocab_size > embeddings) require_vocabulary(directory, tokenizer, embeddings);
  if (shape.vocab_size < embeddings)
    foreign.remarks.push_back(
        fmt::format("{} embeddings without a token are left out", embeddings - shape.vocab_size));
}

void finish_embedder(const ModelDirectory& directory, const EncoderConfig& shape,
                     ForeignTokenizer tokenizer, ForeignModel& foreign) {
  require_marks(directory, tokenizer);
  TextLengthOptions length = read_text_length(directory, shape.max_positions);
  SentenceModules modules{.length = length.max_length};
  if (is_sentence_transformer(directory)) {
    read_sentence_modules(directory, shape.d_model, modules);
  } else {
    foreign.remarks.emplace_back(
        "the directory has no modules.json, which says how a text becomes one vector; the mean of "
        "the tokens is used, not normalized");
  }
  EmbedderConfig whole;
  static_cast<EncoderConfig&>(whole) = shape;
  whole.pooling = modules.poolings.front();
  for (std::size_t i = 1; i < modules.poolings.size(); ++i)
    whole.more_pooling.emplace_back(
        enum_names(Pooling{})[static_cast<std::size_t>(modules.poolings[i])]);
  whole.normalize = modules.normalize;
  for (std::size_t i = 0; i < modules.dense.size(); ++i) {
    const DenseModule& dense = modules.dense[i];
    (i == 0 ? whole.dense_width : whole.second_dense_width) = dense.width;
    whole.dense_activation = dense.activation;
    whole.dense_bias = dense.bias;
    const std::string theirs = dense.folder + "/linear.*";
    foreign.names.add(std::array{NameRule{i == 0 ? "dense.*" : "second_dense.*", theirs}});
    foreign.folders.push_back(dense.folder);
  }
  length.max_length = modules.length;
  if (shape.learned_positions() > 0)
    length.max_length = std::min(length.max_length, shape.max_positions);
  auto model = std::make_shared<EmbeddingModel>(std::make_shared<TextEmbedder>(whole),
                                                std::move(tokenizer.tokenizer), length);
  model->prompts = std::move(modules.prompts);
  model->pools_prompt = modules.pools_prompt;
  model->similarity = modules.similarity;
  model->special_text = SpecialText::as_tokens;
  foreign.model = std::move(model);
}

void ignore_encoder_settings(ForeignConfig& config) {
  ignore_common_settings(config);
  for (const char* other : {"is_decoder", "add_cross_attention", "is_encoder_decoder"})
    config.require(other, false);
  config.require("pruned_heads", nlohmann::json::object());
  config.ignore({"problem_type", "initializer_range", "finetuning_task", "tie_word_embeddings",
                 "torchscript", "use_bfloat16", "output_attentions", "output_hidden_states",
                 "return_dict", "chunk_size_feed_forward", "_num_labels", "bos_token_id",
                 "eos_token_id", "pad_token_id", "sep_token_id", "cls_token_id", "mask_token_id"});
}

ForeignModel finish_encoder(const ModelDirectory& directory, ForeignConfig& config,
                            const EncoderConfig& shape, const EncoderFamily& family,
                            ForeignTokenizer tokenizer) {
  require_marks(directory, tokenizer);
  const EncoderKind kind = kind_of_model(config);
  const bool are_known = directory.is_in_memory() || family.prefix.empty();
  ForeignModel foreign{nullptr,
                       are_known ? names_to_write(family, kind) : names_in(directory, family)};
  foreign.ignorable.assign(family.ignorable.begin(), family.ignorable.end());
  EncoderConfig own = shape;
  set_vocabulary(directory, tokenizer.tokenizer, own, foreign);
  if (kind == EncoderKind::tagger) {
    foreign.names.add(family.tagger_head.empty() ? std::span(kTaggerHead) : family.tagger_head);
    foreign.model = tagger(directory, config, own, family, std::move(tokenizer.tokenizer));
  } else if (kind == EncoderKind::classifier) {
    foreign.names.add(family.head);
    foreign.model = classifier(directory, config, own, family, std::move(tokenizer));
  } else {
    finish_embedder(directory, own, std::move(tokenizer), foreign);
  }
  return foreign;
}

}  // namespace attend
