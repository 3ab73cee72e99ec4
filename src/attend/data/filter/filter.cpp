#include "attend/data/filter/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/threads/parallel.h"
#include "attend/data/filter/duplicates.h"
#include "attend/data/filter/rules.h"
#include "attend/error.h"

namespace attend {
namespace {

// Pairs that are judged together.
constexpr std::size_t kChunkPairs = 4096;
constexpr std::size_t kChunkBytes = std::size_t{16} << 20;

using Broken = std::optional<FilterRule>;

struct Chunk {
  std::vector<TextPair> pairs;
  std::vector<Broken> broken;
  std::vector<float> scores;

  bool read(PairReader& reader) {
    pairs.clear();
    TextPair pair;
    for (std::size_t bytes = 0; pairs.size() < kChunkPairs && bytes < kChunkBytes;) {
      if (!reader.next(pair)) break;
      bytes += pair.bytes();
      pairs.push_back(std::move(pair));
    }
    broken.assign(pairs.size(), {});
    scores.assign(pairs.size(), 0);
    return !pairs.empty();
  }
  std::size_t size() const { return pairs.size(); }
};

// The rules in their order: those that know one pair, those against duplicates, the scorer's.
class Judge {
 public:
  Judge(const FilterOptions& options, bool in_pairs, const PairScorer* scorer)
      : rules_(options, in_pairs), duplicates_(options.duplicates, in_pairs), scorer_(scorer) {}

  void judge(Chunk& chunk) {
    std::vector<LineHashes> hashes(chunk.size());
    parallel_for(static_cast<std::int64_t>(chunk.size()), 64, [&](auto begin, auto end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        chunk.broken[i] = rules_.broken_by(chunk.pairs[i]);
        if (!chunk.broken[i]) hashes[i] = duplicates_.hashes(chunk.pairs[i]);
      }
    });
    for (std::size_t i = 0; i < chunk.size(); ++i)
      if (!chunk.broken[i]) chunk.broken[i] = duplicates_.broken_by(hashes[i]);
    if (scorer_ != nullptr) score(chunk);
  }

  FilterReport new_report(bool in_pairs) const {
    FilterReport report;
    report.in_pairs = in_pairs;
    const auto add = [&report](const std::vector<FilterRule>& rules) {
      for (const FilterRule rule : rules) report.rules.push_back({rule});
    };
    add(rules_.rules());
    add(duplicates_.rules());
    if (scorer_ != nullptr) add(scorer_->rules());
    return report;
  }
  std::vector<FilterReport::Seen> seen() const { return duplicates_.seen(); }

 private:
  void score(Chunk& chunk) const {
    std::vector<std::size_t> left;
    std::vector<const TextPair*> pairs;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (chunk.broken[i]) continue;
      left.push_back(i);
      pairs.push_back(&chunk.pairs[i]);
    }
    if (pairs.empty()) return;
    const std::vector<PairScorer::Verdict> verdicts = scorer_->judge(pairs);
    for (std::size_t i = 0; i < left.size(); ++i) {
      chunk.broken[left[i]] = verdicts[i].broken;
      chunk.scores[left[i]] = verdicts[i].score;
    }
  }

  PairRules rules_;
  DuplicateRules duplicates_;
  const PairScorer* scorer_;
};

void count(const PairReader& reader, const TextPair& pair, const Broken& broken,
           FilterReport& report) {
  ++report.pairs;
  if (!broken) {
    ++report.kept;
    return;
  }
  const auto found =
      std::find_if(report.rules.begin(), report.rules.end(),
                   [&](const FilterReport::Count& one) { return one.rule == *broken; });
  if (found->dropped++ == 0) found->first = reader.where(pair);
}

void write(const PairReader& reader, const TextPair& pair, const Broken& broken,
           PairWriter& writer) {
  if (!broken) {
    writer.keep(pair);
  } else if (writer.writes_rejected()) {
    writer.reject(pair, *broken, reader.where(pair));
  }
}

// Calls use(reader, chunk) for all of the text.
void for_chunks(const FilterTask& task, const Advance& advance,
                const std::function<void(const PairReader&, Chunk&)>& use) {
  PairReader reader(task.in);
  Chunk chunk;
  while (chunk.read(reader)) {
    use(reader, chunk);
    if (advance) advance(static_cast<std::int64_t>(chunk.size()));
  }
}

// What is kept of scored pairs, at least one: those above a bound, and the first ones at it.
struct BestScores {
  float bound = -std::numeric_limits<float>::infinity();
  std::int64_t at_bound = 0;

  BestScores(std::vector<float> scores, double share) {
    if (scores.empty()) return;
    const auto most = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::llround(share * static_cast<double>(scores.size()))));
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
    bound = *last;
    at_bound = std::count(scores.begin(), last + 1, bound);
  }

  bool keeps(float score) { return score > bound || (score == bound && at_bound-- > 0); }
};

void require_files(const PairFiles& in) {
  for (const auto* files : {&in.src, &in.tgt})
    for (const std::string& file : *files) {
      std::error_code ignored;
      if (file == "-" || !std::filesystem::is_regular_file(file, ignored))
        throw OptionError<ConfigError>("{}: expected a file, which is read twice; {} is none",
                                       as_flag("keep-best"), file == "-" ? "standard input" : file);
    }
}

FilterReport filter_once(const FilterTask& task, Judge& judge, const Advance& advance) {
  FilterReport report = judge.new_report(task.in.layout != PairLayout::single);
  PairWriter writer(task.out, task.in.layout);
  for_chunks(task, advance, [&](const PairReader& reader, Chunk& chunk) {
    judge.judge(chunk);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      count(reader, chunk.pairs[i], chunk.broken[i], report);
      write(reader, chunk.pairs[i], chunk.broken[i], writer);
    }
  });
  writer.commit();
  return report;
}

// The first reading judges and scores, the second one writes.
FilterReport filter_by_rank(const FilterTask& task, Judge& judge, const Advance& advance) {
  require_files(task.in);
  FilterReport report = judge.new_report(task.in.layout != PairLayout::single);
  report.rules.push_back({FilterRule::keep_best});
  PairWriter writer(task.out, task.in.layout);
  std::vector<std::uint8_t> rules;  // of each pair; kNone: kept so far
  constexpr std::uint8_t kNone = 0xff;
  std::vector<float> scores;  // of those
  for_chunks(task, advance, [&](const PairReader&, Chunk& chunk) {
    judge.judge(chunk);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      rules.push_back(chunk.broken[i] ? static_cast<std::uint8_t>(*chunk.broken[i]) : kNone);
      if (!chunk.broken[i]) scores.push_back(chunk.scores[i]);
    }
  });
  BestScores best(scores, task.options.keep_best);
  if (!scores.empty()) report.least_score = best.bound;
  std::size_t pair = 0, scored = 0;
  for_chunks(task, {}, [&](const PairReader& reader, Chunk& chunk) {
    if (pair + chunk.size() > rules.size()) throw DataError("the text has grown while it was read");
    for (std::size_t i = 0; i < chunk.size(); ++i, ++pair) {
      Broken broken;
      if (rules[pair] != kNone) {
        broken = static_cast<FilterRule>(rules[pair]);
      } else if (!best.keeps(scores[scored++])) {
        broken = FilterRule::keep_best;
      }
      count(reader, chunk.pairs[i], broken, report);
      write(reader, chunk.pairs[i], broken, writer);
    }
  });
  if (pair != rules.size()) throw DataError("the text has become shorter while it was read");
  writer.commit();
  return report;
}

}  // namespace

FilterReport filter_text(const FilterTask& task, const PairScorer* scorer, const Advance& advance) {
  const double keep_best = task.options.keep_best;
  require_in_range("keep-best", keep_best, kKeptShares);
  if (keep_best < 1 && scorer == nullptr)
    throw OptionError<ConfigError>("{}: expected a model that scores the text, got none",
                                   as_flag("keep-best"));
  Judge judge(task.options, task.in.layout != PairLayout::single, scorer);
  FilterReport report =
      keep_best < 1 ? filter_by_rank(task, judge, advance) : filter_once(task, judge, advance);
  report.seen = judge.seen();
  return report;
}

}  // namespace attend
