#include "attend/tasks/quality/encoded_texts.h"

#include <gtest/gtest.h>

#include "tasks/small_quality.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

std::vector<float> vector_of(const QualityModel& model, const std::string& text) {
  return quality_vectors(model, Ragged::one(model.ids(text))).value().to_vector();
}

TEST(EncodedTexts, HaveTheVectorThatEachTextHasAlone) {
  const QualityModel model = small_quality_model();
  EncodedTexts texts(model);
  texts.add(Lines{"so good", "", "so good", "a good film"});
  texts.add(Lines{"a bad film", "", "good"});
  texts.add(Lines{"good"});
  const Lines asked{"good", "so good", "a bad film", "", "good", "a good film"};
  const std::vector<float> rows = texts.rows(asked).value().to_vector();
  std::vector<float> expected;
  for (const std::string& text : asked) {
    const std::vector<float> one = vector_of(model, text);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(rows, expected);
}

TEST(EncodedTexts, AreEncodedOnce) {
  const QualityModel model = small_quality_model();
  EncodedTexts texts(model);
  texts.add(Lines{"good", "bad"});
  for (const ParameterSet::Entry& entry : model.parameters().entries())
    for (float& weight : model.parameters().value(entry).span()) weight = 0.5f;
  const std::vector<float> before = texts.rows(Lines{"good", "bad"}).value().to_vector();
  texts.add(Lines{"bad", "good"});
  EXPECT_EQ(texts.rows(Lines{"good", "bad"}).value().to_vector(), before);
  EXPECT_NE(before, [&] {
    EncodedTexts again(model);
    again.add(Lines{"good", "bad"});
    return again.rows(Lines{"good", "bad"}).value().to_vector();
  }());
}

TEST(QualityBatches, KeepTheOrderWithinTheirCost) {
  const std::vector<std::int64_t> costs{3000, 1000, 900, 148, 1, 5000};
  const std::vector<std::size_t> order{5, 0, 1, 2, 3, 4};
  const auto batches = quality_batches(order, costs);
  ASSERT_EQ(batches.size(), 4u);
  EXPECT_EQ(batches[0].size(), 1u) << "one that costs too much";
  EXPECT_EQ(batches[2].size(), 3u) << "1000 + 900 + 148 tokens";
  EXPECT_EQ(batches[3].front(), 4u);
}

}  // namespace
}  // namespace attend
