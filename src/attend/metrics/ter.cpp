#include "attend/metrics/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/version.h"
#include "attend/error.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/tokenize.h"

namespace attend {
namespace {

using WordIds = std::vector<std::int32_t>;

// Tercom's limits.
constexpr std::int64_t kBeam = 25;          // columns on each side of the diagonal
constexpr std::int64_t kLongestMove = 10;   // words
constexpr std::int64_t kFarthestMove = 50;  // places between hypothesis and reference
constexpr std::int64_t kMostMoves = 1000;   // that are tried for a segment

enum class Edit : std::int8_t { unknown, keep, replace, remove, insert };  // of hypothesis words

// The fewest edits without moves that make the first words of a hypothesis the first words of the
// reference, near the diagonal.
class EditTable {
 public:
  explicit EditTable(const WordIds& reference)
      : reference_(reference), columns_(reference.size() + 1) {}

  // Returns the edits for all words. `rows`: how many of the first rows are those of the last call.
  std::int64_t fill(const WordIds& hypothesis, std::size_t rows) {
    const std::size_t count = hypothesis.size();
    costs_.resize((count + 1) * columns_);
    edits_.resize((count + 1) * columns_);
    if (rows == 0) {
      for (std::size_t j = 0; j < columns_; ++j)
        set(0, j, static_cast<std::int64_t>(j), Edit::insert);
    }
    const double slope =
        count == 0 ? 1 : static_cast<double>(reference_.size()) / static_cast<double>(count);
    const std::int64_t beam = static_cast<double>(kBeam) < slope / 2
                                  ? static_cast<std::int64_t>(std::ceil(slope / 2 + kBeam))
                                  : kBeam;
    for (std::size_t i = std::max<std::size_t>(rows, 1); i <= count; ++i) {
      const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * slope));
      const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - beam));
      const std::size_t end =
          i == count ? columns_ : std::min(columns_, static_cast<std::size_t>(diagonal + beam));
      fill_row(hypothesis[i - 1], i, begin, end);
    }
    return cost(count, columns_ - 1);
  }

  // The edits from the first word to the last.
  std::vector<Edit> path(std::size_t i) const {
    std::vector<Edit> path;
    for (std::size_t j = columns_ - 1; i > 0 || j > 0;) {
      const Edit edit = edits_[i * columns_ + j];
      path.push_back(edit);
      if (edit != Edit::insert) --i;
      if (edit != Edit::remove) --j;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int32_t>::max();

  std::int64_t cost(std::size_t i, std::size_t j) const { return costs_[i * columns_ + j]; }
  void set(std::size_t i, std::size_t j, std::int64_t cost, Edit edit) {
    costs_[i * columns_ + j] = cost;
    edits_[i * columns_ + j] = edit;
  }
  // Where costs are equal, a word is kept or replaced, else removed, else inserted.
  void fill_row(std::int32_t word, std::size_t i, std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < columns_; ++j) set(i, j, kNever, Edit::unknown);
    for (std::size_t j = begin; j < end; ++j) {
      const auto offer = [&](std::int64_t cost, Edit edit) {
        if (cost < this->cost(i, j)) set(i, j, cost, edit);
      };
      if (j > 0) {
        const bool same = word == reference_[j - 1];
        offer(cost(i - 1, j - 1) + (same ? 0 : 1), same ? Edit::keep : Edit::replace);
      }
      offer(cost(i - 1, j) + 1, Edit::remove);
      if (j > 0) offer(cost(i, j - 1) + 1, Edit::insert);
    }
  }

  const WordIds& reference_;
  std::size_t columns_;
  std::vector<std::int64_t> costs_;  // [words of the hypothesis + 1, columns]
  std::vector<Edit> edits_;
};

// What an edit path says of the words.
struct Alignment {
  std::vector<std::int64_t> place;  // of each reference word: the last hypothesis word before or at
                                    // it; -1: none
  std::vector<bool> wrong, missed;  // hypothesis words, reference words

  explicit Alignment(const std::vector<Edit>& path) {
    for (const Edit edit : path) {
      const bool error = edit != Edit::keep;
      if (edit != Edit::insert) wrong.push_back(error);
      if (edit == Edit::remove) continue;
      missed.push_back(error);
      place.push_back(std::ssize(wrong) - 1);
    }
  }
};

struct Move {
  std::int64_t begin = 0, length = 0, target = 0;  // of hypothesis words
};

WordIds moved(const WordIds& words, const Move& move) {
  WordIds result = words;
  const auto at = [&](std::int64_t i) { return result.begin() + i; };
  const std::int64_t end = move.begin + move.length;
  if (move.target < move.begin) {
    std::rotate(at(move.target), at(move.begin), at(end));
  } else {  // counted before the words are taken out, except where it is among them
    const std::int64_t to = move.target > end ? move.target : move.length + move.target;
    std::rotate(at(move.begin), at(end), at(std::min<std::int64_t>(to, std::ssize(words))));
  }
  return result;
}

class EditCounter {
 public:
  EditCounter(WordIds hypothesis, const WordIds& reference)
      : words_(std::move(hypothesis)),
        reference_(reference),
        table_(reference),
        trial_(reference) {}

  std::int64_t count() {
    if (reference_.empty()) return std::ssize(words_);
    std::int64_t moves = 0;
    std::int64_t edits = table_.fill(words_, 0);
    while (const auto better = best_move()) {
      // As in Tercom, a move that was found when there were too many to try does not count.
      if (tried_ >= kMostMoves || better->edits >= edits) break;
      words_ = moved(words_, better->move);
      edits = table_.fill(words_, 0);
      ++moves;
    }
    return moves + edits;
  }

 private:
  struct Candidate {
    std::int64_t edits = 0;
    Move move;

    // The fewest edits, the longest, the first words, the first target.
    auto rank() const { return std::tuple(-edits, move.length, -move.begin, -move.target); }
  };

  std::optional<Candidate> best_move() {
    const Alignment alignment(table_.path(words_.size()));
    std::optional<Candidate> best;
    const std::int64_t words = std::ssize(words_), refs = std::ssize(reference_);
    trial_.fill(words_, 0);
    last_same_ = words_.size();
    for (std::int64_t h = 0; h < words; ++h) {
      for (std::int64_t r = std::max<std::int64_t>(0, h - kFarthestMove);
           r < std::min(refs, h + kFarthestMove + 1); ++r) {
        for (std::int64_t length = 1; length <= kLongestMove; ++length) {
          const auto last_h = static_cast<std::size_t>(h + length - 1),
                     last_r = static_cast<std::size_t>(r + length - 1);
          if (h + length > words || r + length > refs || words_[last_h] != reference_[last_r])
            break;
          try_moves(alignment, {h, length, 0}, r, best);
          if (tried_ >= kMostMoves) return best;
        }
      }
    }
    return best;
  }

  // Moves these words behind each of the words that stand where the reference has them.
  void try_moves(const Alignment& alignment, Move move, std::int64_t in_reference,
                 std::optional<Candidate>& best) {
    const auto any = [](const std::vector<bool>& errors, std::int64_t begin, std::int64_t length) {
      return std::find(errors.begin() + begin, errors.begin() + begin + length, true) !=
             errors.begin() + begin + length;
    };
    if (!any(alignment.wrong, move.begin, move.length) ||
        !any(alignment.missed, in_reference, move.length))
      return;
    const std::int64_t now = alignment.place[static_cast<std::size_t>(in_reference)];
    if (now >= move.begin && now < move.begin + move.length) return;
    std::int64_t last = -1;
    for (std::int64_t offset = -1; offset < move.length; ++offset) {
      const std::int64_t at = in_reference + offset;
      move.target = at < 0 ? 0 : alignment.place[static_cast<std::size_t>(at)] + 1;
      if (move.target == last) continue;
      last = move.target;
      const auto same = static_cast<std::size_t>(std::min(move.begin, move.target));
      const Candidate candidate{edits_after(move, same), move};
      ++tried_;
      if (!best || candidate.rank() > best->rank()) best = candidate;
    }
  }

  std::int64_t edits_after(const Move& move, std::size_t same) {
    // The rows of the words before the move are those of the hypothesis.
    const std::size_t rows = std::min(same, last_same_) + 1;
    last_same_ = same;
    return trial_.fill(moved(words_, move), rows);
  }

  WordIds words_;
  const WordIds& reference_;
  EditTable table_, trial_;
  std::size_t last_same_ = 0;  // words at the beginning of the last trial that are those of words_
  std::int64_t tried_ = 0;
};

// Counts segment by segment.
class TerCounter {
 public:
  explicit TerCounter(const TerOptions& options) : options_(options) {}

  void count(const std::string& hypothesis, const References& references, std::size_t segment,
             std::span<std::int64_t> row) {
    vocabulary_.clear();
    const WordIds words = words_of(ter_tokenize(hypothesis, options_));
    row[0] = std::numeric_limits<std::int64_t>::max();
    row[1] = 0;
    for (const auto& reference : references) {
      // Twice, as sacreBLEU does, which parts ".5" of "..5" only the second time.
      const WordIds wanted =
          words_of(ter_tokenize(ter_tokenize(reference[segment], options_), options_));
      row[0] = std::min(row[0], EditCounter(words, wanted).count());
      row[1] += std::ssize(wanted);
    }
  }

 private:
  WordIds words_of(const std::string& tokens) {
    WordIds words;
    for (std::size_t begin = 0; begin < tokens.size();) {
      const std::size_t end = std::min(tokens.find(' ', begin), tokens.size());
      words.push_back(vocabulary_
                          .try_emplace(tokens.substr(begin, end - begin),
                                       static_cast<std::int32_t>(vocabulary_.size()))
                          .first->second);
      begin = end + 1;
    }
    return words;
  }

  const TerOptions& options_;
  std::unordered_map<std::string, std::int32_t> vocabulary_;
};

}  // namespace

SegmentCounts ter_counts(std::span<const std::string> hypotheses, const References& references,
                         const TerOptions& options) {
  check_segments(hypotheses, references, options.allow_subwords);
  SegmentCounts counts;
  counts.width = 2;
  counts.values.resize(hypotheses.size() * 2);
  parallel_for(
      static_cast<std::int64_t>(hypotheses.size()), kSegmentsPerTask,
      [&](std::int64_t begin, std::int64_t end) {
        TerCounter counter(options);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          look_for_interruption();
          counter.count(hypotheses[i], references, i, std::span(counts.values).subspan(2 * i, 2));
        }
      });
  return counts;
}

double ter_from_counts(std::span<const std::int64_t> sum, std::size_t n_references) {
  if (sum.size() != 2) throw ConfigError(fmt::format("expected 2 TER counts, got {}", sum.size()));
  if (sum[1] == 0) return sum[0] > 0 ? 100 : 0;
  return 100 * static_cast<double>(sum[0]) * static_cast<double>(n_references) /
         static_cast<double>(sum[1]);
}

double corpus_ter(std::span<const std::string> hypotheses, const References& references,
                  const TerOptions& options) {
  return ter_from_counts(ter_counts(hypotheses, references, options).sum(), references.size());
}

double sentence_ter(const std::string& hypothesis, std::span<const std::string> references,
                    const TerOptions& options) {
  References each;
  for (const std::string& reference : references) each.push_back({reference});
  return corpus_ter(std::span(&hypothesis, 1), each, options);
}

std::string ter_signature(const TerOptions& options, std::size_t n_references,
                          const Resampling& resampling) {
  return fmt::format("nrefs:{}{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:attend-{}",
                     n_references, resampling_signature(resampling),
                     options.case_sensitive ? "mixed" : "lc", options.normalized ? "yes" : "no",
                     options.no_punct ? "no" : "yes", options.asian_support ? "yes" : "no",
                     kVersion);
}

}  // namespace attend
