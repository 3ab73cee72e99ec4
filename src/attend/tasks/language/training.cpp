#include "attend/tasks/language/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/tasks/language/objective.h"
#include "attend/tasks/language/training_text.h"
#include "attend/tasks/learned_positions.h"
#include "attend/train/replay_objective.h"

namespace attend {

namespace {

void check_training_text(const LanguageTraining& o) {
  if (o.data.prepared.empty()) {
    if (o.data.train.empty())
      throw OptionError<ConfigError>("{}: expected the file to train on, got none",
                                     as_flag("train"));
    return;
  }
  if (!o.data.train.empty())
    throw OptionError<ConfigError>(
        "prepared: expected either the folders that attend prepare has written or {}, got both",
        as_flag("train"));
  if (o.loss.output_sample > 0)
    throw OptionError<ConfigError>(
        "{}: expected 0 with {}, whose tokens are not counted; train from {}",
        as_key("output-sample"), as_flag("prepared"), as_flag("train"));
}

void check(const LanguageTraining& o) {
  check_training_text(o);
  check(o.data.units);
  check_options(o.cache);
  check_options(o.loss);
  check_replay(o.replay, o.initial != nullptr, !o.teachers.empty());
  if (o.loss.output_sample > 0 && o.loss.label_smoothing != 0.0f)
    throw OptionError<ConfigError>("{}: expected 0 with {}, which has no such estimate",
                                   as_key("label-smoothing"), as_key("output-sample"));
  if (o.loss.output_sample > 0 && o.is_taught())
    throw OptionError<ConfigError>("{}: expected the loss of the whole vocabulary ({} 0)",
                                   as_key("distill-weight"), as_flag("output-sample"));
  require_positions("sequence-length", o.data.windows.sequence_length, o.model);
  LanguageTransformerConfig shape = o.model;
  shape.vocab_size = o.vocabulary.vocab_size;  // that of the model is known later
  validate(shape);
  validate(o.trainer, o.model.d_model);
}

// A tokenizer, and what a text is.
struct KnownVocabulary {
  Tokenizer tokenizer;
  LanguageFormat text;
};

KnownVocabulary vocabulary_of(const LanguageModel& model) { return {model.tokenizer, model.text}; }

KnownVocabulary new_vocabulary(Tokenizer tokenizer, bool documents) {
  const std::int32_t eos = tokenizer.eos_id();
  LanguageFormat text = documents ? text_of_documents(eos) : text_of_lines(eos, eos);
  return {std::move(tokenizer), std::move(text)};
}

// Its text is read as it knows text.
void require_same_unit(const KnownVocabulary& known, bool documents, const std::string& source) {
  if (known.text.has_lines() != documents) return;
  if (documents)
    throw OptionError<ConfigError>("documents: {} was trained on lines; leave {} out", source,
                                   as_flag("documents"));
  throw ConfigError(
      fmt::format("documents: {} was trained on documents, expected true, got false", source));
}

// The first checkpoint fixes the vocabulary and the shape of the model.
KnownVocabulary resumed_vocabulary(const Checkpoint& checkpoint,
                                   const LanguageTransformerConfig& config) {
  const LanguageModel model = language_model(checkpoint);
  require_same_model(checkpoint, options_to_json(model.network->config()), options_to_json(config));
  return vocabulary_of(model);
}

// Half of every window is context, so that every token has some.
LanguageValidation validation_of(const LanguageText& text, const LanguageDataOptions& data) {
  const int stride = std::max(1, data.windows.sequence_length / 2);
  return {LanguageEvaluationBatcher(text.stream, data.windows, stride, data.batch), text.targets()};
}

// The vocabulary is that of a checkpoint, of the initial model, of a teacher or of the prepared
// text, or learned.
KnownVocabulary vocabulary_for(const LanguageTraining& o, const LanguageTrainingText& text,
                               const Checkpoint* resumed) {
  const Checkpoint* initial = o.initial            ? o.initial.get()
                              : o.teachers.empty() ? nullptr
                                                   : o.teachers.front().get();
  if (resumed == nullptr && initial == nullptr) {
    return new_vocabulary(
        text.prepared ? text.prepared->vocabularies.src
                      : learned_vocabulary(text.units, o.vocabulary, o.data.units.documents),
        o.data.units.documents);
  }
  KnownVocabulary known = resumed != nullptr ? resumed_vocabulary(*resumed, o.model)
                                             : vocabulary_of(language_model(*initial));
  const std::string& source = resumed != nullptr ? resumed->source : initial->source;
  require_same_unit(known, o.data.units.documents, source);
  if (text.prepared) require_vocabularies(*text.prepared, known.tokenizer, known.tokenizer, source);
  return known;
}

TextKind kind_for(const LanguageTraining& o, const LanguageTrainingText& text,
                  const Tokenizer& tokenizer) {
  if (!text.prepared)
    return kind_of(text.units, tokenizer,
                   o.data.language.empty() ? language_of(o.data.train) : o.data.language);
  const auto& kinds = text.prepared->manifest.text_kinds;
  const auto found = kinds.find("text");
  TextKind kind = found == kinds.end() ? TextKind{} : found->second;
  if (!o.data.language.empty()) kind.language = o.data.language;
  return kind;
}

// The teachers, or the old model as one. Throws DataError unless they have the vocabulary.
LanguageDistillation distillation_of(const LanguageTraining& o, const Tokenizer& vocabulary) {
  LanguageDistillation distillation{{}, o.replay.distill_weight};
  const auto add = [&](const Checkpoint& teacher) {
    const LanguageModel model = language_model(teacher);
    if (model.tokenizer.bytes() != vocabulary.bytes())
      throw DataError(
          fmt::format("{}: expected the vocabulary of the model that learns from it, "
                      "found another",
                      teacher.source));
    distillation.teachers.push_back(model.network);
  };
  for (const auto& teacher : o.teachers) add(*teacher);
  if (o.teachers.empty()) add(*o.initial);
  return distillation;
}

// `is_taught`: if the options say so. If there is old text, only that is.
LanguageLoss loss_of(const LanguageTraining& o, const Tokenizer& vocabulary, bool is_taught) {
  LanguageLoss loss{o.loss.label_smoothing, std::nullopt};
  if (is_taught && o.is_taught()) loss.distillation = distillation_of(o, vocabulary);
  return loss;
}

std::optional<LanguageValidation> validation_of(const std::vector<std::string>& units,
                                                const char* name, const LanguageTraining& o,
                                                const LanguageModel& model,
                                                std::vector<std::string>& notes) {
  if (units.empty()) return std::nullopt;
  const LanguageText text = encode_language(units, model.tokenizer, model.text.stream());
  notes.push_back(fmt::format("{} text: {}", name, text.summary()));
  return validation_of(text, o.data);
}

// Mixes old text into a task, and lets its validations measure it.
void replay(const LanguageTraining& o, const LanguageTrainingText& text, const LanguageModel& model,
            bool is_first, TrainingTask& task) {
  LanguageText old = encode_language(text.old.empty() ? text.old_valid : text.old, model.tokenizer,
                                     model.text.stream());
  if (!text.old.empty()) task.notes.push_back(fmt::format("old text: {}", old.summary()));
  auto of_old = std::make_unique<LanguageObjective>(
      model, LanguageBatcher(std::move(old.stream), o.data.windows, o.data.batch, o.trainer.seed),
      loss_of(o, model.tokenizer, !text.old.empty()),
      validation_of(text.old_valid, "old validation", o, model, task.notes));
  if (is_first && of_old->can_validate())
    task.notes.push_back(fmt::format("old text before training: perplexity {:.2f}",
                                     perplexity(of_old->validate().nll)));
  task.objective = std::make_unique<ReplayObjective>(std::move(task.objective), std::move(of_old),
                                                     text.old.empty() ? 0.0 : o.replay.weight);
}

}  // namespace

std::string adopt_prepared(LanguageTraining& o) {
  if (o.data.prepared.empty()) return "";
  const PreparedText text =
      open_prepared(in_folder(o.data.data, o.data.prepared), LanguageTraining::kName);
  o.vocabulary = tokenizer_options_of(text.manifest, text.vocabularies);
  o.data.units.documents = text.manifest.lines.documents > 0;
  return text.folders.front();
}

void settle_defaults(LanguageTraining& o, const IsSet& is_set) {
  settle_vocabulary(o.vocabulary, o.data.units.documents, is_set);
}

namespace {

void adopt_vocabulary_of(LanguageTraining& o, const LanguageModel& model) {
  adopt_vocabulary(o.vocabulary, model.tokenizer);
  o.data.units.documents = !model.text.has_lines();
}

}  // namespace

void adopt_vocabulary(LanguageTraining& o, const Checkpoint& teacher) {
  adopt_vocabulary_of(o, language_model(teacher));
}

OpenOptions adopt_model(LanguageTraining& o, const Checkpoint& checkpoint) {
  const LanguageModel model = language_model(checkpoint);
  o.model = model.network->config();
  adopt_vocabulary_of(o, model);
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

  const LanguageTrainingText text = read_training_text(o);
  const auto [tokenizer, text_format] = vocabulary_for(o, text, resumed);
  task.notes.push_back(fmt::format("vocabulary: {}", counted(tokenizer.vocab_size(), "piece")));

  LanguageTransformerConfig config = o.model;
  config.vocab_size = tokenizer.vocab_size();
  LanguageModel model{std::make_shared<LanguageTransformer>(config, o.trainer.seed), tokenizer,
                      o.data.windows, o.cache};
  model.text = text_format;
  if (resumed == nullptr && o.initial) copy_parameters(*o.initial, model.parameters());

  model.text_kinds = {{"text", kind_for(o, text, tokenizer)}};

  TrainingStream train = training_stream(o, text, model, task.notes);
  LanguageBatcher batches = training_batches(o, train, task.notes);
  LanguageLoss loss = loss_of(o, model.tokenizer, text.old.empty());
  loss.sampler = std::move(train.sampler);
  task.objective = std::make_unique<LanguageObjective>(
      model, std::move(batches), std::move(loss),
      validation_of(text.valid, "validation", o, model, task.notes));
  if (!text.old.empty() || !text.old_valid.empty())
    replay(o, text, model, resumed == nullptr, task);
  task.model = std::make_shared<LanguageModel>(model);
  return task;
}

}  // namespace attend
