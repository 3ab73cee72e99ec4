#include "attend/data/filter/filter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "core/files.h"
#include "core/scoped_threads.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

// Scores a pair by the number at the end of its target; refuses targets with an x.
class NumberScorer final : public PairScorer {
 public:
  std::vector<FilterRule> rules() const override { return {FilterRule::min_score}; }
  std::vector<Verdict> judge(std::span<const TextPair* const> pairs) const override {
    std::vector<Verdict> verdicts;
    for (const TextPair* pair : pairs) {
      Verdict verdict;
      if (pair->tgt.find('x') != std::string::npos) verdict.broken = FilterRule::min_score;
      verdict.score = std::stof(pair->tgt.substr(pair->tgt.rfind(' ') + 1));
      verdicts.push_back(verdict);
      judged += 1;
    }
    return verdicts;
  }
  mutable int judged = 0;
};

class FilterText : public WithFiles {
 protected:
  FilterTask task(const std::string& src, const std::string& tgt) const {
    FilterTask task;
    task.in = {PairLayout::parallel, {write("in.en", src)}, {write("in.de", tgt)}};
    task.out = {path("out.en"), path("out.de"), path("rejected"), ""};
    return task;
  }
  Lines kept() const { return read_lines(path("out.en")); }
  static std::map<std::string, std::int64_t> counts(const FilterReport& report) {
    std::map<std::string, std::int64_t> counts;
    for (const FilterReport::Count& one : report.rules)
      if (one.dropped > 0) counts[std::string(name_of(one.rule))] = one.dropped;
    return counts;
  }
  bool has_output() const {
    return std::filesystem::exists(path("out.en")) || std::filesystem::exists(path("out.de")) ||
           std::filesystem::exists(path("rejected"));
  }
};

using Counts = std::map<std::string, std::int64_t>;

TEST_F(FilterText, CountsEachPairOnce) {
  const FilterReport report = filter_text(
      task("a dog\n\n1 2\nthe cat\na dog\nsame\n", "ein Hund\nleer\n3 4\ndie\nein Hund\nsame\n"));
  EXPECT_EQ(report.pairs, 6);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(counts(report),
            (Counts{{"empty", 1}, {"min-letters", 1}, {"unique", 1}, {"drop-identical", 1}}));
  EXPECT_EQ(kept(), (Lines{"a dog", "the cat"}));
  EXPECT_EQ(read_lines(path("out.de")), (Lines{"ein Hund", "die"}));
  EXPECT_EQ(read_lines(path("rejected")),
            (Lines{path("in.en") + ":2\tempty\t\tleer", path("in.en") + ":3\tmin-letters\t1 2\t3 4",
                   path("in.en") + ":5\tunique\ta dog\tein Hund",
                   path("in.en") + ":6\tdrop-identical\tsame\tsame"}));
}

TEST_F(FilterText, NamesTheFirstLineOfARule) {
  const FilterReport report = filter_text(task("a\n\nb\n\n", "A\nx\nB\nx\n"));
  for (const FilterReport::Count& one : report.rules)
    EXPECT_EQ(one.first, one.rule == FilterRule::empty ? path("in.en") + ":2" : "");
}

TEST_F(FilterText, KeepsTheFirstOfEqualPairsSourcesOrTargets) {
  const std::string src = "a\na\nb\nc\na\n", tgt = "A\nB\nB\nC\nA\n";
  FilterTask all = task(src, tgt);
  EXPECT_EQ(filter_text(all).kept, 4);
  all.options.duplicates.unique_sources = true;
  FilterReport report = filter_text(all);
  EXPECT_EQ(counts(report), (Counts{{"unique", 1}, {"unique-sources", 1}}));
  EXPECT_EQ(kept(), (Lines{"a", "b", "c"}));
  all.options.duplicates = {.unique = false, .unique_targets = true};
  report = filter_text(all);
  EXPECT_EQ(counts(report), (Counts{{"unique-targets", 2}}));
  EXPECT_EQ(kept(), (Lines{"a", "a", "c"}));
  all.options.duplicates = {.unique = false};
  EXPECT_EQ(filter_text(all).kept, 5);
}

// The pair that is dropped for its source must not hide the pair with its target.
TEST_F(FilterText, ForgetsThePairsThatAreDropped) {
  FilterTask both = task("a\na\nb\n", "A\nB\nB\n");
  both.options.duplicates = {.unique = true, .unique_sources = true, .unique_targets = true};
  EXPECT_EQ(filter_text(both).kept, 2);
  EXPECT_EQ(kept(), (Lines{"a", "b"}));
  FilterTask numbers = task("1\n1\n", "A\nA\n");
  EXPECT_EQ(counts(filter_text(numbers)), (Counts{{"min-letters", 2}}));
}

TEST_F(FilterText, SaysWhatItRemembers) {
  FilterTask both = task("a\na\nb\n", "A\nA\nA\n");
  both.options.duplicates.unique_targets = true;
  const FilterReport report = filter_text(both);
  ASSERT_EQ(report.seen.size(), 2u);
  EXPECT_EQ(report.seen[0].rule, FilterRule::unique);
  EXPECT_EQ(report.seen[1].rule, FilterRule::unique_targets);
  EXPECT_EQ(report.seen[1].lines, 1);
  EXPECT_GT(report.seen[0].bytes, 0);
}

TEST_F(FilterText, AsksTheScorerLast) {
  const NumberScorer scorer;
  const FilterReport report = filter_text(task("a\n\na\nb\n", "A 1\nB 2\nA 1\nx 3\n"), &scorer);
  EXPECT_EQ(scorer.judged, 2);
  EXPECT_EQ(counts(report), (Counts{{"empty", 1}, {"unique", 1}, {"min-score", 1}}));
  EXPECT_EQ(report.least_score, std::nullopt);
}

TEST_F(FilterText, KeepsTheBest) {
  const NumberScorer scorer;
  FilterTask best = task("a\nb\nc\nd\ne\nf\n", "A 3\nB 1\nx 9\nD 2\nE 3\nF 3\n");
  best.options.keep_best = 0.4;  // of five
  const FilterReport report = filter_text(best, &scorer);
  EXPECT_EQ(kept(), (Lines{"a", "e"}));  // of equal scores the first ones
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.pairs, 6);
  EXPECT_EQ(report.least_score, 3.0f);
  EXPECT_EQ(counts(report), (Counts{{"min-score", 1}, {"keep-best", 3}}));
  EXPECT_EQ(read_lines(path("rejected"))[1], path("in.en") + ":3\tmin-score\tc\tx 9");
}

TEST_F(FilterText, RoundsTheShareToKeep) {
  const NumberScorer scorer;
  FilterTask best = task("a\nb\nc\n", "A 1\nB 2\nC 3\n");
  const std::map<double, std::int64_t> expected{{0.01, 1}, {0.49, 1}, {0.51, 2}, {0.9, 3}};
  for (const auto& [share, count] : expected) {
    best.options.keep_best = share;
    EXPECT_EQ(filter_text(best, &scorer).kept, count) << share;
  }
}

TEST_F(FilterText, RanksNothingIfNothingIsScored) {
  const NumberScorer scorer;
  FilterTask best = task("\n", "\n");
  best.options.keep_best = 0.5;
  const FilterReport report = filter_text(best, &scorer);
  EXPECT_EQ(report.kept, 0);
  EXPECT_EQ(report.least_score, std::nullopt);
}

// Writes the files anew while they are read for the first time.
class Rewriter final : public PairScorer {
 public:
  explicit Rewriter(std::function<void()> rewrite) : rewrite_(std::move(rewrite)) {}
  std::vector<FilterRule> rules() const override { return {}; }
  std::vector<Verdict> judge(std::span<const TextPair* const> pairs) const override {
    rewrite_();
    return std::vector<Verdict>(pairs.size());
  }

 private:
  std::function<void()> rewrite_;
};

TEST_F(FilterText, RanksNoTextThatChangesWhileItIsRead) {
  for (const auto& [lines, why] :
       {std::pair{"a\nb\nc\nd\n", "has grown"}, std::pair{"a\n", "has become shorter"}}) {
    FilterTask best = task("a\nb\n", "A\nB\n");
    best.options.keep_best = 0.5;
    const Rewriter scorer([&, lines = lines] {
      for (const char* name : {"in.en", "in.de"}) {
        write("new", lines);
        std::filesystem::rename(path("new"), path(name));  // who has it open reads on as before
      }
    });
    const std::string message = message_of<DataError>([&] { filter_text(best, &scorer); });
    EXPECT_TRUE(contains(message, why)) << message;
    EXPECT_FALSE(has_output());
  }
}

TEST_F(FilterText, RanksOnlyFilesAndOnlyWithAScorer) {
  FilterTask best = task("a\n", "A 1\n");
  best.options.keep_best = 0.5;
  EXPECT_THROW(filter_text(best), ConfigError);
  const NumberScorer scorer;
  best.in.tgt = {"-"};
  const std::string message = message_of<ConfigError>([&] { filter_text(best, &scorer); });
  EXPECT_TRUE(contains(message, "keep_best: expected a file, which is read twice; standard input"))
      << message;
  best.in.tgt = {"/dev/null"};
  EXPECT_THROW(filter_text(best, &scorer), ConfigError);
  best.options.keep_best = 0;
  EXPECT_THROW(filter_text(best, &scorer), ConfigError);
}

TEST_F(FilterText, LeavesNoOutputForUnequalFiles) {
  const FilterTask unequal = task("a\nb\nc\n", "A\nB\n");
  const std::string message = message_of<DataError>([&] { filter_text(unequal); });
  EXPECT_TRUE(contains(message, "has 3 lines but")) << message;
  EXPECT_TRUE(contains(message, "has 2")) << message;
  EXPECT_FALSE(has_output());
}

TEST_F(FilterText, LeavesTheOldOutputOnAFullDisk) {
  const FilterTask full = task("a\n", "A\n");
  write("out.en", "old\n");
  {
    const ScopedFileCalls calls({.write = [](int, const void*, std::size_t) -> ssize_t {
                                   errno = ENOSPC;
                                   return -1;
                                 },
                                 .sync = {},
                                 .rename = {}});
    EXPECT_THROW(filter_text(full), IoError);
  }
  EXPECT_EQ(kept(), Lines{"old"});
  EXPECT_FALSE(std::filesystem::exists(path("out.de")));
}

TEST_F(FilterText, MayReplaceItsInput) {
  FilterTask in_place = task("a\na\n", "A\nA\n");
  in_place.out = {path("in.en"), path("in.de"), "", ""};
  EXPECT_EQ(filter_text(in_place).kept, 1);
  EXPECT_EQ(read_lines(path("in.en")), Lines{"a"});
}

TEST_F(FilterText, StopsWhenMemoryForDuplicatesEnds) {
  std::string src, tgt;
  for (int i = 0; i < 200'000; ++i) {
    src += "a" + std::to_string(i) + "\n";
    tgt += "b" + std::to_string(i) + "\n";
  }
  FilterTask large = task(src, tgt);
  large.options.lines.min_letters = 0;
  large.options.duplicates.unique_memory = 1;
  const std::string message = message_of<DataError>([&] { filter_text(large); });
  EXPECT_TRUE(contains(message, "unique_memory")) << message;
  EXPECT_FALSE(has_output());
  large.options.duplicates.unique_memory = 4;
  EXPECT_EQ(filter_text(large).kept, 200'000);
}

// Longer than a chunk, with all kinds of lines.
TEST_F(FilterText, GivesTheSameWithAnyNumberOfThreads) {
  std::string src, tgt;
  for (int i = 0; i < 10'000; ++i) {
    src += i % 7 == 0 ? "\n" : "a dog " + std::to_string(i % 3000) + "\n";
    tgt += i % 5 == 0 ? "12345 6\n" : "ein Hund " + std::to_string(i % 4000) + "\n";
  }
  const FilterTask one = task(src, tgt);
  std::string expected, rejected;
  for (const int threads : {1, 2, 3, 8}) {
    const ScopedThreads scoped(threads);
    filter_text(one);
    std::string text, dropped;
    for (const std::string& line : kept()) text += line + "\n";
    for (const std::string& line : read_lines(path("rejected"))) dropped += line + "\n";
    if (threads == 1) {
      expected = text;
      rejected = dropped;
    }
    EXPECT_EQ(text, expected) << threads;
    EXPECT_EQ(dropped, rejected) << threads;
  }
}

TEST_F(FilterText, TellsItsProgress) {
  std::string src;
  for (int i = 0; i < 5000; ++i) src += "a\n";
  std::int64_t counted = 0, calls = 0;
  filter_text(task(src, src), nullptr, [&](std::int64_t count) {
    counted += count;
    ++calls;
  });
  EXPECT_EQ(counted, 5000);
  EXPECT_EQ(calls, 2);
}

// 200 MB of text.
TEST_F(FilterText, NeedsMemoryForDuplicatesAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  FilterTask large;
  large.in = {PairLayout::single, {path("text")}, {}};
  large.out = {path("out"), "", "", ""};
  large.options.duplicates.unique = false;
  {
    std::ofstream text(path("text"));
    const std::string line(999, 'a');
    for (int i = 0; i < 200'000; ++i) text << line << '\n';
  }
  const auto before = peak();
  EXPECT_EQ(filter_text(large).kept, 200'000);
  EXPECT_LT(peak() - before, 100 * 1024);
}

}  // namespace
}  // namespace attend
