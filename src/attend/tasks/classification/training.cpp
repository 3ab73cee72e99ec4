#include "attend/tasks/classification/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/classification/class_weights.h"
#include "attend/tasks/classification/margins.h"
#include "attend/tasks/classification/objective.h"
#include "attend/tasks/classification/soft_labels.h"
#include "attend/tasks/classification/taught_options.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/tagging/model.h"
#include "attend/train/replay_objective.h"

namespace attend {

namespace {

void check(const ClassificationTraining& o) {
  if (o.data.train.empty() && !o.has_soft_labels() && !o.has_margins())
    throw OptionError<ConfigError>("{}: expected the file to train on, got none", as_flag("train"));
  check_options(o.loss);
  require_score_of(o.model.problem_type, o.data.best_by);
  const std::string problem(
      enum_names(o.model.problem_type)[static_cast<std::size_t>(o.model.problem_type)]);
  if (o.model.problem_type != ProblemType::single_label && !o.loss.class_weights.empty())
    throw OptionError<ConfigError>("{}: works only with {} single_label, got {}",
                                   as_key("class-weights"), as_flag("problem-type"), problem);
  if (o.model.problem_type != ProblemType::multi_label &&
      o.data.columns.label_separator != LabeledOptions{}.label_separator)
    throw OptionError<ConfigError>("{}: works only with {} multi_label, got {}",
                                   as_key("label-separator"), as_flag("problem-type"), problem);
  if (o.model.problem_type == ProblemType::regression && o.loss.label_smoothing != 0.0f)
    throw OptionError<ConfigError>("{}: expected none, because a regression has no labels",
                                   as_key("label-smoothing"));
  if (o.loss.r_drop > 0.0f &&
      (o.model.problem_type != ProblemType::single_label || !o.loss.class_weights.empty()))
    throw OptionError<ConfigError>(
        "{}: expected texts with a single label and no {}, got {}", as_key("r-drop"),
        as_key("class-weights"),
        o.loss.class_weights.empty() ? option_text("{}", problem) : as_key("class-weights"));
  check_taught(o);
  check_replay(o.replay, o.initial != nullptr || o.has_soft_labels(), !o.teachers.empty());
  if (o.is_taught() && (o.model.problem_type != ProblemType::single_label ||
                        !o.loss.class_weights.empty() || o.loss.r_drop > 0.0f))
    throw OptionError<ConfigError>(
        "{}: expected texts with a single label, without {} and {}, got {}",
        as_key("distill-weight"), as_key("class-weights"), as_key("r-drop"),
        o.model.problem_type != ProblemType::single_label ? option_text("{}", problem)
        : o.loss.r_drop > 0.0f                            ? as_key("r-drop")
                                                          : as_key("class-weights"));
  require_positions("max-length", o.data.length.max_length, o.model);
}

// A classifier without its network.
struct KnownClassifier {
  ClassifierConfig config;
  Tokenizer tokenizer;
  std::vector<std::string> labels;
  TextLengthOptions length;
  bool pairs;
};

KnownClassifier known_classifier(const Checkpoint& checkpoint) {
  ClassificationModel model = classification_model(checkpoint);
  return {model.network->config(), std::move(model.tokenizer), std::move(model.labels),
          model.length, model.pairs};
}

// The first checkpoint fixes the vocabulary, the classes and the shape of the model.
Tokenizer resumed_tokenizer(const KnownClassifier& model, const Checkpoint& checkpoint,
                            const ClassificationTraining& o,
                            const std::vector<std::string>& labels) {
  require_same_model(checkpoint, options_to_json(model.config), options_to_json(o.model));
  require_same_model(checkpoint, options_to_json(model.length), options_to_json(o.data.length));
  if (model.pairs == o.data.columns.second_column.empty())
    throw OptionError<ConfigError>("{}: the model of {} takes {}", as_key("second-column"),
                                   checkpoint.source,
                                   model.pairs ? "pairs of texts" : "single texts");
  if (model.labels != labels)
    throw OptionError<ConfigError>(
        "{}: the classes were {}, are {}; the model of {} can only continue with its own",
        as_flag("resume"), printable(fmt::format("{}", fmt::join(model.labels, ", "))),
        printable(fmt::format("{}", fmt::join(labels, ", "))), checkpoint.source);
  return model.tokenizer;
}

// The targets of several labels of a text, among `classes`: class c becomes places[c].
std::vector<float> moved_targets(const std::vector<float>& targets,
                                 const std::vector<std::int32_t>& places, std::size_t classes) {
  const std::size_t texts = targets.size() / places.size();
  std::vector<float> moved(texts * classes, 0.0f);
  for (std::size_t i = 0; i < texts; ++i)
    for (std::size_t c = 0; c < places.size(); ++c)
      moved[i * classes + static_cast<std::size_t>(places[c])] = targets[i * places.size() + c];
  return moved;
}

// Gives texts the classes of a model, unless they have others; not all of its own need to occur.
void number_as(const std::vector<std::string>& labels, ProblemType problem, LabeledText& text) {
  if (problem == ProblemType::regression) {  // the name of a number is that of the model
    if (labels.size() == 1) text.classes = labels;
    return;
  }
  std::vector<std::int32_t> places;
  for (const std::string& name : text.classes) {
    const auto found = std::find(labels.begin(), labels.end(), name);
    if (found == labels.end()) return;
    places.push_back(static_cast<std::int32_t>(found - labels.begin()));
  }
  for (std::int32_t& label : text.labels) label = places[static_cast<std::size_t>(label)];
  text.targets = moved_targets(text.targets, places, labels.size());
  text.classes = labels;
}

std::string outputs_of(const ClassifierConfig& config) {
  if (config.problem_type == ProblemType::regression) return "a number";
  return config.problem_type == ProblemType::multi_label
             ? counted(config.classes, "label") + ", any number per text"
             : counted(config.classes, "class", "classes");
}

// An encoder with another head, or none.
bool needs_head(const Checkpoint& checkpoint) {
  return is_for<EmbeddingModel>(checkpoint) || is_for<TaggingModel>(checkpoint);
}

// Copies the parameters of the initial model, but those of a head for other labels. Returns a note
// on a new head, or nothing.
std::string take_parameters(const Checkpoint& initial, bool same_labels,
                            const ClassificationModel& model) {
  const ClassifierConfig& config = model.network->config();
  if (needs_head(initial)) {
    copy_parameters(initial, model.parameters(), {"head.", "output."});
    return fmt::format("labels: a new head on the encoder, with pooling {}",
                       enum_names(config.pooling)[static_cast<std::size_t>(config.pooling)]);
  }
  copy_parameters(
      initial, model.parameters(),
      same_labels ? std::vector<std::string_view>{} : std::vector<std::string_view>{"output."});
  return same_labels ? "" : "labels: they differ from the model's and get a new output layer";
}

}  // namespace

OpenOptions adopt_model(ClassificationTraining& o, const Checkpoint& checkpoint) {
  if (!needs_head(checkpoint)) {
    const ClassificationModel model = classification_model(checkpoint);
    o.model = model.network->config();
    o.model.separators = std::max(o.model.separators, 1);  // training teaches it a form of pairs
    adopt_text(o, model.tokenizer, model.length);
    return {"problem-type"};
  }
  const KnownEncoder encoder = known_encoder(checkpoint, ClassificationModel::kTask);
  adopt_encoder(o, encoder);
  o.model.bos = encoder.bos;
  if (encoder.pooling) o.model.pooling = *encoder.pooling;
  return {"pooling", "head", "output-dropout", "problem-type", "separators"};
}

void adopt_vocabulary(ClassificationTraining& o, const Checkpoint& teacher) {
  const ClassificationModel model = classification_model(teacher);
  adopt_text(o, model.tokenizer, model.length);
}

namespace {

// Labeled texts of the same classes.
struct TrainingTexts {
  LabeledText train;
  std::optional<LabeledText> valid = {}, old = {}, old_valid = {};  // none without files
  std::optional<SoftLabels> soft = {};
};

// All are read before training, so that errors show at once. `known`: its classes are those of the
// texts, if they have no others.
TrainingTexts read_texts(const ClassificationTraining& o, const KnownClassifier* known) {
  const auto files_of = [&](const std::vector<std::string>& names) {
    const std::vector<std::string> files = in_folder(o.data.data, names);
    require_readable(files);
    return files;
  };
  const std::vector<std::string> train = files_of(o.data.train), valid = files_of(o.data.valid),
                                 old = files_of(o.replay.text),
                                 old_valid = files_of(o.replay.valid);
  const ProblemType problem = o.model.problem_type;
  TrainingTexts texts;
  ExpectedLabels expected{problem};
  if (o.has_soft_labels()) {
    texts.soft.emplace(in_folder(o.data.data, {o.data.soft_labels}).front(), problem);
    expected.classes = texts.train.classes = texts.soft->labels();
  }
  if (o.has_margins()) texts.train = read_margins(in_folder(o.data.data, {o.data.margins}).front());
  if (!train.empty()) texts.train = read_labeled(train, o.data.columns, expected);
  if (known != nullptr && known->config.problem_type == problem)
    number_as(known->labels, problem, texts.train);
  const auto read = [&](const std::vector<std::string>& files) -> std::optional<LabeledText> {
    if (files.empty()) return std::nullopt;
    return read_labeled(files, o.data.columns, {problem, texts.train.classes});
  };
  texts.valid = read(valid);
  texts.old = read(old);
  texts.old_valid = read(old_valid);
  return texts;
}

// The teachers, or the old model as one. Throws ConfigError unless they have the labels and the
// vocabulary of `learner`.
ClassificationDistillation distillation_of(const ClassificationTraining& o,
                                           const ClassificationModel& learner) {
  ClassificationDistillation distillation{{}, o.replay.distill_weight};
  const auto add = [&](const Checkpoint& teacher) {
    const bool classifies = !needs_head(teacher);
    const auto model =
        classifies ? std::make_shared<const ClassificationModel>(classification_model(teacher))
                   : nullptr;
    if (!classifies || model->labels != learner.labels ||
        model->network->config().problem_type != learner.network->config().problem_type ||
        model->pairs != learner.pairs)
      throw OptionError<ConfigError>(
          "{}: expected a classifier with the same labels to learn from, got {}",
          as_key("distill-weight"), teacher.source);
    if (model->tokenizer.bytes() != learner.tokenizer.bytes())
      throw OptionError<ConfigError>(
          "{}: expected the vocabulary of the model that learns, got that of {}",
          as_key("distill-weight"), teacher.source);
    distillation.teachers.push_back(model);
  };
  for (const auto& teacher : o.teachers) add(*teacher);
  if (o.teachers.empty()) add(*o.initial);
  return distillation;
}

// `is_taught`: if the options say so. If there are old texts, only they are.
ClassificationLoss loss_of(const ClassificationTraining& o, const LabeledText& train,
                           const ClassificationModel& model, bool is_taught) {
  // The targets of soft labels are smoothed already.
  ClassificationLoss loss{o.has_soft_labels() ? 0.0f : o.loss.label_smoothing, o.loss.word_dropout,
                          class_weights(o.loss.class_weights, train), o.loss.r_drop};
  if (is_taught && o.is_taught()) loss.distillation = distillation_of(o, model);
  return loss;
}

// Encodes texts as batches for a model, and notes what they are.
struct Encoding {
  const ClassificationTraining& o;
  const ClassificationModel& model;
  std::vector<std::string>& notes;

  // With a seed for training, without for validation.
  ClassificationBatcher of(const LabeledText& texts, std::string_view name,
                           std::optional<std::uint64_t> seed) const {
    LabeledReport report;
    ClassificationBatch all = encode_labeled(texts, model.tokenizer, model.format(), report);
    notes.push_back(fmt::format("{}: {}", name, report.summary()));
    return {std::move(all), o.data.batch, seed};
  }
  std::optional<ClassificationBatcher> of_validation(const std::optional<LabeledText>& texts,
                                                     std::string_view name) const {
    if (!texts) return std::nullopt;
    return of(*texts, name, std::nullopt);
  }
};

// Mixes old texts into a task, and lets its validations measure them.
void replay(const ClassificationTraining& o, const TrainingTexts& texts,
            const ClassificationModel& model, bool is_first, TrainingTask& task) {
  const Encoding encoding{o, model, task.notes};
  ClassificationBatcher batches =
      encoding.of(texts.old ? *texts.old : *texts.old_valid, "old texts", o.trainer.seed);
  auto of_old = std::make_unique<ClassificationObjective>(
      model, std::move(batches), loss_of(o, texts.train, model, texts.old.has_value()),
      encoding.of_validation(texts.old_valid, "old validation"), o.data.best_by);
  if (is_first && of_old->can_validate()) {
    const auto [name, value] = of_old->validate().metrics.front();
    task.notes.push_back(fmt::format("old texts before training: {} {:.4f}", name, value));
  }
  task.objective = std::make_unique<ReplayObjective>(std::move(task.objective), std::move(of_old),
                                                     texts.old ? o.replay.weight : 0.0);
}

void add_soft_labels(const ClassificationTraining& o, TrainingTexts& texts, TrainingTask& task) {
  const std::size_t labeled = texts.train.texts.size();
  const std::size_t added =
      texts.soft->add_to(texts.train, {o.replay.distill_weight, o.loss.label_smoothing});
  task.notes.push_back(fmt::format("labels: {} from texts, {} from teachers",
                                   counted(static_cast<std::int64_t>(labeled), "text"), added));
}

// What a training goes on with.
struct Start {
  const Checkpoint* resumed;             // null: a new run
  std::optional<KnownClassifier> known;  // of either run; none where the model needs a head
  bool same_labels = false;              // as the texts
};

std::optional<KnownClassifier> known_classifier(const ClassificationTraining& o,
                                                const Checkpoint* resumed) {
  if (resumed != nullptr) return known_classifier(*resumed);
  if (o.initial && !needs_head(*o.initial)) return known_classifier(*o.initial);
  if (!o.initial && !o.teachers.empty()) return known_classifier(*o.teachers.front());
  return std::nullopt;
}

Tokenizer tokenizer_of(const ClassificationTraining& o, const Start& start,
                       const std::vector<std::string>& labels,
                       const std::vector<std::string>& texts) {
  if (start.resumed != nullptr) return resumed_tokenizer(*start.known, *start.resumed, o, labels);
  if (start.known) return start.known->tokenizer;
  if (o.initial) return known_encoder(*o.initial, ClassificationModel::kTask).tokenizer;
  return Tokenizer::train(texts, o.tokenizer);
}

// Adds notes on the model to the task.
ClassificationModel make_model(const ClassificationTraining& o, const Start& start,
                               const LabeledText& train, TrainingTask& task) {
  ClassifierConfig config = o.model;
  config.classes = static_cast<int>(train.classes.size());
  config.vocab_size = o.tokenizer.vocab_size;  // so far
  validate(config);
  validate(o.trainer, config.d_model);

  const bool pairs = !o.data.columns.second_column.empty();
  const std::vector<std::string> alone = pairs ? separate_texts(train.texts) : train.texts;
  const Tokenizer tokenizer = tokenizer_of(o, start, train.classes, alone);
  config.vocab_size = tokenizer.vocab_size();
  ClassificationModel model{std::make_shared<TextClassifier>(config, o.trainer.seed), tokenizer,
                            train.classes, o.data.length};
  model.pairs = pairs;
  if (start.resumed == nullptr && o.initial) {
    std::string note = take_parameters(*o.initial, start.same_labels, model);
    if (!note.empty()) task.notes.push_back(std::move(note));
  }
  model.text_kinds = {{"text", kind_of(alone, tokenizer, o.data.language)}};
  task.d_model = config.d_model;
  task.notes.push_back(encoder_note(config));
  task.notes.push_back(fmt::format("vocabulary: {}; {}{}", counted(config.vocab_size, "piece"),
                                   outputs_of(config), pairs ? "; pairs of texts" : ""));
  return model;
}

}  // namespace

TrainingTask prepare_training(const ClassificationTraining& o, const Checkpoint* resumed) {
  check(o);
  Start start{resumed, known_classifier(o, resumed)};
  TrainingTexts texts = read_texts(o, start.known ? &*start.known : nullptr);
  start.same_labels = start.known && start.known->config.problem_type == o.model.problem_type &&
                      start.known->labels == texts.train.classes;
  TrainingTask task;
  task.name = ClassificationTraining::kName;
  if (texts.soft) add_soft_labels(o, texts, task);
  const ClassificationModel model = make_model(o, start, texts.train, task);
  const Encoding encoding{o, model, task.notes};
  ClassificationBatcher batches = encoding.of(texts.train, "training", o.trainer.seed);
  ClassificationLoss loss = loss_of(o, texts.train, model, !texts.old);
  task.objective = std::make_unique<ClassificationObjective>(
      model, std::move(batches), std::move(loss), encoding.of_validation(texts.valid, "validation"),
      o.data.best_by);
  if (texts.old || texts.old_valid) replay(o, texts, model, resumed == nullptr, task);
  task.model = std::make_shared<ClassificationModel>(model);
  return task;
}

}  // namespace attend
