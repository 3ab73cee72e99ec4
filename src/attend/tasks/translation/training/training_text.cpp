#include "attend/tasks/translation/training/training_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/data/batching/mixture.h"
#include "attend/data/batching/noisy_pairs.h"
#include "attend/data/batching/sampled_pairs.h"
#include "attend/data/stored/stored_pairs.h"
#include "attend/error.h"

namespace attend {

namespace {

using Files = std::vector<std::string>;

// Nothing if there are no files.
std::optional<ParallelText> read_pairs(const Files& src, const Files& tgt) {
  if (src.empty()) return std::nullopt;
  ParallelText text = read_parallel(src, tgt);
  return text;
}

void require_length(const LengthOptions& length, const PreparedText& text) {
  const LengthOptions& of_text = text.manifest.length;
  if (length.max_length == of_text.max_length && length.over_long == of_text.over_long) return;
  const auto shown = [](const LengthOptions& o) {
    return option_text("{} {} {} {}", as_flag("max-length"), o.max_length, as_flag("over-long"),
                       enum_names(o.over_long)[static_cast<std::size_t>(o.over_long)]);
  };
  throw OptionError<ConfigError>("{}: the text was prepared with {}, got {}", text.folders.front(),
                                 shown(of_text), shown(length));
}

// How many pairs are left of each file.
std::vector<std::int64_t> sizes_of_files(const ParallelText& text, const EncodedPairs& pairs) {
  std::vector<std::int64_t> sizes(text.origins.size());
  std::size_t file = 0;
  for (const std::int32_t pair : pairs.origin) {
    while (file + 1 < sizes.size() && text.origins[file + 1].first <= pair) ++file;
    ++sizes[file];
  }
  return sizes;
}

std::vector<std::string> names_of_files(const ParallelText& text) {
  std::vector<std::string> names;
  for (const ParallelText::Origin& origin : text.origins) names.push_back(origin.file);
  return names;
}

}  // namespace

TrainingText read_training_text(const TranslationTraining& o) {
  const auto files = [&](const Files& names) { return in_folder(o.data.data, names); };
  const Files src = files(o.data.src_train), tgt = files(o.data.tgt_train),
              src_valid = files(o.data.src_valid), tgt_valid = files(o.data.tgt_valid),
              src_old = files(o.replay.src), tgt_old = files(o.replay.tgt),
              src_old_valid = files(o.replay.src_valid), tgt_old_valid = files(o.replay.tgt_valid);
  for (const Files* all :
       {&src, &tgt, &src_valid, &tgt_valid, &src_old, &tgt_old, &src_old_valid, &tgt_old_valid})
    require_readable(*all);
  TrainingText text;
  text.valid = read_pairs(src_valid, tgt_valid);
  text.old_valid = read_pairs(src_old_valid, tgt_old_valid);
  text.old = read_pairs(src_old, tgt_old);
  if (!o.data.prepared.empty()) {
    text.prepared = open_prepared(files(o.data.prepared), TranslationTraining::kName);
    require_length(o.data.length, *text.prepared);
    return text;
  }
  if (!o.data.inline_terms.empty()) text.terms.emplace(files(o.data.inline_terms));
  text.train = read_parallel(src, tgt);
  require_text(text.train.src, src);
  require_text(text.train.tgt, tgt);
  return text;
}

std::int64_t PairBatches::room_for_text(const TranslationModel& model, const PairTokens& tokens) {
  const std::int64_t longest = model.network->longest_sequence();
  const int most = std::max(tokens.marks.of_source(), tokens.marks.of_target());
  return longest == 0 ? 0 : std::max<std::int64_t>(1, longest + 1 - most);
}

void refuse_without_pairs(const std::string& file, const LengthOptions& length,
                          const ReadReport& report) {
  throw OptionError<DataError>("{}: expected pairs of at most {} tokens ({}), found none: {}", file,
                               length.max_length, as_key("max-length"), report.summary());
}

EncodedPairs PairBatches::encode(const ParallelText& text, const char* name) const {
  ReadReport report;
  EncodedPairs pairs = encode_parallel(text, model_.src_tokenizer, model_.tgt_tokenizer,
                                       options_.data.length, report);
  notes_.push_back(fmt::format("{} text: {}", name, report.summary()));
  if (report.kept == 0)
    refuse_without_pairs(text.origins.front().file, options_.data.length, report);
  return pairs;
}

EncodedPairs PairBatches::in_context(EncodedPairs pairs, const ParallelText& text,
                                     ContextUse use) const {
  const SourceContext& context = model_.format.context;
  if (context.sentences == 0) return pairs;
  return with_context(std::move(pairs), text, context, use);
}

std::vector<std::vector<InlineTerm>> PairBatches::terms_of(const EncodedPairs& pairs,
                                                           const ParallelText& text,
                                                           const Glossary& terms) const {
  auto found = terms_of_pairs(pairs, text, terms, model_.src_tokenizer, *model_.format.terms);
  const auto sentences = std::count_if(found.begin(), found.end(),
                                       [](const auto& of_pair) { return !of_pair.empty(); });
  if (sentences == 0)
    throw OptionError<DataError>(
        "{}: expected terms that the training text has on both sides, found none in it",
        as_key("inline-terms"));
  std::size_t count = 0;
  for (const auto& of_pair : found) count += of_pair.size();
  notes_.push_back(fmt::format("inline terms: {} in {} of {}",
                               readable_count(static_cast<std::int64_t>(count)),
                               readable_count(sentences), counted(std::ssize(found), "pair")));
  return found;
}

std::shared_ptr<const PairSource> PairBatches::with_inline_terms(EncodedPairs pairs,
                                                                 const ParallelText& text,
                                                                 const Glossary& terms) const {
  auto found = terms_of(pairs, text, terms);
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) tokens.push_back(pairs.src.length(i));
  return std::make_shared<const InlinePairs>(
      in_context(std::move(pairs), text, ContextUse::mostly), std::move(found), std::move(tokens),
      InlinePairs::Options{options_.data.inline_share, options_.trainer.seed,
                           room_for_text(model_, tokens_)});
}

BatchPlanner::Samples PairBatches::mixed(std::vector<std::int64_t> sizes,
                                         const std::vector<std::string>& names) const {
  if (options_.data.mixture.is_default()) return {};
  const auto mixture = std::make_shared<const Mixture>(std::move(sizes), options_.data.mixture,
                                                       options_.trainer.seed);
  for (std::string& line : mixture->summary(names, "pair")) notes_.push_back(std::move(line));
  return [mixture](std::int64_t epoch) { return mixture->samples(epoch); };
}

void PairBatches::find_soft_targets(const EncodedPairs& pairs, Distillation& distillation) const {
  if (!distillation.text) return;
  const SoftTargetText& soft = *distillation.text;
  const auto fits = [&](std::int64_t i) {
    const std::int32_t pair = pairs.origin[static_cast<std::size_t>(i)];
    return pair < soft.pairs() &&
           soft.tokens(pair) == pairs.tgt.length(i) + tokens_.marks.of_target();
  };
  for (std::int64_t i = 0; i < pairs.tgt.sequences(); ++i)
    if (!fits(i))
      throw OptionError<DataError>(
          "{}: the probabilities in {} are those of another text, or of another {}",
          as_key("soft-targets"), soft.folder(), as_flag("max-length"));
  distillation.origin = pairs.origin;
}

void PairBatches::learn_alignments(const EncodedPairs& pairs, TranslationLoss& loss) const {
  if (loss.guided_alignment == 0.0f) return;
  const auto alignment = std::make_shared<const GuidedAlignment>(pairs, model_);
  notes_.push_back(fmt::format("guided alignment: {:.0f} % of the target tokens are linked, for {}",
                               100 * alignment->linked(pairs), model_.aligning_module()));
  loss.alignment = alignment;
}

TranslationBatcher PairBatches::training(const TrainingText& text, TranslationLoss& loss) const {
  if (text.prepared) return stored(*text.prepared);
  EncodedPairs pairs = encode(text.train, "training");
  find_soft_targets(pairs, loss.distillation);
  learn_alignments(pairs, loss);
  auto samples = mixed(sizes_of_files(text.train, pairs), names_of_files(text.train));
  return TranslationBatcher(
      text.terms ? with_inline_terms(std::move(pairs), text.train, *text.terms)
                 : source_of(in_context(std::move(pairs), text.train, ContextUse::mostly)),
      tokens_, options_.data.batch, options_.trainer.seed, std::move(samples));
}

TranslationBatcher PairBatches::old(const ParallelText& text) const {
  return TranslationBatcher(source_of(in_context(encode(text, "old"), text, ContextUse::mostly)),
                            tokens_, options_.data.batch, options_.trainer.seed, {});
}

TranslationBatcher PairBatches::stored(const PreparedText& text) const {
  const auto pairs = std::make_shared<const StoredPairs>(text.shards);
  notes_.push_back(fmt::format("training text: {}", text.manifest.pairs.summary()));
  notes_.push_back(fmt::format(
      "it stays on disk, in {}; the order of an epoch takes {:.0f} MiB of memory, and twice that "
      "while it is drawn",
      counted(std::ssize(text.shards), "shard"),
      std::ceil(static_cast<double>(pairs->size()) * sizeof(std::int32_t) / (1 << 20))));
  return TranslationBatcher(pairs, tokens_, options_.data.batch, options_.trainer.seed,
                            mixed(text.samples, text.folders));
}

std::int64_t PairBatches::longest_source() const {
  const std::int64_t room = room_for_text(model_, tokens_), most = options_.data.length.max_length;
  return room > 0 ? std::min(room, most) : most;
}

std::shared_ptr<const PairSource> PairBatches::source_of(EncodedPairs pairs) const {
  const float dropout = options_.vocabulary.bpe_dropout;
  if (options_.data.source_noise > 0.0f)
    return std::make_shared<const NoisyPairs>(std::move(pairs), model_.src_tokenizer,
                                              options_.data.source_noise, options_.trainer.seed,
                                              longest_source());
  if (dropout == 0.0f) return pairs_in_memory(std::move(pairs));
  return std::make_shared<const SampledPairs>(
      std::move(pairs), BpeDropout(model_.src_tokenizer, dropout),
      BpeDropout(model_.tgt_tokenizer, dropout), options_.trainer.seed,
      room_for_text(model_, tokens_));
}

TranslationValidation PairBatches::validation(const ParallelText& text, const char* name) const {
  const EncodedPairs pairs = in_context(encode(text, name), text, ContextUse::always);
  TranslationOptions decoding;
  decoding.beam.beam_size = options_.loss.valid_beam_size;
  decoding.beam.length_penalty = options_.decoding.length_penalty;
  decoding.beam.min_length = model_.decoding.min_length;
  decoding.beam.no_repeat_ngram = model_.decoding.no_repeat_ngram;
  return {TranslationBatcher(pairs, tokens_, options_.data.batch, std::nullopt),
          references_of(pairs, text), decoding, options_.vocabulary.tokenizer.pretokenized};
}

}  // namespace attend
