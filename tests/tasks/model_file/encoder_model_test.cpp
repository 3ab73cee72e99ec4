#include "attend/tasks/model_file/encoder_model.h"

#include <gtest/gtest.h>

#include <vector>

#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_tagger.h"

namespace attend {
namespace {

// Calls `test` with a model of every kind; of classifiers also one with a bos token.
template <class Test>
void for_every_kind(const Test& test) {
  test(small_classifier(Pooling::max));
  test(small_classifier(Pooling::first));
  test(small_tagger());
  test(small_embedder());
}

std::vector<GoldenInput> inputs_of(const SavedModel& model) {
  Random random({1, stream_of("encoder model")});
  std::vector<GoldenInput> inputs;
  for (int i = 0; i < 5; ++i) inputs.push_back(model.random_input(random));
  return inputs;
}

TEST(EncoderModel, DrawsInputsWithItsSpecialTokensThatAreNotTooLong) {
  for_every_kind([](const auto& model) {
    SCOPED_TRACE(model.task());
    for (const GoldenInput& input : inputs_of(model)) {
      ASSERT_EQ(input.size(), 1u);
      EXPECT_EQ(input[0].back(), model.special().eos);
      if (model.special().bos >= 0) {
        EXPECT_EQ(input[0].front(), model.special().bos);
      }
      EXPECT_LE(std::ssize(input[0]), model.text_length().max_length);
    }
  });
}

TEST(EncoderModel, AnswersEveryInputAsItDoesAlone) {
  for_every_kind([](const auto& model) {
    SCOPED_TRACE(model.task());
    const std::vector<GoldenInput> inputs = inputs_of(model);
    const std::vector<std::vector<float>> together = model.golden_outputs(inputs);
    ASSERT_EQ(together.size(), inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(together[i], model.golden_outputs({inputs[i]}).front());
      EXPECT_EQ(together[i], model.outputs(Ragged::one(inputs[i][0])).to_vector());
    }
  });
}

TEST(EncoderModel, EncodesAsItsNetworkDoes) {
  for_every_kind([](const auto& model) {
    SCOPED_TRACE(model.task());
    const NoGradient guard;
    const Ragged text = Ragged::one(inputs_of(model).front()[0]);
    const TextEncoder encoder = model.text_encoder();
    Pass pass = Pass::inference(), same = Pass::inference();
    EXPECT_EQ(encoder.run(text, pass).value().to_vector(),
              model.network->encode(text, same).value().to_vector());
    EXPECT_EQ(encoder.embeddings().to_vector(), model.network->embeddings().to_vector());
    EXPECT_EQ(encoder.layers, model.network->config().n_encoder_layers);
    EXPECT_EQ(encoder.width, model.network->config().d_model);
    EXPECT_EQ(encoder.special.bos, model.special().bos);
  });
}

TEST(EncoderModel, PoolsTextsOnlyIfItIsForThat) {
  EXPECT_FALSE(small_classifier().text_encoder().pooling.has_value());
  EXPECT_FALSE(small_tagger().text_encoder().pooling.has_value());
  EXPECT_TRUE(small_embedder().text_encoder().pooling.has_value());
}

}  // namespace
}  // namespace attend
