#include "attend/tasks/translation/training.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/checkpoint/options_json.h"
#include "attend/core/counted.h"
#include "attend/core/lines.h"
#include "attend/core/option_fields.h"
#include "attend/data/sampled_pairs.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/objective.h"

namespace attend {

namespace {

// What a model knows before it learns anything from this text.
struct Tokenizers {
  Tokenizer src;
  Tokenizer tgt;
  std::vector<std::int32_t> suppressed = {};  // target tokens that are never written
  std::optional<PairFormat> format = {};      // without one, the usual special tokens
  ModelDecoding decoding = {};                // what training has no options for
};

void check(const TranslationTraining& o) {
  const auto need = [](const std::vector<std::string>& files, const char* flag, const char* what) {
    if (files.empty()) throw ConfigError(fmt::format("--{}: expected {}, got none", flag, what));
  };
  need(o.data.src_train, "src-train", "the file to train on");
  need(o.data.tgt_train, "tgt-train", "the file with its translation");
  if (o.data.src_valid.empty() != o.data.tgt_valid.empty())
    throw ConfigError("--src-valid and --tgt-valid: expected both or neither, got one");
  check_options(o.loss);
  check_options(o.decoding);
  if (o.model.arch == Architecture::transformer)
    require_positions("max-length", o.data.length.max_length, o.model.transformer);
  if (o.vocabulary.bpe_dropout != 0.0f && o.vocabulary.tokenizer.type != TokenizerType::bpe)
    throw ConfigError("bpe-dropout: expected a tokenizer of type bpe, got another (--tokenizer)");
  const TiedEmbeddings tied = o.model.transformer.tie_embeddings;
  if (!o.vocabulary.joint_vocabulary && shares_inputs(tied))
    throw ConfigError(fmt::format(
        "tie-embeddings: expected target or none with two vocabularies (--no-joint-vocabulary), "
        "got {}",
        enum_names(tied)[static_cast<std::size_t>(tied)]));
}

struct Texts {
  ParallelText train;
  std::optional<ParallelText> valid;
};

Texts read_texts(const TranslationDataOptions& o) {
  const std::vector<std::string> src = in_folder(o.data, o.src_train),
                                 tgt = in_folder(o.data, o.tgt_train),
                                 src_valid = in_folder(o.data, o.src_valid),
                                 tgt_valid = in_folder(o.data, o.tgt_valid);
  for (const auto* files : {&src, &tgt, &src_valid, &tgt_valid}) require_readable(*files);
  Texts texts;
  if (!src_valid.empty()) texts.valid = read_parallel(src_valid, tgt_valid);
  texts.train = read_parallel(src, tgt);
  require_text(texts.train.src, src);
  require_text(texts.train.tgt, tgt);
  return texts;
}

// The shape of a model, before its vocabularies are learned: with those that are asked for.
void check_shape(ArchitectureConfig config, const TokenizerOptions& tokenizer) {
  common(config).src_vocab_size = common(config).tgt_vocab_size = tokenizer.vocab_size;
  std::visit([](const auto& shape) { validate(shape); }, config);
}

std::string model_note(const ArchitectureConfig& config) {
  if (const auto* transformer = std::get_if<TransformerConfig>(&config))
    return fmt::format("model: transformer, {}+{} layers, d-model {}, {}",
                       transformer->n_encoder_layers, transformer->n_decoder_layers,
                       transformer->d_model, counted(transformer->n_heads, "head"));
  return fmt::format("model: rnn, d-model {}", d_model_of(config));
}

Tokenizers train_tokenizers(const ParallelText& text, const VocabularyOptions& options) {
  if (!options.joint_vocabulary)
    return {Tokenizer::train(text.src, options.tokenizer),
            Tokenizer::train(text.tgt, options.tokenizer)};
  std::vector<std::string> both = text.src;
  both.insert(both.end(), text.tgt.begin(), text.tgt.end());
  Tokenizer joint = Tokenizer::train(both, options.tokenizer);
  return {joint, joint};
}

Tokenizers tokenizers_of(TranslationModel model) {
  return {std::move(model.src_tokenizer), std::move(model.tgt_tokenizer),
          std::move(model.suppressed), std::move(model.format), model.decoding};
}

// The first checkpoint fixes the vocabulary and the shape of the model.
Tokenizers resumed_tokenizers(const Checkpoint& checkpoint, const ArchitectureConfig& config) {
  TranslationModel model = translation_model(checkpoint);
  const ArchitectureConfig saved = model.network->architecture();
  if (saved.index() != config.index())
    throw ConfigError(fmt::format("--resume: the model of {} was made with --arch {}, not {}",
                                  checkpoint.source, name_of(saved), name_of(config)));
  require_same_model(checkpoint, config_json(saved), config_json(config));
  return tokenizers_of(std::move(model));
}

// The positions for a text and one special token; 0: unlimited.
std::int64_t room_for_text(const TranslationModel& model, const PairTokens& tokens) {
  const std::int64_t longest = model.network->longest_sequence();
  const int most = std::max(tokens.marks.of_source(), tokens.marks.of_target());
  return longest == 0 ? 0 : std::max<std::int64_t>(1, longest + 1 - most);
}

// The special tokens around the pairs: those of the languages of the text, which become the
// defaults of the model. Throws ConfigError for a language that it does not have, and unless the
// positions are enough for the longest text.
PairTokens pair_tokens(TranslationModel& model, const TranslationDataOptions& o) {
  model.format.set_defaults(o.languages);
  PairTokens tokens(model.format.of({}), model.tgt_tokenizer.eos_id());
  if (const std::int64_t room = room_for_text(model, tokens);
      room > 0 && o.length.max_length > room)
    throw ConfigError(fmt::format(
        "max-length: {} tokens and the special tokens around them do not fit into the {} positions "
        "of the model; lower max-length to {}",
        o.length.max_length - 1, model.network->longest_sequence(), room));
  return tokens;
}

TranslationBatcher training_batches(EncodedPairs pairs, const Tokenizers& tokenizers,
                                    const PairTokens& tokens, const TranslationTraining& o,
                                    std::int64_t longest) {
  const float dropout = o.vocabulary.bpe_dropout;
  if (dropout == 0.0f)
    return TranslationBatcher(std::move(pairs), tokens, o.data.batch, o.trainer.seed);
  const auto source = std::make_shared<const SampledPairs>(
      std::move(pairs), BpeDropout(tokenizers.src, dropout), BpeDropout(tokenizers.tgt, dropout),
      o.trainer.seed, longest);
  return TranslationBatcher(source, tokens, o.data.batch, o.trainer.seed);
}

void require_some(const ReadReport& report, const ParallelText& text, const LengthOptions& length) {
  if (report.kept == 0)
    throw DataError(
        fmt::format("{}: expected pairs of at most {} tokens (max-length), found none: {}",
                    text.origins.front().file, length.max_length, report.summary()));
}

std::string vocabulary_note(const Tokenizers& tokenizers, bool joint) {
  if (joint)
    return fmt::format("vocabulary: {}, joint", counted(tokenizers.src.vocab_size(), "piece"));
  return fmt::format("vocabularies: {} source and {} target pieces",
                     readable_count(tokenizers.src.vocab_size()),
                     readable_count(tokenizers.tgt.vocab_size()));
}

}  // namespace

OpenOptions adopt_model(TranslationTraining& o, const Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  PairFormat format = model.format;
  format.set_defaults(o.data.languages);
  format.of({});  // throws without a language that is needed
  const ArchitectureConfig config = model.network->architecture();
  o.model = ModelOptions::of(config);
  const bool equal = model.src_tokenizer.bytes() == model.tgt_tokenizer.bytes();
  o.vocabulary.joint_vocabulary = equal || common(config).tie_embeddings == TiedEmbeddings::all;
  o.vocabulary.tokenizer = {.type = type_of(model.tgt_tokenizer),
                            .vocab_size = model.tgt_tokenizer.vocab_size(),
                            .pretokenized = o.vocabulary.tokenizer.pretokenized};
  o.decoding = model.decoding;
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

  const Texts texts = read_texts(o.data);  // all of it, before a vocabulary is learned from a part
  const ParallelText& train = texts.train;
  const Tokenizers tokenizers = resumed != nullptr ? resumed_tokenizers(*resumed, config)
                                : o.initial        ? tokenizers_of(translation_model(*o.initial))
                                                   : train_tokenizers(train, o.vocabulary);
  task.notes.push_back(vocabulary_note(tokenizers, o.vocabulary.joint_vocabulary));

  common(config).src_vocab_size = tokenizers.src.vocab_size();
  common(config).tgt_vocab_size = tokenizers.tgt.vocab_size();
  TranslationModel model{make_encoder_decoder(config, o.trainer.seed), tokenizers.src,
                         tokenizers.tgt, tokenizers.decoding};
  static_cast<TranslationDecoding&>(model.decoding) = o.decoding;
  model.suppressed = tokenizers.suppressed;
  if (tokenizers.format) model.format = *tokenizers.format;
  const PairTokens tokens = pair_tokens(model, o.data);
  if (resumed == nullptr && o.initial) copy_parameters(*o.initial, model.parameters());
  const auto language = [](const std::string& given, const std::vector<std::string>& files) {
    return given.empty() ? language_of(files) : given;
  };
  model.text_kinds = {
      {"src", kind_of(train.src, tokenizers.src, language(o.data.src_language, o.data.src_train))},
      {"tgt", kind_of(train.tgt, tokenizers.tgt, language(o.data.tgt_language, o.data.tgt_train))}};

  const auto encode = [&](const ParallelText& text, const char* name) {
    ReadReport report;
    EncodedPairs pairs =
        encode_parallel(text, tokenizers.src, tokenizers.tgt, o.data.length, report);
    task.notes.push_back(fmt::format("{} text: {}", name, report.summary()));
    require_some(report, text, o.data.length);
    return pairs;
  };
  TranslationBatcher batches = training_batches(encode(train, "training"), tokenizers, tokens, o,
                                                room_for_text(model, tokens));

  std::optional<TranslationValidation> validation;
  if (texts.valid) {
    const EncodedPairs pairs = encode(*texts.valid, "validation");
    TranslationOptions decoding;
    decoding.beam.beam_size = o.loss.valid_beam_size;
    decoding.beam.length_penalty = o.decoding.length_penalty;
    decoding.beam.min_length = model.decoding.min_length;
    decoding.beam.no_repeat_ngram = model.decoding.no_repeat_ngram;
    validation = TranslationValidation{
        TranslationBatcher(pairs, tokens, o.data.batch, std::nullopt),
        references_of(pairs, *texts.valid), decoding, o.vocabulary.tokenizer.pretokenized};
  }

  task.objective = std::make_unique<TranslationObjective>(model, std::move(batches),
                                                          o.loss.training, std::move(validation));
  task.model = std::make_shared<TranslationModel>(model);
  return task;
}

}  // namespace attend
