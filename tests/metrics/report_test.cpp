#include "attend/metrics/report.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

const std::vector<std::string>& system_a() { return goldens::kCorpora.at("A"); }
const std::vector<std::string>& system_b() { return goldens::kCorpora.at("B"); }

TEST(Report, PrintsOneLinePerMetric) {
  const auto report = evaluate(system_a(), {goldens::kReferences[0]});
  ASSERT_EQ(report.metrics.size(), 2u);
  EXPECT_EQ(report.segments, 12);
  const auto bleu = corpus_bleu(system_a(), {goldens::kReferences[0]});
  EXPECT_EQ(report.metrics[0].system.score, bleu.score);
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
  ASSERT_TRUE(report.metrics[0].system.resampled);
  EXPECT_LT(report.metrics[0].system.resampled->low, report.metrics[0].system.score);
  EXPECT_NE(report.metrics[0].signature.find("|bs:100|seed:12345|"), std::string::npos);
}

TEST(Report, ComparesTwoSystems) {
  const auto report = compare(system_b(), system_a(), goldens::kReferences);
  ASSERT_TRUE(report.metrics[0].baseline);
  EXPECT_LT(report.metrics[0].baseline->score, report.metrics[0].system.score);
  EXPECT_LT(*report.metrics[0].p_value, 0.05);
  EXPECT_NE(format_report(report).find(": significant at 0.05"), std::string::npos);
  EXPECT_NE(format_report(compare(system_a(), system_a(), goldens::kReferences))
                .find(": not significant at 0.05"),
            std::string::npos);
}

// Less is better: the system with the smaller rate wins.
TEST(Report, ComparesByTheEditRate) {
  EvaluationOptions options;
  options.compute_bleu = options.compute_chrf = false;
  options.compute_ter = true;
  const auto report = compare(system_b(), system_a(), goldens::kReferences, options);
  const MetricReport& ter = report.metrics.at(0);
  EXPECT_EQ(ter.name, "TER");
  EXPECT_EQ(ter.system.score, corpus_ter(system_a(), goldens::kReferences));
  EXPECT_EQ(ter.baseline->score, corpus_ter(system_b(), goldens::kReferences));
  EXPECT_LT(ter.system.score, ter.baseline->score);
  EXPECT_GT(*ter.wins, 0.9);
  EXPECT_EQ(*compare(system_a(), system_b(), goldens::kReferences, options).metrics.at(0).p_value,
            *ter.p_value);
}

TEST(Report, ScoresSubwordsWhenAllowed) {
  const std::vector<std::string> lines{"a sub@@ word in four"};
  EXPECT_THROW(evaluate(lines, {lines}), DataError);
  EvaluationOptions options;
  options.bleu.allow_subwords = true;
  for (const auto& metric : evaluate(lines, {lines}, options).metrics)
    EXPECT_NEAR(metric.system.score, 100, 1e-9);
}

TEST(Report, NeedsAMetric) {
  EvaluationOptions options;
  options.compute_bleu = options.compute_chrf = false;
  EXPECT_THROW(evaluate(system_a(), goldens::kReferences, options), ConfigError);
}

}  // namespace
}  // namespace attend
