#include "attend/tasks/translation/training/translated_pairs.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/config_file.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

// Scores the source of a pair as the translation of its target.
class ReversedScorer final : public PairScorer {
 public:
  explicit ReversedScorer(std::unique_ptr<PairScorer> scorer) : scorer_(std::move(scorer)) {}

  std::vector<FilterRule> rules() const override { return scorer_->rules(); }
  std::vector<Verdict> judge(std::span<const TextPair* const> pairs) const override {
    std::vector<TextPair> reversed;
    for (const TextPair* pair : pairs) {
      reversed.push_back(*pair);
      std::swap(reversed.back().src, reversed.back().tgt);
    }
    std::vector<const TextPair*> all;
    for (const TextPair& pair : reversed) all.push_back(&pair);
    return scorer_->judge(all);
  }

 private:
  std::unique_ptr<PairScorer> scorer_;
};

std::unique_ptr<PairScorer> scorer_of(const TranslationEngine& translator, WrittenSide side,
                                      const TranslatedPairOptions& options,
                                      const LanguagePair& languages) {
  if (!options.scores()) return nullptr;
  ModelFilterOptions rules;
  rules.min_score = options.min_score;
  std::unique_ptr<PairScorer> scorer =
      make_scorer(translator.ensemble().models().front(), /*in_pairs=*/true, rules, languages);
  if (side == WrittenSide::target) return scorer;
  return std::make_unique<ReversedScorer>(std::move(scorer));
}

FilterTask task_of(const TargetFiles& written, WrittenSide side,
                   const TranslatedPairOptions& options, const TranslatedPairs& to) {
  FilterTask task;
  task.in = {PairLayout::parallel, {written.src.string()}, {written.tgt.string()}};
  if (side == WrittenSide::source) std::swap(task.in.src, task.in.tgt);
  task.out = {to.src.string(), to.tgt.string(), "", side == WrittenSide::source ? options.tag : ""};
  task.options = {options.lines, options.pairs, options.duplicates, {}, options.keep_best};
  return task;
}

// Leaves no folder, so that other options can be tried.
[[noreturn]] void refuse_all(const FilterReport& report, const std::filesystem::path& folder) {
  std::vector<std::string> rules;
  for (const FilterReport::Count& one : report.rules)
    if (one.dropped > 0)
      rules.push_back(fmt::format("{} {}", readable_count(one.dropped), name_of(one.rule)));
  std::filesystem::remove_all(folder);
  throw DataError(fmt::format("{}: the filters have left none of {}: {}",
                              printable(folder.string(), 500), counted(report.pairs, "pair"),
                              fmt::join(rules, ", ")));
}

// What is left: two numbers in a file, which is written last.
struct PairCounts {
  std::int64_t translations = 0;
  std::int64_t kept = 0;
};

template <class Visitor>
void fields(PairCounts& o, Visitor&& visit) {
  visit("translations", o.translations, between(0, 1e15), "translations that were there");
  visit("kept", o.kept, between(0, 1e15), "pairs that are left of them");
}

}  // namespace

TranslatedPairs write_translated_pairs(const TranslationEngine& translator,
                                       const TargetFiles& written, WrittenSide side,
                                       const TranslatedPairOptions& options,
                                       const LanguagePair& languages,
                                       const std::filesystem::path& folder) {
  check_options(options);
  open_part_folder(
      folder,
      to_toml(options, "pairs") + checksums_of({written.src.string(), written.tgt.string()}),
      "pairs");
  TranslatedPairs result{folder / "src.txt", folder / "tgt.txt", 0, 0};
  const std::filesystem::path file = folder / "counts.toml";
  PairCounts counts;
  if (std::filesystem::exists(file)) {
    apply_config_file(file, option_fields(counts));
  } else {
    const std::unique_ptr<PairScorer> scorer = scorer_of(translator, side, options, languages);
    const FilterReport report = filter_text(task_of(written, side, options, result), scorer.get());
    if (report.kept == 0) refuse_all(report, folder);
    counts = {report.pairs, report.kept};
    write_file_atomically(file, to_toml(counts));
  }
  result.translations = counts.translations;
  result.pairs = counts.kept;
  return result;
}

}  // namespace attend
