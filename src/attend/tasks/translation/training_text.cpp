#include "attend/tasks/translation/training_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "attend/core/lines.h"
#include "attend/data/sampled_pairs.h"
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

EncodedPairs PairBatches::encode(const ParallelText& text, const char* name) const {
  ReadReport report;
  EncodedPairs pairs = encode_parallel(text, model_.src_tokenizer, model_.tgt_tokenizer,
                                       options_.data.length, report);
  notes_.push_back(fmt::format("{} text: {}", name, report.summary()));
  if (report.kept == 0)
    throw DataError(
        fmt::format("{}: expected pairs of at most {} tokens (max-length), found none: "
                    "{}",
                    text.origins.front().file, options_.data.length.max_length, report.summary()));
  return pairs;
}

TranslationBatcher PairBatches::training(const ParallelText& text, const char* name) const {
  EncodedPairs pairs = encode(text, name);
  const std::uint64_t seed = options_.trainer.seed;
  const float dropout = options_.vocabulary.bpe_dropout;
  if (dropout == 0.0f)
    return TranslationBatcher(std::move(pairs), tokens_, options_.data.batch, seed);
  const auto source = std::make_shared<const SampledPairs>(
      std::move(pairs), BpeDropout(model_.src_tokenizer, dropout),
      BpeDropout(model_.tgt_tokenizer, dropout), seed, room_for_text(model_, tokens_));
  return TranslationBatcher(source, tokens_, options_.data.batch, seed);
}

TranslationValidation PairBatches::validation(const ParallelText& text, const char* name) const {
  const EncodedPairs pairs = encode(text, name);
  TranslationOptions decoding;
  decoding.beam.beam_size = options_.loss.valid_beam_size;
  decoding.beam.length_penalty = options_.decoding.length_penalty;
  decoding.beam.min_length = model_.decoding.min_length;
  decoding.beam.no_repeat_ngram = model_.decoding.no_repeat_ngram;
  return {TranslationBatcher(pairs, tokens_, options_.data.batch, std::nullopt),
          references_of(pairs, text), decoding, options_.vocabulary.tokenizer.pretokenized};
}

}  // namespace attend
