#include <nlohmann/json.hpp>
#include <sstream>

#include "attend/core/files/lines.h"
#include "attend/tasks/quality/engine.h"
#include "cli/program_test.h"
#include "tasks/small_quality.h"

namespace attend {
namespace {

class EvaluateQuality : public ProgramTest {
 protected:
  EvaluateQuality() {
    write("src", "ein guter film\nnicht schlecht\nso gut\n");
    write("ref", "a good film\nnot bad\nso good\n");
    write("hyp", "a good film\nnot good\nso so\n");
    write("old", "a bad film\nbad\ngood\n");
    save("compared", small_quality_model());
    save("kiwi", small_quality_model(QualityReading::joined, true, false));
  }
  void save(const std::string& name, const QualityModel& model) {
    save_checkpoint(path(name), finished_checkpoint_of(model));
  }
  double mean_of(const std::string& model, const std::string& lines) {
    const auto sources = read_lines(path("src")), references = read_lines(path("ref")),
               texts = read_lines(path(lines));
    double sum = 0;
    for (const float score : QualityEngine::load(path(model)).score(texts, {sources, references}))
      sum += score;
    return sum / static_cast<double>(texts.size());
  }
  int evaluate(std::vector<std::string> options) {
    options.insert(options.begin(), {"evaluate", "--hypotheses", path("hyp")});
    return run(options);
  }
};

TEST_F(EvaluateQuality, PrintsAMetricMore) {
  ASSERT_EQ(evaluate({"--references", path("ref"), "--sources", path("src"), "--comet",
                      path("compared"), path("kiwi"), "--format", "json"}),
            0)
      << error_;
  const auto metrics = nlohmann::json::parse(out_)["metrics"];
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[2]["name"], "COMET");
  EXPECT_NE(metrics[2]["signature"].get<std::string>().find("|model:compared|"), std::string::npos);
  EXPECT_NEAR(metrics[2]["score"], mean_of("compared", "hyp"), 1e-7);
  EXPECT_NEAR(metrics[3]["score"], mean_of("kiwi", "hyp"), 1e-7);
}

TEST_F(EvaluateQuality, NeedsNoReferencesWhereTheModelReadsNone) {
  ASSERT_EQ(evaluate({"--sources", path("src"), "--comet", path("kiwi")}), 0) << error_;
  EXPECT_EQ(out_.find("COMET|nrefs:0|src:yes|model:kiwi|"), 0u) << out_;
  EXPECT_NE(out_.find(fmt::format(" = {:.4f}\n", mean_of("kiwi", "hyp"))), std::string::npos)
      << out_;
  EXPECT_EQ(evaluate({"--sources", path("src"), "--comet", path("compared")}), 2);
  EXPECT_NE(error_.find("--references: expected a file of references"), std::string::npos)
      << error_;
  EXPECT_EQ(evaluate({"--sources", path("src"), "--comet", path("kiwi"), "--ter"}), 2);
  EXPECT_NE(error_.find("--ter"), std::string::npos) << error_;
  EXPECT_EQ(evaluate({"--comet", path("kiwi")}), 2);
  EXPECT_NE(error_.find("--sources: expected the sources"), std::string::npos) << error_;
}

TEST_F(EvaluateQuality, ComparesSystems) {
  ASSERT_EQ(evaluate({"--sources", path("src"), "--comet", path("kiwi"), "--baseline", path("old"),
                      "--bootstrap-samples", "9", "--format", "json"}),
            0)
      << error_;
  const auto metric = nlohmann::json::parse(out_)["metrics"][0];
  EXPECT_NEAR(metric["baseline"]["score"], mean_of("kiwi", "old"), 1e-7);
  EXPECT_NEAR(metric["score"], mean_of("kiwi", "hyp"), 1e-7);
  EXPECT_TRUE(metric.contains("p_value"));
  EXPECT_NE(metric["signature"].get<std::string>().find("|bs:9|"), std::string::npos);
}

TEST_F(EvaluateQuality, ComparesSeveralSystemsWithTheSameReferences) {
  ASSERT_EQ(run({"evaluate", "--hypotheses", path("hyp"), path("ref"), "--references", path("ref"),
                 "--sources", path("src"), "--comet", path("compared"), "--baseline", path("old"),
                 "--bootstrap-samples", "9", "--format", "json"}),
            0)
      << error_;
  const auto metric = nlohmann::json::parse(out_)["metrics"][2];
  EXPECT_NEAR(metric["baseline"]["score"], mean_of("compared", "old"), 1e-7);
  EXPECT_NEAR(metric["systems"][0]["score"], mean_of("compared", "hyp"), 1e-7);
  EXPECT_NEAR(metric["systems"][1]["score"], mean_of("compared", "ref"), 1e-7);
}

TEST_F(EvaluateQuality, HasTheMeanOfTheScoresOfLines) {
  ASSERT_EQ(run({"score", path("compared"), "--src", path("src"), "--tgt", path("hyp"), "--ref",
                 path("ref")}),
            0)
      << error_;
  std::istringstream lines(out_);
  double sum = 0, count = 0;
  for (double score = 0; lines >> score; ++count) sum += score;
  ASSERT_EQ(count, 3);
  EXPECT_NEAR(sum / count, mean_of("compared", "hyp"), 1e-6);
  EXPECT_EQ(run({"score", path("compared"), "--src", path("src"), "--tgt", path("hyp")}), 2);
  EXPECT_NE(error_.find("--ref: expected the file with the references"), std::string::npos);
  EXPECT_EQ(run({"score", path("kiwi"), "--src", path("src"), "--tgt", path("hyp"), "--tokens"}),
            2);
  EXPECT_NE(error_.find("--tokens"), std::string::npos) << error_;
}

TEST_F(EvaluateQuality, RefusesOtherModelsAndSeveralReferences) {
  EXPECT_EQ(evaluate({"--references", path("ref"), path("old"), "--sources", path("src"), "--comet",
                      path("compared")}),
            2);
  EXPECT_NE(error_.find("reads one reference of a translation, got 2"), std::string::npos)
      << error_;
  EXPECT_NE(run({"evaluate", path("kiwi")}), 0);
  EXPECT_NE(error_.find("--comet"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
