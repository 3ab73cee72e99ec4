// Which candidates models of COMET choose (tools/make_comet_fixtures.py): those that comet-mbr
// chooses, or that have the highest score of predict().
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/quality/scorer.h"
#include "attend/tasks/translation/candidate_choice.h"
#include "interchange/families/checkpoints/changed_checkpoint.h"

namespace attend {
namespace {

class CometChoice : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Of, CometChoice,
                         testing::Values("comet_regression", "comet_normed", "comet_layer",
                                         "comet_referenceless", "comet_kiwi", "comet_unified"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(CometChoice, IsThatOfComet) {
  const std::string name = GetParam();
  const QualityScorer scorer = QualityAccess::scorer(
      QualityEngine(quality_model(import_model(checkpoint_folder(name)).checkpoint)));
  TranslationOptions options;
  if (scorer.needs_reference()) {
    options.mbr = Utility::comet;
    options.comet = scorer;
    options.sampling = SamplingOptions{};
    options.samples = 1;
  } else {
    options.rerank = scorer;
  }
  check_choice(options);
  std::istringstream lines(fixture_bytes("models/" + name + "/choices.jsonl"));
  int choices = 0;
  for (std::string line; std::getline(lines, line); ++choices) {
    const nlohmann::json choice = parse_json(line, name);
    Candidates candidates{choice.at("source"), choice.at("candidates"), {}};
    candidates.log_probabilities.resize(candidates.texts.size(), 0.0);
    const std::vector<double> values = choice.at("values");
    const std::vector<std::size_t> order = ranked(options, candidates);
    ASSERT_EQ(order.size(), values.size());
    EXPECT_NE(std::set<double>(values.begin(), values.end()).size(), 1u);
    for (std::size_t k = 1; k < order.size(); ++k)
      EXPECT_GE(values[order[k - 1]] + 1e-5 * (1 + std::abs(values[order[k]])), values[order[k]])
          << line;
  }
  EXPECT_GE(choices, 12);
}

}  // namespace
}  // namespace attend
