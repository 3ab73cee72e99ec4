#include "attend/tasks/language/output_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Token v occurs about 10000 / (v + 1) times.
std::vector<std::int32_t> zipf_stream(std::int32_t vocab_size) {
  std::vector<std::int32_t> stream;
  for (std::int32_t v = 0; v < vocab_size; ++v)
    stream.insert(stream.end(), static_cast<std::size_t>(10000 / (v + 1)), v);
  return stream;
}

TEST(OutputSampler, DrawsAsManyAsAskedForOnAverageAndTheFrequentAlways) {
  const OutputSampler sampler(zipf_stream(1000), 1000, 200, 1);
  ASSERT_GT(sampler.always(), 10);
  ASSERT_LT(sampler.always(), 200);
  double size = 0;
  std::vector<int> drawn(1000, 0);
  constexpr int kDraws = 400;
  for (int i = 0; i < kDraws; ++i) {
    const ClassSample sample = sampler.draw(0, i);
    ASSERT_EQ(sample.classes->size(), sample.offset.size());
    for (std::int64_t v = 0; v < sampler.always(); ++v) {
      ASSERT_EQ((*sample.classes)[static_cast<std::size_t>(v)], v);
      ASSERT_EQ(sample.offset[static_cast<std::size_t>(v)], 0.0f);
    }
    for (const std::int32_t v : *sample.classes) ++drawn[static_cast<std::size_t>(v)];
    size += static_cast<double>(sample.classes->size()) / kDraws;
  }
  EXPECT_NEAR(size, 200, 2);
  // The offset is minus the logarithm of how often a token is drawn.
  const ClassSample sample = sampler.draw(0, 0);
  for (std::size_t c = 0; c < sample.classes->size(); ++c) {
    const double share = drawn[static_cast<std::size_t>((*sample.classes)[c])] / double{kDraws},
                 p = std::exp(-sample.offset[c]);
    EXPECT_NEAR(share, p, 5 * std::sqrt(p * (1 - p) / kDraws) + 1e-6);
  }
}

TEST(OutputSampler, IsAFunctionOfSeedEpochAndBatch) {
  const std::vector<std::int32_t> stream = zipf_stream(300);
  const OutputSampler sampler(stream, 300, 50, 1);
  const Ids classes = sampler.draw(2, 3).classes;
  EXPECT_EQ(OutputSampler(stream, 300, 50, 1).draw(2, 3).classes, classes);
  EXPECT_NE(sampler.draw(2, 4).classes, classes);
  EXPECT_NE(sampler.draw(3, 3).classes, classes);
  EXPECT_NE(OutputSampler(stream, 300, 50, 2).draw(2, 3).classes, classes);
}

TEST(OutputSampler, MayTakeTheWholeVocabularyButNotMore) {
  const std::vector<std::int32_t> stream{0, 0, 0, 1, 2};
  EXPECT_EQ(OutputSampler(stream, 4, 4, 1).always(), 4);
  expect_error<ConfigError>([&] { OutputSampler(stream, 4, 5, 1); },
                            {"output_sample", "1 to 4", "got 5"});
  expect_error<ShapeError>([&] { OutputSampler(stream, 2, 1, 1); }, {"0..1", "got 2"});
}

}  // namespace
}  // namespace attend
