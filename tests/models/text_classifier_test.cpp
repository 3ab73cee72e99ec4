#include "attend/models/text_classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/pooling.h"
#include "core/scoped_threads.h"
#include "models/small_transformer.h"
#include "ops/operands.h"

namespace attend {
namespace {

ClassifierConfig small_classifier_config(Pooling pooling,
                                         PositionKind positions = PositionKind::sinusoidal) {
  ClassifierConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.positions = positions;
  config.pooling = pooling;
  config.vocab_size = 23;
  config.classes = 5;
  return config;
}

Tensor logits(const TextClassifier& classifier, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  return classifier.forward(texts, pass).value();
}

class Classifying : public testing::TestWithParam<Pooling> {};

INSTANTIATE_TEST_SUITE_P(By, Classifying,
                         testing::Values(Pooling::max, Pooling::mean, Pooling::first),
                         [](const auto& suite) {
                           return std::string(
                               enum_names(suite.param)[static_cast<std::size_t>(suite.param)]);
                         });

TEST_P(Classifying, GivesEveryTextTheBitsItHasAlone) {
  std::vector<ClassifierConfig> configs;
  for (const PositionKind positions :
       {PositionKind::sinusoidal, PositionKind::learned, PositionKind::none})
    configs.push_back(small_classifier_config(GetParam(), positions));
  configs.push_back(configs.front());
  configs.back().attention.scores = AttentionScores::additive;
  configs.back().attention.choice = AttentionChoice::hard;
  for (const ClassifierConfig& config : configs) {
    const TextClassifier classifier(config, 1);
    const Ragged texts = random_tokens({3, 1, 9, 33, 2, 64}, 23);
    const Tensor together = logits(classifier, texts);
    ASSERT_EQ(together.shape(), (Shape{6, 5}));
    for (std::size_t b = 0; b < 6; ++b) {
      const auto row = static_cast<std::int64_t>(b);
      EXPECT_TRUE(same_bits(logits(classifier, alone(texts, b)), together.slice_rows(row, row + 1)))
          << "text " << b;
    }
  }
}

TEST_P(Classifying, GivesTheSameBitsWithOneThreadOrTwo) {
  const TextClassifier classifier(small_classifier_config(GetParam()), 1);
  const Ragged texts = random_tokens(std::vector<int>(40, 30), 23);
  const auto with_threads = [&](int threads) {
    const ScopedThreads scope(threads);
    return logits(classifier, texts);
  };
  EXPECT_TRUE(same_bits(with_threads(2), with_threads(1)));
}

TEST_P(Classifying, LearnsWhereTheClassIsWritten) {
  // The class is the first token; the others are noise.
  TextClassifier classifier(small_classifier_config(GetParam()), 1);
  const Ragged texts = random_tokens(std::vector<int>(32, 6), 23);
  std::vector<std::int32_t> ids(texts.ids->begin(), texts.ids->end()), labels;
  for (std::int32_t b = 0; b < 32; ++b) {
    labels.push_back(b % 5);
    ids[static_cast<std::size_t>(6 * b)] = b % 5;
  }
  const auto step = [&] {
    classifier.parameters().gradients().zero();
    Pass pass = Pass::training(1, 1);
    const CrossEntropy loss = cross_entropy(classifier.forward({ids, texts.offsets}, pass), labels);
    backward(loss.loss);
    backend()->axpby(-0.1f, classifier.parameters().gradients(), 1.0f,
                     classifier.parameters().values());
    return loss.nll / 32;
  };
  const double before = step();
  EXPECT_GT(before, 1.0);
  double after = before;
  for (int i = 0; i < 200; ++i) after = step();
  EXPECT_LT(after, 0.5);
}

TEST(TextClassifier, WithoutPositionsDoesNotSeeTheOrderOfWords) {
  const Ragged text = random_tokens({20}, 23);
  std::vector<std::int32_t> turned(text.ids->rbegin(), text.ids->rend());
  const Ragged backwards = Ragged::copy(turned, *text.offsets);
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::sinusoidal, PositionKind::learned}) {
    const TextClassifier classifier(small_classifier_config(Pooling::max, positions), 1);
    const double difference =
        largest_difference(logits(classifier, text), logits(classifier, backwards));
    EXPECT_EQ(difference > 1e-3, positions != PositionKind::none);
    EXPECT_EQ(difference < 1e-5, positions == PositionKind::none);
  }
}

TEST(TextClassifier, SeesPairsOfNeighborsByTheirHash) {
  const Ragged texts = Ragged::copy(std::vector<std::int32_t>{4, 5, 4, 5, 4, 5, 6},
                                    std::vector<std::int32_t>{0, 3, 7});
  const Ids found = bigram_buckets(texts, 1000);
  const std::span<const std::int32_t> b = *found;
  EXPECT_EQ(b[1], b[5]) << "4 5, in another text";
  EXPECT_EQ(b[2], b[4]) << "5 4";
  EXPECT_NE(b[1], b[2]) << "4 5 and 5 4";
  EXPECT_NE(b[0], b[2]) << "4 at the beginning, and after 5";
  const Ids few = bigram_buckets(random_tokens({100}, 23), 7);
  for (const std::int32_t bucket : *few) EXPECT_TRUE(bucket >= 0 && bucket < 7) << bucket;
}

TEST(TextClassifier, WithPairsSeesTheOrderOfWordsWithoutPositions) {
  ClassifierConfig config = small_classifier_config(Pooling::mean, PositionKind::none);
  config.bigram_buckets = 100;
  TextClassifier classifier(config, 1);
  Random random({1, 2});
  for (const auto& entry : classifier.parameters().entries()) {
    if (entry.name == "bigram_embedding.weight")
      fill_normal(classifier.parameters().value(entry), random, 0.2f);
  }
  const Ragged text = random_tokens({20}, 23);
  const std::vector<std::int32_t> turned(text.ids->rbegin(), text.ids->rend());
  EXPECT_GT(largest_difference(logits(classifier, text),
                               logits(classifier, Ragged::copy(turned, *text.offsets))),
            1e-3);
}

TEST(TextClassifier, NamesItsParametersByTheirModules) {
  const TextClassifier classifier(small_classifier_config(Pooling::max, PositionKind::learned), 1);
  std::set<std::string> names;
  for (const auto& entry : classifier.parameters().entries()) names.insert(entry.name);
  for (const char* name :
       {"embedding.weight", "positions.weight", "encoder.layers.1.self_attn.q_proj.weight",
        "output.weight", "output.bias"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(TextClassifier, DropsThePooledVectorInTrainingOnly) {
  ClassifierConfig config = small_classifier_config(Pooling::mean);
  config.dropout = 0.0f;
  config.output_dropout = 0.5f;
  const TextClassifier classifier(config, 1);
  const Ragged text = random_tokens({20}, 23);
  Pass first = Pass::training(1, 1), second = Pass::training(1, 2);
  EXPECT_FALSE(
      same_bits(classifier.forward(text, first).value(), classifier.forward(text, second).value()));
  EXPECT_TRUE(same_bits(logits(classifier, text), logits(classifier, text)));
}

TEST(TextClassifier, HasAHeadThatIsALinearLayerWithAnActivation) {
  ClassifierConfig config = small_classifier_config(Pooling::first);
  config.head.activation = Activation::tanh;
  const TextClassifier classifier(config, 1);
  const auto parameter = [&](const std::string& name) {
    for (const auto& entry : classifier.parameters().entries())
      if (entry.name == name) return Variable(classifier.parameters().value(entry));
    throw std::out_of_range(name);
  };
  const Ragged texts = random_tokens({4, 7}, 23);
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Variable first = pool(classifier.encode(texts, pass), texts.offsets, Pooling::first);
  const Variable hidden =
      linear(first, parameter("head.weight"), parameter("head.bias"), {Activation::tanh});
  const Variable expected = linear(hidden, parameter("output.weight"), parameter("output.bias"));
  EXPECT_TRUE(same_bits(logits(classifier, texts), expected.value()));
  EXPECT_THROW(parameter("token_types.weight"), std::out_of_range);
}

TEST(TextClassifier, RefusesTextsWithoutTokens) {
  const TextClassifier classifier(small_classifier_config(Pooling::max), 1);
  EXPECT_THROW(logits(classifier, random_tokens({3, 0, 2}, 23)), ShapeError);
}

TEST(TextClassifier, ChecksItsConfiguration) {
  ClassifierConfig config = small_classifier_config(Pooling::max);
  config.output_dropout = 1.0f;
  EXPECT_THROW(TextClassifier(config, 1), ConfigError);
  config = small_classifier_config(Pooling::max);
  config.classes = 1;
  EXPECT_THROW(TextClassifier(config, 1), ConfigError);
  config = small_classifier_config(Pooling::max);
  config.n_heads = 7;
  EXPECT_THROW(TextClassifier(config, 1), ConfigError);
}

TEST(TextClassifier, BeginsWithEmbeddingsOfTheDeviationAskedFor) {
  for (const float deviation : {1.0f, 0.1f, 0.0f}) {
    ClassifierConfig config = small_classifier_config(Pooling::mean, PositionKind::none);
    config.vocab_size = 500;
    config.dropout = 0.0f;
    config.embedding_deviation = deviation;
    const TextClassifier classifier(config, 1);
    const NoGradient guard;
    Pass pass = Pass::inference();
    std::vector<Tensor> hidden;
    pass.hidden = &hidden;
    classifier.encode(random_tokens({500}, 500), pass);
    const Tensor& input = hidden.front();
    EXPECT_NEAR(std::sqrt(backend()->sum_of_squares(input) / static_cast<double>(input.size())),
                deviation, 0.05 * deviation);
  }
}

TEST(TextClassifier, HasNoOptionsOfADecoder) {
  ClassifierConfig config;
  const std::vector<std::string> names = option_names(option_fields(config));
  for (const char* name : {"d-model", "n-encoder-layers", "positions", "pooling", "output-dropout"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const char* name : {"n-decoder-layers", "tie-embeddings"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
}

}  // namespace
}  // namespace attend
