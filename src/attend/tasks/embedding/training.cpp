#include "attend/tasks/embedding/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

// What a training starts from or goes on with.
struct KnownText {
  Tokenizer tokenizer;
  TextPrompts prompts;
};

void check(const EmbeddingTraining& o) {
  if (o.data.train.empty() && o.data.vectors.empty())
    throw OptionError<ConfigError>("{}: expected the file to train on, got none", as_flag("train"));
  if (!o.data.vectors.empty() && !o.data.train.empty())
    throw OptionError<ConfigError>("{}: expected no {} beside it", as_key("vectors"),
                                   as_flag("train"));
  if (!o.data.vectors.empty() && !o.loss.matryoshka.empty())
    throw OptionError<ConfigError>("{}: does not work with {}, whose vectors have one width",
                                   as_key("matryoshka"), as_flag("vectors"));
  if (o.data.vectors.empty() && o.loss.vector_loss != VectorLoss::squared_error)
    throw OptionError<ConfigError>("{}: works only with {}", as_key("vector-loss"),
                                   as_flag("vectors"));
  const bool finds = o.data.best_by == EmbeddingScore::recall ||
                     o.data.best_by == EmbeddingScore::mrr ||
                     o.data.best_by == EmbeddingScore::ndcg;
  if (finds && o.data.valid.empty() && !o.data.valid_scored.empty())
    throw OptionError<ConfigError>("{}: retrieval is measured on {}, got none", as_key("best-by"),
                                   as_flag("valid"));
  if (o.data.best_by == EmbeddingScore::spearman && o.data.valid_scored.empty() &&
      !o.data.valid.empty())
    throw OptionError<ConfigError>("{}: the correlation is measured on {}, got none",
                                   as_key("best-by"), as_flag("valid-scored"));
  check_options(o.loss);
  require_positions("max-length", o.data.length.max_length, o.model);
}

constexpr std::string_view kInitialTasks = "embedding or classification";

// Reads an initial model or a checkpoint of this run.
KnownText known_text(const Checkpoint& checkpoint) {
  if (!is_for<EmbeddingModel>(checkpoint))
    return {known_encoder(checkpoint, kInitialTasks).tokenizer, {}};
  const EmbeddingModel model = embedding_model(checkpoint);
  return {model.tokenizer, model.prompts};
}

void require_same_run(const Checkpoint& resumed, const EmbeddingTraining& o) {
  const EmbeddingModel model = embedding_model(resumed);
  require_same_model(resumed, options_to_json(model.network->config()), options_to_json(o.model));
  require_same_model(resumed, options_to_json(model.length), options_to_json(o.data.length));
}

std::vector<std::int64_t> widths_of(const std::vector<std::string>& texts, int whole) {
  std::vector<std::int64_t> widths;
  for (const std::string& text : texts) {
    int width = 0;
    set_option({"matryoshka", "", &width, between(1, 65536)}, std::span(&text, 1), "matryoshka");
    if (width >= whole)
      throw ConfigError(fmt::format(
          "matryoshka: expected widths below that of the vectors, {}, got {}", whole, width));
    if (std::find(widths.begin(), widths.end(), width) != widths.end())
      throw ConfigError(fmt::format("matryoshka: expected every width once, got {} twice", width));
    widths.push_back(width);
  }
  return widths;
}

// The tokens of texts as the model reads them; adds to `report`.
Ragged tokens_of(const std::vector<std::string>& texts, const EmbeddingModel& model,
                 LabeledReport& report) {
  const auto found = model.prompts.texts.find(model.prompts.usual);
  LabeledText all;
  all.texts = texts;
  if (found != model.prompts.texts.end())
    for (std::string& text : all.texts) text.insert(0, found->second);
  return encode_labeled(all, model.tokenizer, {model.special(), model.length}, report).text;
}

std::string summary_of(const RelatedTexts& related, const TupleBatcher& batches,
                       const LabeledReport& report) {
  const bool triplets = !related.tuples.empty() && related.tuples.front().negative >= 0;
  std::string text = counted(batches.tuples(), triplets ? "triplet" : "pair");
  text += " of " + report.summary();
  if (related.repeated > 0) text += fmt::format("; {} repeated", counted(related.repeated, "line"));
  return text;
}

// Throws DataError unless a teacher of vectors has written them.
std::shared_ptr<const TaughtTexts> taught_vectors(const EmbeddingTraining& o) {
  auto taught =
      std::make_shared<const TaughtTexts>(in_folder(o.data.data, {o.data.vectors}).front());
  if (taught->kind().kind != kTaughtVectors)
    throw DataError(fmt::format("{}: expected vectors, found {}", printable(taught->folder(), 500),
                                taught->kind().kind));
  return taught;
}

class Preparation {
 public:
  explicit Preparation(const EmbeddingTraining& o)
      : o_(o),
        train_(in_folder(o.data.data, o.data.train)),
        valid_(in_folder(o.data.data, o.data.valid)),
        scored_(in_folder(o.data.data, o.data.valid_scored)) {
    for (const auto* files : {&train_, &valid_, &scored_}) require_readable(*files);
  }

  // All files, so that errors show at once.
  void read() {
    if (!o_.data.vectors.empty())
      taught_ = taught_vectors(o_);
    else
      related_ = read_related(train_, o_.data.columns);
    if (!valid_.empty()) held_out_ = read_related(valid_, o_.data.columns);
    if (!scored_.empty()) scored_texts_ = read_scored(scored_, o_.data.columns);
  }
  const std::vector<std::string>& texts() const {
    return taught_ ? taught_->texts() : related_.texts;
  }

  std::unique_ptr<EmbeddingGoal> goal(const EmbeddingModel& model, const ContrastiveLoss& loss,
                                      TrainingTask& task) const {
    if (!taught_) return std::make_unique<RelatedGoal>(training(model, task), loss);
    if (const int width = model.network->config().vector_width(); width != taught_->width())
      throw OptionError<ConfigError>(
          "{}: expected vectors of the model's width, {}, found {} elements in {}; {} {} gives the "
          "model a layer of that width",
          as_key("vectors"), width, taught_->width(), printable(taught_->folder(), 500),
          as_flag("dense-width"), taught_->width());
    LabeledReport report;
    Ragged tokens = tokens_of(taught_->texts(), model, report);
    task.notes.push_back(fmt::format("training: the vectors of {}", report.summary()));
    return std::make_unique<VectorGoal>(std::move(tokens), taught_, o_.loss.vector_loss,
                                        o_.data.batch, o_.trainer.seed);
  }

  // Throws ConfigError if nothing can be learned, because no text has a wrong answer in its batch.
  TupleBatcher training(const EmbeddingModel& model, TrainingTask& task) const {
    TupleBatcher result = batches(related_, model, "training", o_.trainer.seed, task);
    if (result.tuples() == 1 && o_.data.columns.relation != TextRelation::triplets)
      throw DataError("the training text has one pair of texts, expected at least two");
    if (!result.has_wrong_answers())
      throw OptionError<ConfigError>(
          "{}: expected batches with negatives, found none in {}; a batch needs room for two "
          "pairs, with different labels if texts have labels",
          as_key("batch-tokens"), counted(o_.data.batch.batch_tokens, "token"));
    return result;
  }
  EmbeddingValidation validation(const EmbeddingModel& model, const ContrastiveLoss& loss,
                                 TrainingTask& task) {
    EmbeddingValidation result;
    result.best_by = o_.data.best_by;
    result.batch_tokens = o_.data.batch.batch_tokens;
    if (held_out_)
      result.related.emplace(
          EmbeddingValidation::Related{batches(*held_out_, model, "validation", std::nullopt, task),
                                       retrieval_of(*held_out_), loss});
    if (scored_texts_) {
      LabeledReport report;
      Ragged tokens = tokens_of(scored_texts_->texts, model, report);
      task.notes.push_back(fmt::format(
          "scored: {} of {}", counted(std::ssize(scored_texts_->pairs), "pair"), report.summary()));
      result.scored.emplace(
          EmbeddingValidation::Scored{std::move(*scored_texts_), std::move(tokens)});
    }
    return result;
  }

 private:
  TupleBatcher batches(const RelatedTexts& related, const EmbeddingModel& model, const char* name,
                       std::optional<std::uint64_t> seed, TrainingTask& task) const {
    LabeledReport report;
    TupleBatcher result(tokens_of(related.texts, model, report), related, o_.data.batch, seed);
    task.notes.push_back(fmt::format("{}: {}", name, summary_of(related, result, report)));
    return result;
  }

  const EmbeddingTraining& o_;
  std::vector<std::string> train_, valid_, scored_;  // files
  RelatedTexts related_;
  std::shared_ptr<const TaughtTexts> taught_;  // instead of these, or null
  std::optional<RelatedTexts> held_out_;
  std::optional<ScoredTexts> scored_texts_;
};

void add_notes(const EmbedderConfig& config, TrainingTask& task) {
  task.notes.push_back(encoder_note(config));
  std::string pooling(enum_names(config.pooling)[static_cast<std::size_t>(config.pooling)]);
  for (const std::string& more : config.more_pooling) pooling += " and " + more;
  task.notes.push_back(
      fmt::format("vocabulary: {}; pooling {}{}{}", counted(config.vocab_size, "piece"), pooling,
                  config.dense_width > 0 ? fmt::format(", a layer of {}", config.dense_width) : "",
                  config.normalize ? ", vectors of length 1" : ""));
}

}  // namespace

void settle_defaults(EmbeddingTraining& o, const IsSet& is_set) {
  if (o.data.vectors.empty() || !o.data.train.empty()) return;
  if (is_set("dense-width") || is_set("second-dense-width")) return;
  const std::int64_t width = taught_vectors(o)->width();
  if (width == o.model.vector_width()) return;
  o.model.dense_width = static_cast<int>(width);
  if (!is_set("dense-activation")) o.model.dense_activation = Activation::none;
}

OpenOptions adopt_model(EmbeddingTraining& o, const Checkpoint& checkpoint) {
  if (is_for<EmbeddingModel>(checkpoint)) {
    const EmbeddingModel model = embedding_model(checkpoint);
    o.model = model.network->config();
    adopt_text(o, model.tokenizer, model.length);
  } else {
    const KnownEncoder encoder = known_encoder(checkpoint, kInitialTasks);
    adopt_encoder(o, encoder);
    o.model.more_pooling.clear();
    o.model.dense_width = o.model.second_dense_width = 0;
    if (encoder.pooling) o.model.pooling = *encoder.pooling;
  }
  return {"pooling", "normalize"};
}

TrainingTask prepare_training(const EmbeddingTraining& o, const Checkpoint* resumed) {
  check(o);
  Preparation texts(o);
  texts.read();
  TrainingTask task;
  task.name = EmbeddingTraining::kName;
  EmbedderConfig config = o.model;
  config.vocab_size = o.tokenizer.vocab_size;  // so far
  validate(config);
  validate(o.trainer, config.d_model);
  const ContrastiveLoss loss{o.loss.temperature, o.loss.symmetric,
                             widths_of(o.loss.matryoshka, config.vector_width())};
  if (resumed != nullptr) require_same_run(*resumed, o);
  const Checkpoint* const known = resumed != nullptr ? resumed : o.initial.get();
  KnownText text = known != nullptr ? known_text(*known)
                                    : KnownText{Tokenizer::train(texts.texts(), o.tokenizer), {}};
  config.vocab_size = text.tokenizer.vocab_size();
  EmbeddingModel model(std::make_shared<TextEmbedder>(config, o.trainer.seed), text.tokenizer,
                       o.data.length);
  model.prompts = std::move(text.prompts);
  if (resumed == nullptr && o.initial) copy_parameters(*o.initial, model.parameters());
  model.text_kinds = {{"text", kind_of(texts.texts(), model.tokenizer, o.data.language)}};
  task.d_model = config.d_model;
  add_notes(config, task);
  std::unique_ptr<EmbeddingGoal> goal = texts.goal(model, loss, task);
  EmbeddingValidation validation = texts.validation(model, loss, task);
  task.objective =
      std::make_unique<EmbeddingObjective>(model, std::move(goal), std::move(validation));
  task.model = std::make_shared<EmbeddingModel>(model);
  return task;
}

}  // namespace attend
