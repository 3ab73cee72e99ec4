#include "attend/metrics/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "attend/error.h"
#include "metrics/goldens.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string>& system_a() { return goldens::kCorpora.at("A"); }
const std::vector<std::string>& system_b() { return goldens::kCorpora.at("B"); }

TEST(Report, PrintsOneLinePerMetric) {
  const auto report = evaluate(system_a(), {goldens::kReferences[0]});
  ASSERT_EQ(report.metrics.size(), 2u);
  EXPECT_EQ(report.segments, 12);
  const auto bleu = corpus_bleu(system_a(), {goldens::kReferences[0]});
  EXPECT_EQ(report.metrics[0].systems[0].score, bleu.score);
  const std::string text = format_report(report);
  EXPECT_EQ(text.substr(0, text.find('\n')), format_bleu(bleu, bleu_signature({}, 1)));
  EXPECT_NE(
      text.find("\nchrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:attend-0.2.0 = "),
      std::string::npos);
}

TEST(Report, GivesAnIntervalWhenAsked) {
  EvaluationOptions options;
  options.confidence = true;
  options.bootstrap.samples = 100;
  const auto report = evaluate(system_a(), {goldens::kReferences[0]}, options);
  ASSERT_TRUE(report.metrics[0].systems[0].resampled);
  EXPECT_LT(report.metrics[0].systems[0].resampled->low, report.metrics[0].systems[0].score);
  EXPECT_NE(report.metrics[0].signature.find("|bs:100|seed:12345|"), std::string::npos);
}

// Their scores are the shares of the letter a, which are 0 .. 1.
ReportedMetric share_of_a() {
  return {"A",
          "nrefs:0",
          [](std::span<const std::string> lines) {
            SegmentCounts counts{2, {}};
            for (const std::string& line : lines) {
              counts.values.push_back(std::count(line.begin(), line.end(), 'a'));
              counts.values.push_back(std::ssize(line));
            }
            return counts;
          },
          [](std::span<const std::int64_t> sum) {
            return static_cast<double>(sum[0]) / static_cast<double>(sum[1]);
          },
          [](std::span<const std::int64_t>) { return std::string(); },
          false,
          2};
}

TEST(Report, HasMoreMetricsBehindItsOwnOrAlone) {
  const std::vector<std::string> lines{"aab", "b"}, others{"bbb", "a"};
  EvaluationOptions options;
  options.compute_bleu = false;
  const EvaluationReport both = evaluate(lines, {others}, options, {share_of_a()});
  ASSERT_EQ(both.metrics.size(), 2u);
  EXPECT_EQ(both.metrics[1].systems[0].score, 0.5);
  options.compute_chrf = false;
  EXPECT_EQ(format_report(evaluate(lines, {}, options, {share_of_a()}), 1), "A|nrefs:0 = 0.500\n");
  const EvaluationReport compared = compare(others, {lines}, {}, options, {share_of_a()});
  EXPECT_EQ(compared.metrics[0].baseline->score, 0.25);
  EXPECT_EQ(compared.metrics[0].systems[0].score, 0.5);
  EXPECT_NE(format_report(compared).find("  system   0.5000"), std::string::npos)
      << format_report(compared);
  expect_error<ConfigError>([&] { evaluate(lines, {}, options); }, {"no metric requested"});
}

TEST(Report, ComparesTwoSystems) {
  const auto report = compare(system_b(), {system_a()}, goldens::kReferences);
  ASSERT_TRUE(report.metrics[0].baseline);
  EXPECT_LT(report.metrics[0].baseline->score, report.metrics[0].systems[0].score);
  EXPECT_LT(*report.metrics[0].systems[0].p_value, 0.05);
  EXPECT_NE(format_report(report).find(": significant at 0.05"), std::string::npos);
  EXPECT_NE(format_report(compare(system_a(), {system_a()}, goldens::kReferences))
                .find(": not significant at 0.05"),
            std::string::npos);
}

// Less is better: the system with the smaller rate wins.
TEST(Report, ComparesByTheEditRate) {
  EvaluationOptions options;
  options.compute_bleu = options.compute_chrf = false;
  options.compute_ter = true;
  const auto report = compare(system_b(), {system_a()}, goldens::kReferences, options);
  const MetricReport& ter = report.metrics.at(0);
  EXPECT_EQ(ter.name, "TER");
  EXPECT_EQ(ter.systems[0].score, corpus_ter(system_a(), goldens::kReferences));
  EXPECT_EQ(ter.baseline->score, corpus_ter(system_b(), goldens::kReferences));
  EXPECT_LT(ter.systems[0].score, ter.baseline->score);
  EXPECT_GT(*ter.systems[0].wins, 0.9);
  EXPECT_EQ(*compare(system_a(), {system_b()}, goldens::kReferences, options)
                 .metrics.at(0)
                 .systems[0]
                 .p_value,
            *ter.systems[0].p_value);
}

TEST(Report, ComparesEachOfSeveralSystems) {
  const Systems systems{system_a(), goldens::kCorpora.at("short"), system_b()};
  const auto report = compare(system_b(), systems, goldens::kReferences);
  for (const MetricReport& metric : report.metrics) {
    ASSERT_EQ(metric.systems.size(), 3u);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      const auto alone = compare(system_b(), {systems[i]}, goldens::kReferences);
      const MetricReport& one = &metric == &report.metrics[0] ? alone.metrics[0] : alone.metrics[1];
      EXPECT_EQ(metric.systems[i].score, one.systems[0].score);
      EXPECT_EQ(metric.systems[i].p_value, one.systems[0].p_value);
      EXPECT_EQ(metric.systems[i].wins, one.systems[0].wins);
      EXPECT_EQ(metric.baseline->resampled->mean, one.baseline->resampled->mean);
    }
    EXPECT_EQ(*metric.systems[2].p_value, 1) << "a system beside itself";
  }
  const std::string text = format_report(report);
  for (const char* part :
       {"\n  baseline   ", "\n  system 1   ", "\n  system 2   ", "\n  system 3   "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_THROW(compare(system_b(), {}, goldens::kReferences), ConfigError);
  EXPECT_THROW(compare(system_b(), {{"one line"}}, goldens::kReferences), DataError);
}

TEST(Report, ComparesByRandomization) {
  EvaluationOptions options;
  options.significance = SignificanceTest::randomization;
  options.trials = 500;
  const auto report = compare(system_b(), {system_a()}, goldens::kReferences, options);
  const MetricReport& bleu = report.metrics[0];
  EXPECT_NE(bleu.signature.find("nrefs:2|ar:500|seed:12345|case"), std::string::npos)
      << bleu.signature;
  EXPECT_LT(*bleu.systems[0].p_value, 0.05);
  EXPECT_FALSE(bleu.systems[0].wins);
  EXPECT_FALSE(bleu.baseline->resampled);
  EXPECT_EQ(format_report(report).find("resamples"), std::string::npos);
  options.confidence = true;
  const auto with_interval = compare(system_b(), {system_a()}, goldens::kReferences, options);
  EXPECT_NE(with_interval.metrics[0].signature.find("|bs:1000|ar:500|seed:12345|"),
            std::string::npos);
  EXPECT_TRUE(with_interval.metrics[0].systems[0].resampled);
  EXPECT_EQ(with_interval.metrics[0].systems[0].p_value, bleu.systems[0].p_value);
  options.trials = 0;
  EXPECT_THROW(compare(system_b(), {system_a()}, goldens::kReferences, options), ConfigError);
}

TEST(Report, ScoresSubwordsWhenAllowed) {
  const std::vector<std::string> lines{"a sub@@ word in four"};
  EXPECT_THROW(evaluate(lines, {lines}), DataError);
  EvaluationOptions options;
  options.bleu.allow_subwords = true;
  for (const auto& metric : evaluate(lines, {lines}, options).metrics)
    EXPECT_NEAR(metric.systems[0].score, 100, 1e-9);
}

TEST(Report, NeedsAMetric) {
  EvaluationOptions options;
  options.compute_bleu = options.compute_chrf = false;
  EXPECT_THROW(evaluate(system_a(), goldens::kReferences, options), ConfigError);
}

}  // namespace
}  // namespace attend
