#include "attend/tasks/tagging/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/learned_positions.h"

namespace attend {

namespace {

bool is_of(const Checkpoint& checkpoint, std::string_view task) {
  return checkpoint.text("attend.task") == task;
}

void check(const TaggingTraining& o) {
  if (o.data.train.empty()) throw ConfigError("--train: expected the file to train on, got none");
  check_options(o.loss);
  check_options(o.data.length);
  require_positions("max-length", o.data.length.max_length, o.model);
}

void check_score(TaggingScore best_by, const std::vector<std::string>& tags) {
  if (best_by == TaggingScore::entity_f1 && !are_entity_tags(tags))
    throw ConfigError(fmt::format("best-by: entity_f1 needs tags such as B-PER and O, found {}",
                                  printable(fmt::format("{}", fmt::join(tags, ", ")), 200)));
}

// The tags of a model, if it has those of the texts.
std::optional<std::vector<std::string>> same_tags(const Checkpoint* known, const TaggedText& text) {
  if (known == nullptr || !is_of(*known, TaggingModel::kTask)) return std::nullopt;
  std::vector<std::string> tags = tagging_model(*known).labels;
  const bool all = std::all_of(text.tags.begin(), text.tags.end(), [&](const std::string& tag) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  });
  return all ? std::optional(tags) : std::nullopt;
}

Tokenizer tokenizer_of(const TaggingTraining& o, const Checkpoint* resumed,
                       const std::vector<std::string>& lines) {
  if (resumed == nullptr && o.initial == nullptr) return Tokenizer::train(lines, o.tokenizer);
  const Checkpoint& known = resumed != nullptr ? *resumed : *o.initial;
  if (is_of(known, EmbeddingModel::kTask)) return embedding_model(known).tokenizer;
  if (is_of(known, ClassificationModel::kTask)) return classification_model(known).tokenizer;
  return tagging_model(known).tokenizer;
}

void require_same(const Checkpoint& resumed, const TaggingTraining& o, bool tags_are_its_own) {
  const TaggingModel model = tagging_model(resumed);
  require_same_model(resumed, options_to_json(model.network->config()), options_to_json(o.model));
  require_same_model(resumed, options_to_json(model.length), options_to_json(o.data.length));
  if (!tags_are_its_own)
    throw ConfigError(
        fmt::format("--resume: the model of {} has other tags than the texts", resumed.source));
}

std::vector<std::string> lines_of(const TaggedText& text) {
  std::vector<std::string> lines;
  for (const std::vector<std::string>& words : text.words)
    lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  return lines;
}

TaggedBatcher batcher_of(const TaggedText& texts, const TaggingModel& model, const char* name,
                         const BatchOptions& options, std::optional<std::uint64_t> seed,
                         std::vector<std::string>& notes) {
  TaggedReport report;
  std::vector<std::vector<std::int32_t>> labels;
  std::vector<TaggedPart> parts =
      encode_tagged(texts, model.tokenizer, model.special(), model.length, labels, report);
  notes.push_back(fmt::format("{}: {}", name, report.summary()));
  return TaggedBatcher(std::move(parts), std::move(labels), options, seed);
}

}  // namespace

OpenOptions adopt_model(TaggingTraining& o, const Checkpoint& checkpoint) {
  const auto adopt = [&o](const EncoderConfig& config, const Tokenizer& tokenizer, int max_length,
                          bool bos) {
    static_cast<EncoderConfig&>(o.model) = config;
    o.model.bos = bos;
    o.tokenizer = {.type = type_of(tokenizer),
                   .vocab_size = tokenizer.vocab_size(),
                   .pretokenized = o.tokenizer.pretokenized};
    o.data.length.max_length = max_length;
  };
  if (is_of(checkpoint, EmbeddingModel::kTask)) {
    const EmbeddingModel model = embedding_model(checkpoint);
    adopt(model.network->config(), model.tokenizer, model.length.max_length,
          model.special().bos >= 0);
  } else if (is_of(checkpoint, ClassificationModel::kTask)) {
    const ClassificationModel model = classification_model(checkpoint);
    adopt(model.network->config(), model.tokenizer, model.length.max_length,
          model.special().bos >= 0);
  } else {
    const TaggingModel model = tagging_model(checkpoint);
    adopt(model.network->config(), model.tokenizer, model.length.max_length,
          model.network->config().bos);
    o.model.output_dropout = model.network->config().output_dropout;
  }
  return {"output-dropout"};
}

TrainingTask prepare_training(const TaggingTraining& o, const Checkpoint* resumed) {
  check(o);
  TrainingTask task;
  task.name = TaggingTraining::kName;
  const std::vector<std::string> train_files = in_folder(o.data.data, o.data.train),
                                 valid_files = in_folder(o.data.data, o.data.valid);
  require_readable(train_files);
  require_readable(valid_files);
  TaggedText train = read_tagged(train_files, o.data.columns);
  const Checkpoint* const known = resumed != nullptr ? resumed : o.initial.get();
  const std::optional<std::vector<std::string>> kept = same_tags(known, train);
  if (kept) train = read_tagged(train_files, o.data.columns, *kept);
  // Read before training, so that errors show at once.
  std::optional<TaggedText> valid;
  if (!valid_files.empty()) valid = read_tagged(valid_files, o.data.columns, train.tags);
  check_score(o.data.best_by, train.tags);
  TaggerConfig config = o.model;
  config.tags = static_cast<int>(train.tags.size());
  config.vocab_size = o.tokenizer.vocab_size;  // so far
  validate(config);
  validate(o.trainer, config.d_model);
  if (resumed != nullptr) require_same(*resumed, o, kept.has_value());

  const std::vector<std::string> lines = lines_of(train);
  const Tokenizer tokenizer = tokenizer_of(o, resumed, lines);
  config.vocab_size = tokenizer.vocab_size();
  TaggingModel model{std::make_shared<TokenTagger>(config, o.trainer.seed), tokenizer, train.tags,
                     o.data.length};
  model.units = has_punctuation_apart(train) ? TaggedUnits::punctuation : TaggedUnits::words;
  if (resumed == nullptr && o.initial) {
    if (kept) {
      copy_parameters(*o.initial, model.parameters());
    } else {
      copy_parameters(*o.initial, model.parameters(), {"output."});
      task.notes.emplace_back("tags: a new output layer on the encoder");
    }
  }
  model.text_kinds = {{"text", kind_of(lines, tokenizer, o.data.language)}};
  task.d_model = config.d_model;
  task.notes.push_back(encoder_note(config));
  task.notes.push_back(fmt::format("vocabulary: {}; {}", counted(config.vocab_size, "piece"),
                                   counted(config.tags, "tag")));
  TaggedBatcher training =
      batcher_of(train, model, "training", o.data.batch, o.trainer.seed, task.notes);
  std::optional<TaggingValidation> validation;
  if (valid) {
    TaggedBatcher parts =
        batcher_of(*valid, model, "validation", o.data.batch, std::nullopt, task.notes);
    validation = TaggingValidation{std::move(parts), std::move(valid->labels)};
  }
  task.objective = std::make_unique<TaggingObjective>(
      model, std::move(training), o.loss.label_smoothing, std::move(validation), o.data.best_by);
  task.model = std::make_shared<TaggingModel>(model);
  return task;
}

}  // namespace attend
