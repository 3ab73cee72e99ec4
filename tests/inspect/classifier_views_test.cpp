// Looking into a classifier: its attention on a page, its vectors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/inspect/encoded_text.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "tasks/small_classifier.h"

namespace attend {
namespace {

nlohmann::json answer_of(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"recorded\">";
  const std::size_t begin = page.find(before) + before.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin))
      .at("answers")
      .at("/explore");
}
nlohmann::json data_of(const std::string& page) { return answer_of(page).at("attention"); }

TEST(ClassifierPage, ShowsTheEncoderAlone) {
  const ClassificationEngine classifier(small_classifier());
  const ClassifiedText text = classified_text(classifier, "not a good film");
  const std::string page = attention_page(classifier.model(), text);
  const auto data = data_of(page);
  EXPECT_EQ(data["axes"]["source"]["pieces"].size(), text.ids.size());
  EXPECT_EQ(data["axes"]["source"]["words"].back()["marks"], "end");
  EXPECT_EQ(data["maps"]["encoder"]["pieces"].size(), 2u) << "layers";
  EXPECT_EQ(data["maps"]["encoder"]["words"][0].size(), 4u) << "heads";
  for (const char* none : {"cross", "decoder"}) EXPECT_TRUE(data["maps"][none]["pieces"].empty());
  EXPECT_EQ(answer_of(page)["classes"][0]["label"], classifier.labels()[text.classes.label]);
  EXPECT_FALSE(answer_of(page).contains("translation"));
}

TEST(ClassifierPage, HoldsTheAnswerOfTheClassifier) {
  const ClassificationEngine classifier(small_classifier());
  const std::vector<std::string> texts{"so good"};
  const Classification found = classifier.classify(texts).front();
  const ClassifiedText text = classified_text(classifier, texts[0]);
  EXPECT_EQ(text.classes.label, found.label);
  EXPECT_EQ(text.classes.probabilities, found.probabilities);
}

TEST(ClassifierPage, SaysHowEvenTheAttentionIs) {
  const ClassificationEngine classifier(small_classifier());
  const ClassifiedText text = classified_text(classifier, "not a good film");
  const AttentionEntropy entropy = attention_entropy(attention_maps(classifier.model(), text.ids));
  const auto shown = data_of(attention_page(classifier.model(), text))["entropy"];
  EXPECT_EQ(shown["summary"], entropy.summary());
  EXPECT_EQ(shown["entropy"], entropy.mean);
  EXPECT_EQ(shown["heads"], nlohmann::json(entropy.heads));
}

TEST(ClassifierPage, HasRowsThatSumToOne) {
  const ClassificationModel model = small_classifier();
  const std::vector<std::int32_t> ids = model.ids("not a good film");
  const auto layers = attention_maps(model, ids);
  ASSERT_EQ(layers.size(), 2u);
  for (const auto& heads : layers) {
    ASSERT_EQ(heads.size(), 4u);
    for (const AttentionMap& map : heads) {
      ASSERT_EQ(map.rows, std::ssize(ids));
      for (std::int64_t row = 0; row < map.rows; ++row) {
        float sum = 0;
        for (std::int64_t col = 0; col < map.cols; ++col)
          sum += map.weights[static_cast<std::size_t>(row * map.cols + col)];
        EXPECT_NEAR(sum, 1.0f, 1e-5);
      }
    }
  }
}

TEST(ClassifierPage, ShowsAsMuchOfATextAsTheClassifierLooksAt) {
  ClassificationModel model = small_classifier();
  model.length.max_length = 300;
  const ClassificationEngine classifier(model);
  std::string review;
  for (int i = 0; i < 400; ++i) review += "good ";
  const ClassifiedText text = classified_text(classifier, review);
  EXPECT_EQ(text.ids.size(), 300u);
  EXPECT_GT(std::ssize(text.ids), kMaxPageTokens) << "the limit is that of pairs";
  EXPECT_EQ(data_of(attention_page(classifier.model(), text))["axes"]["source"]["pieces"].size(),
            300u);
}

TEST(ClassifierPage, RefusesWhatItCannotShow) {
  const ClassificationEngine classifier(small_classifier());
  EXPECT_THROW(classified_text(classifier, " "), DataError);
  EXPECT_THROW(classified_text(classifier, "good \xff"), DataError);
}

TEST(ClassifierVectors, AreThoseThatArePooled) {
  for (const Pooling pooling : {Pooling::max, Pooling::first}) {
    const ClassificationModel model = small_classifier(pooling);
    const std::vector<std::int32_t> ids = model.ids("not a good film"),
                                    offsets{0, static_cast<std::int32_t>(ids.size())};
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Tensor encoded = model.network->encode(Ragged::copy(ids, offsets), pass).value();
    const std::int64_t begin =
        pooling == Pooling::first ? 1 : 0;  // the special tokens at the ends have no vectors
    EmbeddingOptions options;
    options.pooling = EmbeddingPooling::none;
    const EmbeddingEngine embedder(model);
    EXPECT_EQ(embedder.layers(), 2);
    EXPECT_EQ(embedder.width(), 32);
    const std::vector<std::string> texts{"not a good film"};
    EXPECT_EQ(embedder.embed(texts, options).front().vectors.to_vector(),
              encoded.slice_rows(begin, encoded.dim(0) - 1).to_vector());
  }
}

}  // namespace
}  // namespace attend
