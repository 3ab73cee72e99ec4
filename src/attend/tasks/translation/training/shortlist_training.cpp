#include "attend/tasks/translation/training/shortlist_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attend/core/options/option_fields.h"
#include "attend/data/alignment/lexicon.h"
#include "attend/error.h"

namespace attend {

namespace {

// With eos, as the encoder reads them.
Ragged with_ends(const Ragged& src, std::int32_t eos) {
  RaggedBuilder ended;
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    ended.append(src[i]);
    ended.append(eos);
    ended.end_sequence();
  }
  return ended.build();
}

std::vector<std::int32_t> most_frequent(const Ragged& tgt, int vocab_size, int count) {
  std::vector<std::int64_t> occurrences(static_cast<std::size_t>(vocab_size), 0);
  for (const std::int32_t id : *tgt.ids) ++occurrences[static_cast<std::size_t>(id)];
  std::vector<std::int32_t> order(occurrences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return occurrences[static_cast<std::size_t>(a)] > occurrences[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

}  // namespace

Shortlist make_shortlist(const TranslationModel& model, const EncodedPairs& pairs,
                         const ShortlistOptions& options) {
  check_options(options);
  const Tokenizer &src = model.src_tokenizer, &tgt = model.tgt_tokenizer;
  const auto lexicon =
      learn_lexicon(with_ends(pairs.src, src.eos_id()), pairs.tgt, src.vocab_size());

  Shortlist shortlist;
  shortlist.always = most_frequent(pairs.tgt, tgt.vocab_size(), options.frequent);
  std::vector<std::int32_t> ends = model.ends;
  ends.push_back(tgt.eos_id());
  for (const std::int32_t end : ends)
    if (std::find(shortlist.always.begin(), shortlist.always.end(), end) == shortlist.always.end())
      shortlist.always.push_back(end);
  RaggedBuilder translations;
  for (std::int32_t id = 0; id < src.vocab_size(); ++id) {
    std::vector<std::int32_t> targets;
    for (const LexiconEntry& entry : lexicon[static_cast<std::size_t>(id)]) {
      if (std::ssize(targets) == options.translations || entry.probability == 0.0f) break;
      targets.push_back(entry.target);
    }
    const std::int32_t itself = tgt.id(src.piece(id));
    if (itself != tgt.unk_id() &&
        std::find(targets.begin(), targets.end(), itself) == targets.end())
      targets.push_back(itself);
    translations.add(targets);
  }
  shortlist.translations = translations.build();
  return shortlist;
}

ShortlistMeasure measure_shortlist(const TranslationModel& model, const Shortlist& shortlist,
                                   const EncodedPairs& pairs) {
  const Ragged src = with_ends(pairs.src, model.src_tokenizer.eos_id());
  std::int64_t allowed_tokens = 0, target_tokens = 0, covered = 0;
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    const std::vector<std::int32_t> allowed = shortlist.allowed(src[i]);
    allowed_tokens += std::ssize(allowed);
    target_tokens += pairs.tgt.length(i) + 1;
    ++covered;  // its end
    for (const std::int32_t id : pairs.tgt[i])
      covered += std::binary_search(allowed.begin(), allowed.end(), id) ? 1 : 0;
  }
  if (src.sequences() == 0) return {};
  return {static_cast<double>(allowed_tokens) / static_cast<double>(src.sequences()),
          static_cast<double>(covered) / static_cast<double>(target_tokens)};
}

TextShortlist shortlist_of_text(const TranslationModel& model, const std::vector<std::string>& src,
                                const std::vector<std::string>& tgt,
                                const ShortlistOptions& options) {
  TextShortlist result;
  const EncodedPairs pairs = encode_parallel(read_parallel(src, tgt), model.src_tokenizer,
                                             model.tgt_tokenizer, {}, result.report);
  if (result.report.kept == 0)
    throw DataError(fmt::format("{}: expected pairs of sentences to learn from, got {}",
                                src.front(), result.report.summary()));
  result.shortlist = make_shortlist(model, pairs, options);
  result.measure = measure_shortlist(model, result.shortlist, pairs);
  return result;
}

}  // namespace attend
