#include "attend/tasks/language/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "attend/checkpoint/options_json.h"
#include "attend/core/counted.h"
#include "attend/core/lines.h"
#include "attend/core/option_fields.h"
#include "attend/error.h"
#include "attend/tasks/language/objective.h"
#include "attend/tasks/learned_positions.h"

namespace attend {

namespace {

std::vector<std::string> read_all(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    std::vector<std::string> more = read_lines(file);
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  require_text(lines, files);
  return lines;
}

void check(const LanguageTraining& o) {
  if (o.data.train.empty()) throw ConfigError("--train: expected the file to train on, got none");
  check_options(o.cache);
  check_options(o.loss);
  if (o.loss.output_sample > 0 && o.loss.label_smoothing != 0.0f)
    throw ConfigError("label-smoothing: expected 0 with output-sample, which has no such estimate");
  require_positions("sequence-length", o.data.windows.sequence_length, o.model);
  LanguageTransformerConfig shape = o.model;
  shape.vocab_size = o.vocabulary.vocab_size;  // that of the model is known later
  validate(shape);
  validate(o.trainer, o.model.d_model);
}

// A tokenizer, and the token that begins a text.
struct KnownVocabulary {
  Tokenizer tokenizer;
  std::int32_t first_token;
};

KnownVocabulary vocabulary_of(const LanguageModel& model) {
  return {model.tokenizer, model.first_token};
}

// The first checkpoint fixes the vocabulary and the shape of the model.
KnownVocabulary resumed_vocabulary(const Checkpoint& checkpoint,
                                   const LanguageTransformerConfig& config) {
  const LanguageModel model = language_model(checkpoint);
  require_same_model(checkpoint, options_to_json(model.network->config()), options_to_json(config));
  return vocabulary_of(model);
}

KnownVocabulary trained_vocabulary(const std::vector<std::string>& lines,
                                   const TokenizerOptions& options) {
  Tokenizer tokenizer = Tokenizer::train(lines, options);
  const std::int32_t first = tokenizer.eos_id();
  return {std::move(tokenizer), first};
}

// Half of every window is context, so that every token has some.
LanguageValidation validation_of(const LanguageText& text, const LanguageDataOptions& data) {
  const int stride = std::max(1, data.windows.sequence_length / 2);
  return {LanguageEvaluationBatcher(text.stream, data.windows, stride, data.batch), text.targets()};
}

LanguageLoss loss_of(const LanguageTraining& o, const std::vector<std::int32_t>& stream,
                     int vocab_size) {
  LanguageLoss loss{o.loss.label_smoothing, std::nullopt};
  if (o.loss.output_sample > 0)
    loss.sampler.emplace(stream, vocab_size, o.loss.output_sample, o.trainer.seed);
  return loss;
}

}  // namespace

OpenOptions adopt_model(LanguageTraining& o, const Checkpoint& checkpoint) {
  const LanguageModel model = language_model(checkpoint);
  o.model = model.network->config();
  o.vocabulary = {.type = type_of(model.tokenizer),
                  .vocab_size = model.tokenizer.vocab_size(),
                  .pretokenized = o.vocabulary.pretokenized};
  o.cache = model.cache;
  int& window = o.data.windows.sequence_length;
  if (const auto learned = static_cast<int>(o.model.learned_positions()); learned > 0)
    window = std::min(window, learned);
  return {};
}

TrainingTask prepare_training(const LanguageTraining& o, const Checkpoint* resumed) {
  check(o);
  TrainingTask task;
  task.name = LanguageTraining::kName;
  task.d_model = o.model.d_model;

  task.notes.push_back(fmt::format("model: transformer decoder, {}, d-model {}, {}",
                                   counted(o.model.n_layers, "layer"), o.model.d_model,
                                   counted(o.model.n_heads, "head")));

  const std::vector<std::string> train_files = in_folder(o.data.data, o.data.train),
                                 valid_files = in_folder(o.data.data, o.data.valid);
  require_readable(train_files);
  require_readable(valid_files);
  const std::vector<std::string> valid_lines =
      valid_files.empty() ? std::vector<std::string>() : read_all(valid_files);
  const std::vector<std::string> lines = read_all(train_files);
  const auto [tokenizer, first_token] = resumed != nullptr ? resumed_vocabulary(*resumed, o.model)
                                        : o.initial ? vocabulary_of(language_model(*o.initial))
                                                    : trained_vocabulary(lines, o.vocabulary);
  task.notes.push_back(fmt::format("vocabulary: {}", counted(tokenizer.vocab_size(), "piece")));

  LanguageTransformerConfig config = o.model;
  config.vocab_size = tokenizer.vocab_size();
  LanguageModel model{std::make_shared<LanguageTransformer>(config, o.trainer.seed), tokenizer,
                      o.data.windows, o.cache};
  model.first_token = first_token;
  if (resumed == nullptr && o.initial) copy_parameters(*o.initial, model.parameters());

  model.text_kinds = {
      {"text", kind_of(lines, tokenizer,
                       o.data.language.empty() ? language_of(o.data.train) : o.data.language)}};

  LanguageText train = encode_language(lines, tokenizer);
  task.notes.push_back(fmt::format("training text: {}", train.summary()));
  const LanguageLoss loss = loss_of(o, train.stream, config.vocab_size);
  LanguageBatcher batches(std::move(train.stream), o.data.windows, o.data.batch, o.trainer.seed);

  std::optional<LanguageValidation> validation;
  if (!o.data.valid.empty()) {
    const LanguageText text = encode_language(valid_lines, tokenizer);
    task.notes.push_back(fmt::format("validation text: {}", text.summary()));
    validation = validation_of(text, o.data);
  }

  task.objective =
      std::make_unique<LanguageObjective>(model, std::move(batches), loss, std::move(validation));
  task.model = std::make_shared<LanguageModel>(model);
  return task;
}

}  // namespace attend
