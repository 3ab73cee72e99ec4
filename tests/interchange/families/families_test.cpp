// Models of every family as transformers writes them (tools/make_import_fixtures.py,
// make_translation_fixtures.py, make_t5_opt_fixtures.py), against what transformers computes with
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/model.h"
#include "interchange/families/family_fixtures.h"

namespace attend {
namespace {

class ImportedFamily : public testing::TestWithParam<FamilyFixture> {
 protected:
  Checkpoint imported() const {
    return import_model(ModelDirectory(GetParam().folder())).checkpoint;
  }
  GoldenComparison compared(const Checkpoint& checkpoint) const {
    return compare_with_golden(*load_model(checkpoint), GetParam().folder() / "golden.safetensors");
  }
};

INSTANTIATE_TEST_SUITE_P(Of, ImportedFamily, testing::ValuesIn(family_fixtures()), name_of_fixture);

TEST_P(ImportedFamily, ComputesWhatTransformersComputes) {
  const Checkpoint checkpoint = imported();
  const GoldenComparison found = compared(checkpoint);
  EXPECT_EQ(found.texts, 9);
  EXPECT_EQ(found.equal_ids, found.texts);
  ASSERT_GE(found.differences.size(), 4u);  // of a stack of two layers with its input, and:
  EXPECT_EQ(found.differences.back().what,
            checkpoint.text("attend.task") == EmbeddingModel::kTask ? "vectors" : "logits");
  for (const GoldenDifference& one : found.differences) EXPECT_LE(one.largest, 1e-5) << one.what;
}

// From a file: what greedy decoding writes, or the label of a text.
TEST_P(ImportedFamily, AnswersWhatTransformersAnswers) {
  const auto path = scratch("imported_family");
  save_checkpoint(path, imported());
  const Checkpoint checkpoint = load_checkpoint(path);
  std::filesystem::remove(path);
  const GoldenComparison found = compared(checkpoint);
  const std::string task = checkpoint.text("attend.task");
  if (task == EmbeddingModel::kTask || task == TaggingModel::kTask) {
    EXPECT_EQ(found.written, "") << "its vectors or logits are the answer";
  } else {
    EXPECT_EQ(found.written, task == ClassificationModel::kTask ? "labels" : "greedy");
    EXPECT_EQ(found.equal_written, 9);
  }
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double product = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    of_a += double{a[i]} * a[i];
    of_b += double{b[i]} * b[i];
  }
  return product / std::sqrt(of_a * of_b);
}

// The answers to its golden samples change by less than `largest`, and the cosine of the vector of
// a text, which those that translate may have none of, is larger than `cosine`.
struct LeastQuality {
  double largest, cosine;
};
void expect_quality(const Checkpoint& exact, const Checkpoint& quantized, LeastQuality wanted) {
  const auto model = load_model(exact), small = load_model(quantized);
  EXPECT_TRUE(check_golden_samples(*small, golden_samples(quantized, *small)).holds());
  const double deviation = check_golden_samples(*small, golden_samples(exact, *model)).deviation;
  EXPECT_GT(deviation, 0.0);
  EXPECT_LT(deviation, wanted.largest);
  if (exact.text("attend.task") == TranslationModel::kTask) return;
  const auto vector = [](const SavedModel& of) {
    const std::vector<std::string> texts{"A man is walking."};
    return EmbeddingEngine(of).embed(texts, {})[0].vectors.to_vector();
  };
  // The error of one token is not averaged.
  const bool is_last_token =
      exact.metadata.at("attend.config").find("\"last\"") != std::string::npos;
  EXPECT_GT(cosine(vector(*model), vector(*small)),
            is_last_token ? 1 - 2 * (1 - wanted.cosine) : wanted.cosine);
}

TEST_P(ImportedFamily, RunsInEightBits) {
  const Checkpoint exact = imported();
  expect_quality(exact, quantize_model(exact), {.largest = 0.1, .cosine = 0.99});
}

// Widths of the fixtures that are no multiples of 16 stay in 8 bits, all of BLOOM's among them.
TEST_P(ImportedFamily, RunsInFourBits) {
  const Checkpoint exact = imported(), quantized = quantize_model(exact, WeightBits::four);
  EXPECT_EQ(weight_bits(quantized), GetParam().name == std::string("bloom") ? 8 : 4);
  // The router of a mixture, itself in 32 bits, may choose another expert for a vector that has
  // changed a little.
  const bool is_mixture = GetParam().model_type().ends_with("moe");
  expect_quality(exact, quantized, {.largest = 0.5, .cosine = is_mixture ? 0.85 : 0.95});
}

bool is_registered(const std::string& suite, const std::string& test) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& one = *all.GetTestSuite(i);
    if (one.name() != suite) continue;
    for (int k = 0; k < one.total_test_count(); ++k)
      if (one.GetTestInfo(k)->name() == test) return true;
  }
  return false;
}

std::string import_page() {
  std::ifstream page(std::filesystem::path(ATTEND_SOURCE_DIR) / "docs/import.md");
  return {std::istreambuf_iterator<char>(page), {}};
}

// The tests of a cell of the table, which the page names.
struct TableColumn {
  std::string_view name, suite, test;
};
constexpr TableColumn kTableColumns[] = {
    {"import", "ImportedFamily", "ComputesWhatTransformersComputes"},
    {"run", "ImportedFamily", "AnswersWhatTransformersAnswers"},
    {"8 bits", "ImportedFamily", "RunsInEightBits"},
    {"4 bits", "ImportedFamily", "RunsInFourBits"},
    {"train", "TrainedFamily", "BeginsWithTheLossAndTheGradientsOfTheModel"},
    {"export", "ExportedFamily", "IsImportedAgainAsTheSameFile"},
};

TEST(ImportPage, HasARowForEveryFamily) {
  const std::string page = import_page();
  std::string header = "| family | `model_type` |";
  for (const TableColumn& column : kTableColumns) {
    header += fmt::format(" {} |", column.name);
    EXPECT_NE(page.find(fmt::format("`{}.{}`", column.suite, column.test)), page.npos)
        << column.name;
  }
  EXPECT_NE(page.find(header), page.npos) << header;
  for (const ModelFamily& family : model_families()) {
    const std::string row =
        fmt::format("| `{}` | yes | yes | yes | yes | yes | yes |", family.name);
    EXPECT_NE(page.find(row), page.npos) << row;
  }
}

// Every "yes" of the table is a test that runs, of a fixture of that family.
TEST(ImportPage, PromisesWhatIsTested) {
  for (const ModelFamily& family : model_families()) {
    const auto of_family =
        fixtures_that([&](const FamilyFixture& one) { return one.model_type() == family.name; });
    for (const TableColumn& column : kTableColumns) {
      const bool is_tested =
          std::any_of(of_family.begin(), of_family.end(), [&](const FamilyFixture& one) {
            return is_registered(fmt::format("Of/{}", column.suite),
                                 fmt::format("{}/{}", column.test, one.name));
          });
      EXPECT_TRUE(is_tested) << family.name << ": " << column.name;
    }
  }
  for (const auto& [suite, test] : {std::pair{"NativeMarianModel", "ScoresEveryTokenAsMarianDoes"},
                                    std::pair{"NativeMarianModel", "WritesWhatMarianWrites"},
                                    std::pair{"NativeMarianModel", "RunsInFewerBits"},
                                    std::pair{"ExportedNativeMarian", "IsAMarianMt"}})
    EXPECT_TRUE(is_registered(std::string("Of/") + suite, std::string(test) + "/native_joint"));
  EXPECT_TRUE(is_registered("TrainedNativeMarian", "BeginsWithTheLossOfTheModel"));
}

}  // namespace
}  // namespace attend
