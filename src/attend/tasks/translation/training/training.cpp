#include "attend/tasks/translation/training/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/metrics.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/training/objective.h"
#include "attend/tasks/translation/training/training_text.h"
#include "attend/train/replay_objective.h"

namespace attend {

namespace {

// What a model knows before it learns anything from this text.
struct Tokenizers {
  Tokenizer src;
  Tokenizer tgt;
  std::vector<std::int32_t> suppressed = {};  // target tokens that are never written
  std::optional<PairFormat> format = {};      // without one, the usual special tokens
  ModelDecoding decoding = {};                // what training has no options for
  std::vector<std::int32_t> ends = {};        // without one, the end of sentence
  int aligning_layer = -1;
};

void check_training_text(const TranslationTraining& o) {
  if (o.data.prepared.empty()) return require_files(o.data);
  if (!o.data.src_train.empty() || !o.data.tgt_train.empty())
    throw OptionError<ConfigError>(
        "prepared: expected either the folders that attend prepare has written or {} and {}, got "
        "both",
        as_flag("src-train"), as_flag("tgt-train"));
  if (o.data.context > 0)
    throw OptionError<ConfigError>(
        "{}: expected 0 with {}, which has sentences alone; train from {} and {}",
        as_key("context"), as_flag("prepared"), as_flag("src-train"), as_flag("tgt-train"));
  if (!o.data.inline_terms.empty())
    throw OptionError<ConfigError>(
        "{}: expected none with {}, whose text is split into tokens already; train from {} and {}",
        as_key("inline-terms"), as_flag("prepared"), as_flag("src-train"), as_flag("tgt-train"));
  if (o.vocabulary.bpe_dropout != 0.0f)
    throw OptionError<ConfigError>(
        "{}: expected 0 with {}, whose text is split into tokens already; train from {} and {}",
        as_key("bpe-dropout"), as_flag("prepared"), as_flag("src-train"), as_flag("tgt-train"));
}

// The soft targets of a text belong to its pairs as they are.
void check_soft_targets(const TranslationTraining& o) {
  if (o.data.soft_targets.empty()) return;
  if (o.teachers.empty() || !o.is_taught())
    throw OptionError<ConfigError>("{}: works only with {} and {}", as_key("soft-targets"),
                                   as_flag("teachers"), as_flag("distill-weight"));
  const auto refuse_with = [](bool is_there, const char* other) {
    if (is_there)
      throw OptionError<ConfigError>("{}: expected none with {}, which changes the text",
                                     as_key("soft-targets"), as_flag(other));
  };
  refuse_with(!o.data.prepared.empty(), "prepared");
  refuse_with(!o.replay.src.empty(), "src-replay");
  refuse_with(o.data.context > 0, "context");
  refuse_with(!o.data.inline_terms.empty(), "inline-terms");
  refuse_with(o.vocabulary.bpe_dropout > 0.0f, "bpe-dropout");
}

void refuse_beside(const char* option, bool is_there, const char* other) {
  if (is_there)
    throw OptionError<ConfigError>("{}: expected 0 with {}", as_key(option), as_flag(other));
}

// Alignments are those of sentences alone, in memory.
void check_guided_alignment(const TranslationTraining& o) {
  constexpr const char* kName = "guided-alignment";
  if (o.loss.training.guided_alignment == 0.0f) return;
  refuse_beside(kName, !o.data.prepared.empty(), "prepared");
  refuse_beside(kName, o.data.context > 0, "context");
  refuse_beside(kName, !o.data.inline_terms.empty(), "inline-terms");
  aligning_layer_of(o.model.chosen());
}

// Noise is made of sentences alone.
void check_noise(const TranslationTraining& o) {
  constexpr const char* kName = "source-noise";
  if (o.data.source_noise == 0.0f) return;
  refuse_beside(kName, !o.data.prepared.empty(), "prepared");
  refuse_beside(kName, o.data.context > 0, "context");
  refuse_beside(kName, !o.data.inline_terms.empty(), "inline-terms");
  refuse_beside(kName, o.vocabulary.bpe_dropout > 0.0f, "bpe-dropout");
}

void check(const TranslationTraining& o) {
  check_training_text(o);
  const auto need_both = [](const std::vector<std::string>& src,
                            const std::vector<std::string>& tgt, const std::string& name) {
    if (src.empty() != tgt.empty())
      throw OptionError<ConfigError>("{} and {}: expected both or neither, got one",
                                     as_flag("src-" + name), as_flag("tgt-" + name));
  };
  need_both(o.data.src_valid, o.data.tgt_valid, "valid");
  need_both(o.replay.src, o.replay.tgt, "replay");
  need_both(o.replay.src_valid, o.replay.tgt_valid, "replay-valid");
  check_replay(o.replay, o.initial != nullptr, !o.teachers.empty());
  check_soft_targets(o);
  check_noise(o);
  check_guided_alignment(o);
  check_options(o.loss);
  check_options(o.decoding);
  if (o.model.arch != Architecture::transformer && o.trainer.recompute)
    throw OptionError<ConfigError>(
        "recompute: expected {} transformer, whose layers are computed again", as_flag("arch"));
  if (o.model.arch == Architecture::transformer)
    require_positions("max-length", o.data.length.max_length, o.model.transformer);
  if (o.vocabulary.bpe_dropout != 0.0f && o.vocabulary.tokenizer.type != TokenizerType::bpe)
    throw OptionError<ConfigError>("{}: expected a tokenizer of type bpe, got another ({})",
                                   as_key("bpe-dropout"), as_flag("tokenizer"));
  if (!o.data.inline_terms.empty() && o.vocabulary.bpe_dropout != 0.0f)
    throw OptionError<ConfigError>("{}: expected none with {}, which splits sentences anew",
                                   as_key("inline-terms"), as_flag("bpe-dropout"));
  const TiedEmbeddings tied = o.model.transformer.tie_embeddings;
  if (!o.vocabulary.joint_vocabulary && shares_inputs(tied))
    throw OptionError<ConfigError>("{}: expected target or none with two vocabularies ({}), got {}",
                                   as_key("tie-embeddings"), as_flag("no-joint-vocabulary"),
                                   enum_names(tied)[static_cast<std::size_t>(tied)]);
}

// The shape of a model, before its vocabularies are learned: with those that are asked for.
void check_shape(ArchitectureConfig config, const TokenizerOptions& tokenizer) {
  common(config).src_vocab_size = common(config).tgt_vocab_size = tokenizer.vocab_size;
  validate(config);
}

std::string model_note(const ArchitectureConfig& config) {
  if (const auto* transformer = std::get_if<TransformerConfig>(&config))
    return fmt::format("model: transformer, {}+{} layers, d-model {}, {}",
                       transformer->n_encoder_layers, transformer->n_decoder_layers,
                       transformer->d_model, counted(transformer->n_heads, "head"));
  return fmt::format("model: rnn, d-model {}", d_model_of(config));
}

Tokenizers tokenizers_of(TranslationModel model) {
  return {std::move(model.src_tokenizer),
          std::move(model.tgt_tokenizer),
          std::move(model.suppressed),
          std::move(model.format),
          model.decoding,
          std::move(model.ends),
          model.aligning_layer};
}

// The first checkpoint fixes the vocabulary and the shape of the model.
Tokenizers resumed_tokenizers(const Checkpoint& checkpoint, const ArchitectureConfig& config) {
  TranslationModel model = translation_model(checkpoint);
  const ArchitectureConfig saved = model.network->architecture();
  if (saved.index() != config.index())
    throw OptionError<ConfigError>("{}: the model of {} was made with {} {}, not {}",
                                   as_flag("resume"), checkpoint.source, as_flag("arch"),
                                   name_of(saved), name_of(config));
  require_same_model(checkpoint, config_json(saved), config_json(config));
  return tokenizers_of(std::move(model));
}

// The special tokens around the pairs: those of the languages of the text, which become the
// defaults of the model. Throws ConfigError for a language that it does not have, and unless the
// positions are enough for the longest text.
PairTokens pair_tokens(TranslationModel& model, const TranslationDataOptions& o) {
  model.format.set_defaults(o.languages);
  PairTokens tokens(model.format.of({}), model.tgt_tokenizer.eos_id());
  if (const std::int64_t room = PairBatches::room_for_text(model, tokens);
      room > 0 && o.length.max_length > room)
    throw OptionError<ConfigError>(
        "{}: {} tokens and the special tokens around them do not fit into the {} positions of the "
        "model; lower {} to {}",
        as_key("max-length"), o.length.max_length - 1, model.network->longest_sequence(),
        as_key("max-length"), room);
  return tokens;
}

// The context that the options ask for, whose separator is the end of sentence.
SourceContext context_of(const TranslationDataOptions& o, const TranslationModel& model) {
  if (o.context == 0) return {};
  return {o.context, model.src_tokenizer.eos_id(), o.length.max_length - 1};
}

// The marks of inline terms: the beginning, which sources do not have otherwise, and the end of a
// sentence. Throws ConfigError for vocabularies that cannot have terms in a source.
std::optional<InlineTermMarks> term_marks_of(const TranslationDataOptions& o,
                                             const TranslationModel& model) {
  if (o.inline_terms.empty() || model.format.terms) return model.format.terms;
  const Tokenizer& source = model.src_tokenizer;
  if (source.bytes() != model.tgt_tokenizer.bytes())
    throw OptionError<ConfigError>(
        "{}: expected one vocabulary for both languages, as sources have words of both",
        as_key("inline-terms"));
  if (source.bos_id() < 0)
    throw OptionError<ConfigError>(
        "{}: expected a vocabulary with a token for the beginning of a text, to stand before them",
        as_key("inline-terms"));
  return InlineTermMarks{source.bos_id(), source.eos_id()};
}

// The teachers, or the old model as one. Throws DataError unless they have the tokens of `learner`.
Distillation distillation_of(const TranslationTraining& o, const TranslationModel& learner) {
  if (!o.is_taught()) return {};
  TranslationEnsemble::Models models{std::make_shared<const TranslationModel>(learner)};
  for (const auto& teacher : o.teachers)
    models.push_back(std::make_shared<const TranslationModel>(translation_model(*teacher)));
  if (o.teachers.empty())
    models.push_back(std::make_shared<const TranslationModel>(translation_model(*o.initial)));
  const TranslationEnsemble all(std::move(models));
  Distillation distillation{{}, o.replay.distill_weight};
  if (!o.data.soft_targets.empty()) {
    distillation.text = std::make_shared<const SoftTargetText>(std::filesystem::path(o.data.data) /
                                                               o.data.soft_targets);
    return distillation;
  }
  for (std::size_t i = 1; i < all.models().size(); ++i)
    distillation.teachers.push_back(all.models()[i]->network);
  return distillation;
}

// The loss of the new text; the old text has a teacher if there is some.
TranslationLoss loss_of(const TranslationTraining& o, const TrainingText& text,
                        const TranslationModel& model) {
  TranslationLoss loss = o.loss.training;
  if (!text.old) loss.distillation = distillation_of(o, model);
  return loss;
}

// Mixes old text into a task, and lets its validations measure it.
void replay(const TranslationTraining& o, const TrainingText& text, const PairBatches& batches,
            const TranslationModel& model, bool is_first, TrainingTask& task) {
  std::optional<TranslationValidation> validation;
  if (text.old_valid) validation = batches.validation(*text.old_valid, "old validation");
  TranslationBatcher old = batches.old(text.old ? *text.old : *text.old_valid);
  TranslationLoss loss = o.loss.training;
  if (text.old) loss.distillation = distillation_of(o, model);
  auto of_old = std::make_unique<TranslationObjective>(model, std::move(old), std::move(loss),
                                                       std::move(validation));
  if (is_first && of_old->can_validate()) {
    const Validation before = of_old->validate();
    task.notes.push_back(fmt::format("old text before training: perplexity {:.2f}, BLEU {:.2f}",
                                     perplexity(before.nll), before.score));
  }
  task.objective = std::make_unique<ReplayObjective>(std::move(task.objective), std::move(of_old),
                                                     text.old ? o.replay.weight : 0.0);
}

std::string vocabulary_note(const Tokenizers& tokenizers, bool joint) {
  if (joint)
    return fmt::format("vocabulary: {}, joint", counted(tokenizers.src.vocab_size(), "piece"));
  return fmt::format("vocabularies: {} source and {} target pieces",
                     readable_count(tokenizers.src.vocab_size()),
                     readable_count(tokenizers.tgt.vocab_size()));
}

// Tokenizers are those of a checkpoint, the initial model, a teacher or the prepared text, or
// learned.
Tokenizers tokenizers_for(const TranslationTraining& o, const TrainingText& text,
                          const ArchitectureConfig& config, const Checkpoint* resumed) {
  const Checkpoint* initial = o.initial            ? o.initial.get()
                              : o.teachers.empty() ? nullptr
                                                   : o.teachers.front().get();
  if (resumed == nullptr && initial == nullptr) {
    auto [src, tgt] = text.prepared
                          ? text.prepared->vocabularies
                          : train_vocabularies(text.train.src, text.train.tgt, o.vocabulary);
    return {std::move(src), std::move(tgt)};
  }
  Tokenizers known = resumed != nullptr ? resumed_tokenizers(*resumed, config)
                                        : tokenizers_of(translation_model(*initial));
  // A teacher's layers are not those of its student.
  if (resumed == nullptr && !o.initial) known.aligning_layer = -1;
  if (text.prepared)
    require_vocabularies(*text.prepared, known.src, known.tgt,
                         resumed != nullptr ? resumed->source : initial->source);
  return known;
}

// The kinds of the training text, by side.
std::map<std::string, TextKind> kinds_of(const TranslationTraining& o, const TrainingText& text,
                                         const Tokenizers& tokenizers) {
  if (!text.prepared)
    return {{"src", kind_of(text.train.src, tokenizers.src, src_language_of(o.data))},
            {"tgt", kind_of(text.train.tgt, tokenizers.tgt, tgt_language_of(o.data))}};
  std::map<std::string, TextKind> kinds = text.prepared->manifest.text_kinds;
  if (!o.data.src_language.empty()) kinds["src"].language = o.data.src_language;
  if (!o.data.tgt_language.empty()) kinds["tgt"].language = o.data.tgt_language;
  return kinds;
}

}  // namespace

std::string adopt_prepared(TranslationTraining& o) {
  if (o.data.prepared.empty()) return "";
  const PreparedText text =
      open_prepared(in_folder(o.data.data, o.data.prepared), TranslationTraining::kName);
  o.vocabulary.joint_vocabulary = text.manifest.vocabulary.joint;
  o.vocabulary.tokenizer = tokenizer_options_of(text.manifest, text.vocabularies);
  o.data.length = text.manifest.length;
  return text.folders.front();
}

namespace {

void adopt_vocabulary_of(TranslationTraining& o, const TranslationModel& model) {
  PairFormat format = model.format;
  format.set_defaults(o.data.languages);
  format.of({});  // throws without a language that is needed
  const bool equal = model.src_tokenizer.bytes() == model.tgt_tokenizer.bytes();
  o.vocabulary.joint_vocabulary =
      equal || common(model.network->architecture()).tie_embeddings == TiedEmbeddings::all;
  adopt_vocabulary(o.vocabulary.tokenizer, model.tgt_tokenizer);
}

}  // namespace

void adopt_vocabulary(TranslationTraining& o, const Checkpoint& teacher) {
  adopt_vocabulary_of(o, translation_model(teacher));
}

OpenOptions adopt_model(TranslationTraining& o, const Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  o.model = ModelOptions::of(model.network->architecture());
  adopt_vocabulary_of(o, model);
  o.decoding = model.decoding;
  o.data.context = model.format.context.sentences;
  return {};
}

TrainingTask prepare_training(const TranslationTraining& o, const Checkpoint* resumed) {
  check(o);
  check_options(o.data.length);
  TrainingTask task;
  task.name = TranslationTraining::kName;
  ArchitectureConfig config = o.model.chosen();
  task.d_model = d_model_of(config);
  check_shape(config, o.vocabulary.tokenizer);
  validate(o.trainer, task.d_model);
  task.notes.push_back(model_note(config));

  // All of it, before a vocabulary is learned from a part.
  const TrainingText text = read_training_text(o);
  const Tokenizers tokenizers = tokenizers_for(o, text, config, resumed);
  task.notes.push_back(vocabulary_note(tokenizers, o.vocabulary.joint_vocabulary));

  common(config).src_vocab_size = tokenizers.src.vocab_size();
  common(config).tgt_vocab_size = tokenizers.tgt.vocab_size();
  TranslationModel model{make_encoder_decoder(config, o.trainer.seed), tokenizers.src,
                         tokenizers.tgt, tokenizers.decoding};
  static_cast<TranslationDecoding&>(model.decoding) = o.decoding;
  model.suppressed = tokenizers.suppressed;
  if (!tokenizers.ends.empty()) model.ends = tokenizers.ends;
  if (tokenizers.format) model.format = *tokenizers.format;
  model.aligning_layer = tokenizers.aligning_layer;
  if (o.loss.training.guided_alignment > 0.0f) model.aligning_layer = aligning_layer_of(config);
  const PairTokens tokens = pair_tokens(model, o.data);
  model.format.context = context_of(o.data, model);
  model.format.terms = term_marks_of(o.data, model);
  if (resumed == nullptr && o.initial) copy_parameters(*o.initial, model.parameters());
  model.text_kinds = kinds_of(o, text, tokenizers);

  const PairBatches batches(o, model, tokens, task.notes);
  TranslationLoss loss = loss_of(o, text, model);
  TranslationBatcher training = batches.training(text, loss);
  std::optional<TranslationValidation> validation;
  if (text.valid) validation = batches.validation(*text.valid, "validation");
  task.objective = std::make_unique<TranslationObjective>(model, std::move(training),
                                                          std::move(loss), std::move(validation));
  if (text.old || text.old_valid) replay(o, text, batches, model, resumed == nullptr, task);
  task.model = std::make_shared<TranslationModel>(model);
  return task;
}

}  // namespace attend
