#include "attend/tasks/training/encoder_training.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "attend/checkpoint/options_json.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/tagging/training.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_tagger.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

template <class Model>
void expect_encoder_of(const Model& model) {
  SCOPED_TRACE(model.task());
  const KnownEncoder encoder = known_encoder(checkpoint_of(model), "none");
  EncoderConfig expected = model.network->config(), found = encoder.config;
  EXPECT_EQ(options_to_json(found), options_to_json(expected));
  EXPECT_EQ(encoder.tokenizer.bytes(), model.tokenizer.bytes());
  EXPECT_EQ(encoder.length.max_length, model.length.max_length);
  EXPECT_EQ(encoder.bos, model.special().bos >= 0);
}

TEST(KnownEncoder, IsThatOfEveryKindWithAHead) {
  expect_encoder_of(small_classifier(Pooling::max));
  expect_encoder_of(small_classifier(Pooling::first));
  expect_encoder_of(small_tagger());
  expect_encoder_of(small_embedder());
}

TEST(KnownEncoder, KeepsTheSideOfTruncationAndThePooling) {
  const KnownEncoder classifier = known_encoder(checkpoint_of(small_classifier()), "none"),
                     tagger = known_encoder(checkpoint_of(small_tagger()), "none"),
                     embedder = known_encoder(checkpoint_of(small_embedder()), "none");
  EXPECT_EQ(classifier.length.truncation, Truncation::left);
  EXPECT_EQ(classifier.pooling, Pooling::max);
  EXPECT_EQ(tagger.length.truncation, Truncation::right);
  EXPECT_EQ(tagger.pooling, std::nullopt);
  EXPECT_EQ(embedder.pooling, Pooling::mean);
}

TEST(KnownEncoder, SaysWhatIsWantedOfAnotherKind) {
  expect_error<DataError>(
      [] { known_encoder(checkpoint_of(small_language_model()), "embedding or classification"); },
      {"expected a model for embedding or classification, found one for language modeling"});
}

template <class Options>
Options adopted(const SavedModel& model) {
  Options options;
  options.tokenizer.pretokenized = true;
  adopt_model(options, checkpoint_of(model));
  return options;
}

template <class Options>
void expect_encoders_adopted() {
  const ClassificationModel classifier = small_classifier();
  const TaggingModel tagger = small_tagger();
  const EmbeddingModel embedder = small_embedder();
  const auto expect = [](const auto& model) {
    SCOPED_TRACE(model.task());
    const auto options = adopted<Options>(model);
    EncoderConfig found = options.model, expected = model.network->config();
    EXPECT_EQ(options_to_json(found), options_to_json(expected));
    EXPECT_EQ(options.data.length.max_length, model.length.max_length);
    EXPECT_EQ(options.tokenizer.type, type_of(model.tokenizer));
    EXPECT_EQ(options.tokenizer.vocab_size, model.tokenizer.vocab_size());
    EXPECT_TRUE(options.tokenizer.pretokenized) << "that is said of the texts, not of the model";
  };
  expect(classifier);
  expect(tagger);
  expect(embedder);
  expect_error<DataError>([] { adopted<Options>(small_language_model()); },
                          {"found one for language modeling"});
}

TEST(EncoderTraining, AdoptsTheEncoderOfEveryKindWithAHead) {
  expect_encoders_adopted<ClassificationTraining>();
  expect_encoders_adopted<TaggingTraining>();
  expect_encoders_adopted<EmbeddingTraining>();
}

TEST(EncoderTraining, AdoptsThePoolingOfAModelThatPools) {
  EXPECT_EQ(adopted<ClassificationTraining>(small_embedder(Pooling::first)).model.pooling,
            Pooling::first);
  EXPECT_EQ(adopted<EmbeddingTraining>(small_classifier(Pooling::first)).model.pooling,
            Pooling::first);
  EXPECT_EQ(adopted<EmbeddingTraining>(small_tagger()).model.pooling,
            EmbeddingTraining{}.model.pooling);
}

}  // namespace
}  // namespace attend
