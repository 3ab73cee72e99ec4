#include "attend/tasks/tagging/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

void check(const TaggingTraining& o) {
  if (o.data.train.empty())
    throw OptionError<ConfigError>("{}: expected the file to train on, got none", as_flag("train"));
  check_options(o.loss);
  check_options(o.data.length);
  require_positions("max-length", o.data.length.max_length, o.model);
}

void check_score(TaggingScore best_by, const std::vector<std::string>& tags) {
  if (best_by == TaggingScore::entity_f1 && !are_entity_tags(tags))
    throw OptionError<ConfigError>("{}: entity_f1 needs tags such as B-PER and O, found {}",
                                   as_key("best-by"),
                                   printable(fmt::format("{}", fmt::join(tags, ", ")), 200));
}

// The tags of a model, if it has those of the texts.
std::optional<std::vector<std::string>> same_tags(const Checkpoint* known, const TaggedText& text) {
  if (known == nullptr || !is_for<TaggingModel>(*known)) return std::nullopt;
  std::vector<std::string> tags = tagging_model(*known).labels;
  const bool all = std::all_of(text.tags.begin(), text.tags.end(), [&](const std::string& tag) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  });
  return all ? std::optional(tags) : std::nullopt;
}

Tokenizer tokenizer_of(const TaggingTraining& o, const Checkpoint* resumed,
                       const std::vector<std::string>& lines) {
  if (resumed == nullptr && o.initial == nullptr) return Tokenizer::train(lines, o.tokenizer);
  return known_encoder(resumed != nullptr ? *resumed : *o.initial, TaggingModel::kTask).tokenizer;
}

void require_same(const Checkpoint& resumed, const TaggingTraining& o, bool tags_are_its_own) {
  const TaggingModel model = tagging_model(resumed);
  require_same_model(resumed, options_to_json(model.network->config()), options_to_json(o.model));
  require_same_model(resumed, options_to_json(model.length), options_to_json(o.data.length));
  if (!tags_are_its_own)
    throw OptionError<ConfigError>("{}: the model of {} has other tags than the texts",
                                   as_flag("resume"), resumed.source);
}

std::vector<std::string> lines_of(const TaggedText& text) {
  std::vector<std::string> lines;
  for (const std::vector<std::string>& words : text.words)
    lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  return lines;
}

// Texts as batches, for training with a seed, for validation without; notes what they are.
TaggedBatcher batcher_of(const TaggedText& texts, const TaggingModel& model,
                         const BatchOptions& options, std::optional<std::uint64_t> seed,
                         std::vector<std::string>& notes) {
  TaggedReport report;
  std::vector<std::vector<std::int32_t>> labels;
  std::vector<TaggedPart> parts =
      encode_tagged(texts, model.tokenizer, model.special(), model.length, labels, report);
  notes.push_back(fmt::format("{}: {}", seed ? "training" : "validation", report.summary()));
  return TaggedBatcher(std::move(parts), std::move(labels), options, seed);
}

// The texts, and whether their tags are those of the model that a training goes on with.
struct TrainingTags {
  TaggedText train;
  std::optional<TaggedText> valid = {};  // none without files
  bool kept = false;
};

// All are read before training, so that errors show at once.
TrainingTags read_texts(const TaggingTraining& o, const Checkpoint* known) {
  const std::vector<std::string> train = in_folder(o.data.data, o.data.train),
                                 valid = in_folder(o.data.data, o.data.valid);
  require_readable(train);
  require_readable(valid);
  TrainingTags texts{read_tagged(train, o.data.columns)};
  if (const auto tags = same_tags(known, texts.train)) {
    texts.train = read_tagged(train, o.data.columns, *tags);
    texts.kept = true;
  }
  if (!valid.empty()) texts.valid = read_tagged(valid, o.data.columns, texts.train.tags);
  return texts;
}

// Adds notes on the model to the task.
TaggingModel make_model(const TaggingTraining& o, const Checkpoint* resumed,
                        const TrainingTags& texts, TrainingTask& task) {
  const TaggedText& train = texts.train;
  TaggerConfig config = o.model;
  config.tags = static_cast<int>(train.tags.size());
  config.vocab_size = o.tokenizer.vocab_size;  // so far
  validate(config);
  validate(o.trainer, config.d_model);
  if (resumed != nullptr) require_same(*resumed, o, texts.kept);

  const std::vector<std::string> lines = lines_of(train);
  const Tokenizer tokenizer = tokenizer_of(o, resumed, lines);
  config.vocab_size = tokenizer.vocab_size();
  TaggingModel model{std::make_shared<TokenTagger>(config, o.trainer.seed), tokenizer, train.tags,
                     o.data.length};
  model.units = has_punctuation_apart(train) ? TaggedUnits::punctuation : TaggedUnits::words;
  if (resumed == nullptr && o.initial) {
    if (texts.kept) {
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
  return model;
}

}  // namespace

OpenOptions adopt_model(TaggingTraining& o, const Checkpoint& checkpoint) {
  if (is_for<TaggingModel>(checkpoint)) {
    const TaggingModel model = tagging_model(checkpoint);
    o.model = model.network->config();
    adopt_text(o, model.tokenizer, model.text_length());
  } else {
    const KnownEncoder encoder = known_encoder(checkpoint, TaggingModel::kTask);
    adopt_encoder(o, encoder);
    o.model.bos = encoder.bos;
  }
  return {"output-dropout"};
}

TrainingTask prepare_training(const TaggingTraining& o, const Checkpoint* resumed) {
  check(o);
  TrainingTags texts = read_texts(o, resumed != nullptr ? resumed : o.initial.get());
  check_score(o.data.best_by, texts.train.tags);
  TrainingTask task;
  task.name = TaggingTraining::kName;
  const TaggingModel model = make_model(o, resumed, texts, task);
  TaggedBatcher training = batcher_of(texts.train, model, o.data.batch, o.trainer.seed, task.notes);
  std::optional<TaggingValidation> validation;
  if (texts.valid) {
    TaggedBatcher parts = batcher_of(*texts.valid, model, o.data.batch, std::nullopt, task.notes);
    validation = TaggingValidation{std::move(parts), std::move(texts.valid->labels)};
  }
  task.objective = std::make_unique<TaggingObjective>(
      model, std::move(training), o.loss.label_smoothing, std::move(validation), o.data.best_by);
  task.model = std::make_shared<TaggingModel>(model);
  return task;
}

}  // namespace attend
