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

EncodedPairs PairBatches::encode(const ParallelText& text, const char* name, ContextUse use) const {
  ReadReport report;
  EncodedPairs pairs = encode_parallel(text, model_.src_tokenizer, model_.tgt_tokenizer,
                                       options_.data.length, report);
  notes_.push_back(fmt::format("{} text: {}", name, report.summary()));
  if (report.kept == 0)
    refuse_without_pairs(text.origins.front().file, options_.data.length, report);
  if (const SourceContext& context = model_.format.context; context.sentences > 0)
    return with_context(std::move(pairs), text, context, use);
  return pairs;
}

BatchPlanner::Samples PairBatches::mixed(std::vector<std::int64_t> sizes,
                                         const std::vector<std::string>& names) const {
  if (options_.data.mixture.is_default()) return {};
  const auto mixture = std::make_shared<const Mixture>(std::move(sizes), options_.data.mixture,
                                                       options_.trainer.seed);
  for (std::string& line : mixture->summary(names, "pair")) notes_.push_back(std::move(line));
  return [mixture](std::int64_t epoch) { return mixture->samples(epoch); };
}

TranslationBatcher PairBatches::training(const TrainingText& text) const {
  if (text.prepared) return stored(*text.prepared);
  EncodedPairs pairs = encode(text.train, "training", ContextUse::mostly);
  auto samples = mixed(sizes_of_files(text.train, pairs), names_of_files(text.train));
  return batches(std::move(pairs), std::move(samples));
}

TranslationBatcher PairBatches::old(const ParallelText& text) const {
  return batches(encode(text, "old", ContextUse::mostly), {});
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

TranslationBatcher PairBatches::batches(EncodedPairs pairs, BatchPlanner::Samples samples) const {
  const std::uint64_t seed = options_.trainer.seed;
  const float dropout = options_.vocabulary.bpe_dropout;
  std::shared_ptr<const PairSource> source;
  if (dropout == 0.0f) {
    source = pairs_in_memory(std::move(pairs));
  } else {
    source = std::make_shared<const SampledPairs>(
        std::move(pairs), BpeDropout(model_.src_tokenizer, dropout),
        BpeDropout(model_.tgt_tokenizer, dropout), seed, room_for_text(model_, tokens_));
  }
  return TranslationBatcher(source, tokens_, options_.data.batch, seed, std::move(samples));
}

TranslationValidation PairBatches::validation(const ParallelText& text, const char* name) const {
  const EncodedPairs pairs = encode(text, name, ContextUse::always);
  TranslationOptions decoding;
  decoding.beam.beam_size = options_.loss.valid_beam_size;
  decoding.beam.length_penalty = options_.decoding.length_penalty;
  decoding.beam.min_length = model_.decoding.min_length;
  decoding.beam.no_repeat_ngram = model_.decoding.no_repeat_ngram;
  return {TranslationBatcher(pairs, tokens_, options_.data.batch, std::nullopt),
          references_of(pairs, text), decoding, options_.vocabulary.tokenizer.pretokenized};
}

}  // namespace attend
