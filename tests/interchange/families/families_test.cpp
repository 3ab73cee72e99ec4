// Models of every family as transformers writes them (tools/make_import_fixtures.py), against what
// transformers computes with them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden_comparison.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/golden.h"
#include "attend/tasks/model_quantization.h"
#include "attend/tasks/registry.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

class ImportedFamily : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Of, ImportedFamily,
                         testing::Values("marian", "marian_separate", "gpt2", "llama", "qwen2",
                                         "t5", "flan_t5", "mt5", "umt5", "opt", "opt_post_norm",
                                         "bloom"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(ImportedFamily, ComputesWhatTransformersComputes) {
  const std::filesystem::path folder = fixture("models") / GetParam();
  const ImportedModel imported = import_model(ModelDirectory(folder));
  const GoldenComparison found =
      compare_with_golden(*load_model(imported.checkpoint), folder / "golden.safetensors");
  EXPECT_GT(found.texts, 0);
  EXPECT_EQ(found.equal_ids, found.texts);
  EXPECT_EQ(found.equal_written, found.texts);
  ASSERT_GE(found.differences.size(), 4u);  // of a stack with its input, and the logits
  EXPECT_EQ(found.differences.back().what, "logits");
  for (const GoldenDifference& one : found.differences) EXPECT_LE(one.largest, 1e-5) << one.what;
}

// The vectors that `attend embed` gives, and the log-probabilities of the golden samples.
TEST_P(ImportedFamily, RunsInEightBits) {
  const ImportedModel imported = import_model(ModelDirectory(fixture("models") / GetParam()));
  const Checkpoint quantized = quantize_model(imported.checkpoint);
  const auto model = load_model(imported.checkpoint), small = load_model(quantized);
  EXPECT_TRUE(check_golden_samples(*small, golden_samples(quantized, *small)).holds());
  const std::vector<std::string> texts{"A man is walking."};
  const EmbeddingOptions options{.pooling = EmbeddingPooling::mean};
  const std::vector<float> exact =
                               EmbeddingEngine(*model).embed(texts, options)[0].vectors.to_vector(),
                           rounded =
                               EmbeddingEngine(*small).embed(texts, options)[0].vectors.to_vector();
  double product = 0, of_exact = 0, of_rounded = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    product += double{exact[i]} * rounded[i];
    of_exact += double{exact[i]} * exact[i];
    of_rounded += double{rounded[i]} * rounded[i];
  }
  EXPECT_GT(product / std::sqrt(of_exact * of_rounded), 0.99);
  EXPECT_NE(exact, rounded);
}

}  // namespace
}  // namespace attend
