// Models of every kind survive 8 and 4 bits: they load, run, and say nearly the same.
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/models/make_encoder_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "attend/autograd/variable.h"
#include "attend/checkpoint/parameters.h"
#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tensor/bf16.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

TranslationModel rounded_gru() {
  TranslationModel model = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.d_hidden = 24;
  config.tie_embeddings = TiedEmbeddings::target;
  config.src_vocab_size = model.src_tokenizer.vocab_size();
  config.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  model.network = make_encoder_decoder(config, 7);
  return model;
}

Tensor memory_of(const TranslationModel& model) {
  const std::vector<std::int32_t> ids = source_ids(model, "the old dog sees the small cat"),
                                  offsets{0, static_cast<std::int32_t>(ids.size())};
  const NoGradient guard;
  Pass pass = Pass::inference();
  return model.network->encode(Ragged::copy(ids, offsets), pass).value();
}

double relative_difference(const Tensor& a, const Tensor& b) {
  double difference = 0, size = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double{a.data()[i]} - b.data()[i], 2);
    size += std::pow(double{a.data()[i]}, 2);
  }
  return std::sqrt(difference / size);
}

// The bits, and the largest relative difference of what a model computes. That of 4 bits is some 8
// % of each product with random weights.
struct Rounding {
  WeightBits bits;
  double least, most;
};
class RoundedModels : public testing::TestWithParam<Rounding> {};

INSTANTIATE_TEST_SUITE_P(In, RoundedModels,
                         testing::Values(Rounding{WeightBits::eight, 0.0, 0.05},
                                         Rounding{WeightBits::four, 0.03, 0.3}),
                         [](const auto& suite) {
                           return suite.param.bits == WeightBits::four ? "FourBits" : "EightBits";
                         });

TEST_P(RoundedModels, KeepWhatTranslatorsSay) {
  for (const TranslationModel& model : {small_model(), rounded_gru()}) {
    SCOPED_TRACE(name_of(model.network->architecture()));
    const Checkpoint small = quantize_model(checkpoint_of(model), GetParam().bits);
    const TranslationModel rounded = translation_model(small);
    const double off = relative_difference(memory_of(model), memory_of(rounded));
    EXPECT_GT(off, GetParam().least) << "it is rounded";
    EXPECT_LT(off, GetParam().most);
    const TranslationEngine translator(rounded);
    EXPECT_EQ(translator.translate(std::vector<std::string>{"the old dog", "a cat"}).size(), 2u);
  }
}

// The same model with its weights rounded beforehand.
Checkpoint with_rounded_weights(const Checkpoint& model, const Checkpoint& halves) {
  Checkpoint rounded = model;
  for (NamedTensor& named : rounded.tensors) {
    const Tensor* half = halves.find(named.name);
    if (half == nullptr || half->dtype() != DType::bf16) continue;
    named.tensor = named.tensor.clone();
    for (std::int64_t i = 0; i < named.tensor.size(); ++i)
      named.tensor.data()[i] =
          float_of_bf16(half->span<std::uint16_t>()[static_cast<std::size_t>(i)]);
  }
  return rounded;
}

TEST(ModelQuantization, InSixteenBitsGivesTheBitsOfTheRoundedWeights) {
  for (const TranslationModel& model : {small_model(), rounded_gru()}) {
    SCOPED_TRACE(name_of(model.network->architecture()));
    const Checkpoint exact = checkpoint_of(model),
                     halves = quantize_model(exact, WeightBits::sixteen);
    EXPECT_EQ(weight_bits(halves), 16);
    const TranslationModel small = translation_model(halves),
                           rounded = translation_model(with_rounded_weights(exact, halves));
    EXPECT_EQ(memory_of(small).to_vector(), memory_of(rounded).to_vector());
    EXPECT_NE(memory_of(small).to_vector(), memory_of(model).to_vector());
    const std::vector<std::string> text{"the old dog", "a cat"};
    const auto a = TranslationEngine(small).translate(text),
               b = TranslationEngine(rounded).translate(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      EXPECT_EQ(a[i].text(), b[i].text());
      EXPECT_EQ(a[i].candidates[0].score, b[i].candidates[0].score);
    }
  }
}

// What follows a prefix, token by token against kept keys and values, and in one pass over the
// whole of it.
TEST(ModelQuantization, DecodesStepByStepNearlyAsInOnePass) {
  const TranslationModel rounded = translation_model(quantize_model(checkpoint_of(small_model())));
  const std::vector<std::int32_t> ids = source_ids(rounded, "the old dog sees the small cat"),
                                  offsets{0, static_cast<std::int32_t>(ids.size())};
  const Ragged src = Ragged::copy(ids, offsets);
  const std::vector<std::int32_t> prefix{rounded.special().bos, 5, 9, 6, 7}, prefix_ends{0, 5};
  EncoderDecoderScorer steps(*rounded.network, src, std::vector{2});
  for (const std::int32_t token : prefix)
    steps.step(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{token});

  const NoGradient guard;
  Pass pass = Pass::inference();
  const Variable memory = rounded.network->encode(src, pass);
  const Tensor whole =
      rounded.network->decode(Ragged::copy(prefix, prefix_ends), memory, src, pass).value();
  const double off = relative_difference(whole.slice_rows(4, 5), steps.hidden());
  EXPECT_GT(off, 0.0) << "keys and values are in 8 bits";
  EXPECT_LT(off, 0.01);
}

TEST_P(RoundedModels, KeepWhatClassifiersSay) {
  ClassificationModel model = small_classifier();
  ClassifierConfig config = model.network->config();
  config.bigram_buckets = 50;
  model.network = std::make_shared<TextClassifier>(config, 7);
  const ClassificationEngine before(model),
      after(classification_model(quantize_model(checkpoint_of(model), GetParam().bits)));
  const auto a = before.classify(kFilms.texts), b = after.classify(kFilms.texts);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(a[i].probabilities[c], b[i].probabilities[c], GetParam().most);
  }
}

TEST_P(RoundedModels, KeepWhatLanguageModelsSay) {
  const LanguageModel model = small_language_model();
  const LanguageModel rounded =
      language_model(quantize_model(checkpoint_of(model), GetParam().bits));
  const Ragged text =
      Ragged::copy(std::vector<std::int32_t>{3, 5, 6, 7, 8}, std::vector<std::int32_t>{0, 5});
  const NoGradient guard;
  Pass pass = Pass::inference();
  const double off = relative_difference(model.network->hidden(text, pass).value(),
                                         rounded.network->hidden(text, pass).value());
  EXPECT_GT(off, GetParam().least);
  EXPECT_LT(off, GetParam().most);
}

// A dimension that is much larger than all others inside the network, as encoders of the BERT type
// have some.
EmbeddingModel embedder_with_outliers() {
  EmbeddingModel model = small_embedder();
  EmbedderConfig config = model.network->config();
  config.d_model = 128;
  config.d_ff = 256;
  config.n_encoder_layers = 4;
  model.network = std::make_shared<TextEmbedder>(config, 7);
  const ParameterSet& parameters = model.network->parameters();
  Tensor last;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (!entry.name.ends_with("norm.weight") && !entry.name.ends_with("norm1.weight") &&
        !entry.name.ends_with("norm2.weight"))
      continue;
    last = parameters.value(entry);
    last.data()[5] = 60.0f;
  }
  last.data()[5] = 0.01f;
  return model;
}

TEST_P(RoundedModels, KeepTheDirectionOfVectorsDespiteOutliers) {
  const EmbeddingModel model = embedder_with_outliers();
  const auto rounded = load_model(quantize_model(checkpoint_of(model), GetParam().bits));
  const auto before = EmbeddingEngine(model).embed(kRemarks, {}),
             after = EmbeddingEngine(*rounded).embed(kRemarks, {});
  for (std::size_t i = 0; i < kRemarks.size(); ++i) {
    const std::vector<float> a = before[i].vectors.to_vector(), b = after[i].vectors.to_vector();
    const double least = GetParam().bits == WeightBits::four ? 0.95 : 0.99;
    EXPECT_GT(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), least) << kRemarks[i];
  }
}

}  // namespace
}  // namespace attend
