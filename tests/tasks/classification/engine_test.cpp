#include "attend/tasks/classification/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<Classification> from_stream(const ClassificationEngine& classifier,
                                        const std::string& text,
                                        const ClassificationOptions& options) {
  std::istringstream stream(text);
  LineReader lines(stream, "the text");
  std::vector<Classification> found;
  classifier.classify(lines, {[&](const Classification& c) { found.push_back(c); }}, options);
  return found;
}

TEST(ClassificationEngine, GivesProbabilitiesThatSumToOne) {
  const ClassificationEngine classifier(small_classifier());
  const std::vector<Classification> found = classifier.classify(kFilms.texts);
  ASSERT_EQ(found.size(), kFilms.texts.size());
  for (const Classification& c : found) {
    ASSERT_EQ(c.probabilities.size(), 3u);
    float sum = 0;
    for (const float p : c.probabilities) {
      sum += p;
      EXPECT_LE(p, c.probability());
    }
    EXPECT_NEAR(sum, 1.0f, 1e-6);
  }
}

TEST(ClassificationEngine, GivesATextTheSameNumbersInAnyCompany) {
  const ClassificationEngine classifier(small_classifier());
  const std::vector<Classification> together = classifier.classify(kFilms.texts);
  for (std::size_t i = 0; i < together.size(); ++i)
    EXPECT_EQ(classifier.classify(std::span(kFilms.texts).subspan(i, 1)).front().probabilities,
              together[i].probabilities);
  for (const int threads : {1, 2, 3}) {
    const RuntimeScope runtime({.threads = threads});
    const auto in_small_batches = classifier.classify(kFilms.texts, {.batch_tokens = 1});
    for (std::size_t i = 0; i < together.size(); ++i)
      EXPECT_EQ(in_small_batches[i].probabilities, together[i].probabilities);
  }
}

TEST(ClassificationEngine, ReadsLineByLine) {
  const ClassificationEngine classifier(small_classifier());
  std::string text;
  for (const std::string& line : kFilms.texts) text += line + "\n";
  const std::vector<Classification> expected = classifier.classify(kFilms.texts);
  for (const int window : {1, 3, 8, 100}) {
    const std::vector<Classification> found = from_stream(classifier, text, {.window = window});
    ASSERT_EQ(found.size(), expected.size()) << window;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].probabilities, expected[i].probabilities);
  }
  EXPECT_TRUE(from_stream(classifier, "", {}).empty());
}

TEST(ClassificationEngine, NamesTheEmptyLineAfterWhatCameBefore) {
  const ClassificationEngine classifier(small_classifier());
  for (const int window : {1, 2, 100}) {
    std::istringstream stream("a good film\na bad film\n \u00A0\u3000\nso good\n");
    LineReader lines(stream, "the text");
    int found = 0;
    expect_error<DataError>(
        [&] {
          classifier.classify(lines, {[&](const Classification&) { ++found; }}, {.window = window});
        },
        {"the text:3", "expected a text to classify"});
    EXPECT_EQ(found, 2) << window;
  }
  expect_error<DataError>(
      [&] {
        classifier.classify(std::vector<std::string>{"good", ""});
      },
      {"text 2"});
}

TEST(ClassificationEngine, LooksAtTheLengthItWasTrainedWith) {
  // At most 20 tokens, the last ones: what stands before them does not matter.
  const ClassificationEngine classifier(small_classifier());
  std::string end;
  for (int i = 0; i < 30; ++i) end += " good";
  const auto found =
      classifier.classify(std::vector<std::string>{"bad film" + end, "fine cat" + end});
  EXPECT_EQ(found[0].probabilities, found[1].probabilities);
}

TEST(ClassificationEngine, ChecksItsOptions) {
  const ClassificationEngine classifier(small_classifier());
  EXPECT_THROW(classifier.classify(kFilms.texts, {.batch_tokens = 0}), ConfigError);
  EXPECT_THROW(classifier.classify(kFilms.texts, {.window = 0}), ConfigError);
}

// A model of one number as a cross-encoder of another program.
ClassificationModel small_number(std::optional<OutputFunction> function) {
  const ClassificationModel labels = small_classifier();
  ClassifierConfig config = labels.network->config();
  config.problem_type = ProblemType::regression;
  config.classes = 1;
  ClassificationModel model(std::make_shared<TextClassifier>(config, 7), labels.tokenizer,
                            {"LABEL_0"}, labels.length);
  model.cross_encoder_function = function;
  return model;
}

float number_of(const ClassificationModel& model, OutputFunction function) {
  ClassificationOptions options;
  options.function_to_apply = function;
  return ClassificationEngine(model)
      .classify(std::vector<std::string>{"a good film"}, options)[0]
      .value;
}

TEST(ClassificationEngine, GivesTheSigmoidOfACrossEncoder) {
  const ClassificationModel plain = small_number({});
  const float raw = number_of(plain, OutputFunction::standard);
  const float sigmoid = 1 / (1 + std::exp(-raw));
  const ClassificationModel cross = small_number(OutputFunction::sigmoid);
  EXPECT_FLOAT_EQ(number_of(cross, OutputFunction::standard), sigmoid);
  EXPECT_EQ(number_of(cross, OutputFunction::none), raw);
  EXPECT_FLOAT_EQ(number_of(plain, OutputFunction::sigmoid), sigmoid);
  EXPECT_EQ(number_of(small_number(OutputFunction::none), OutputFunction::standard), raw);
  EXPECT_EQ(number_of(plain, OutputFunction::softmax), 1.0f);
}

TEST(ClassificationEngine, AppliesTheFunctionThatIsAskedFor) {
  const ClassificationEngine classifier(small_classifier());
  const std::vector<std::string> text{"a good film"};
  const auto scores = [&](OutputFunction function) {
    ClassificationOptions options;
    options.function_to_apply = function;
    return classifier.classify(text, options)[0];
  };
  const std::vector<float> logits = scores(OutputFunction::none).probabilities,
                           standard = scores(OutputFunction::standard).probabilities,
                           softmax = scores(OutputFunction::softmax).probabilities,
                           sigmoid = scores(OutputFunction::sigmoid).probabilities;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    EXPECT_NEAR(softmax[c], standard[c], 1e-6);
    EXPECT_FLOAT_EQ(sigmoid[c], 1 / (1 + std::exp(-logits[c])));
  }
  EXPECT_EQ(scores(OutputFunction::none).label, scores(OutputFunction::standard).label);
}

TEST(ClassificationEngine, ReadsSpecialTokensOfImportedModels) {
  ClassificationModel model = small_classifier();
  const std::string text = "good </s> film";
  const std::vector<std::int32_t> as_text = model.ids(text);
  model.special_text = SpecialText::as_tokens;
  const std::vector<std::int32_t> as_tokens = model.ids(text);
  EXPECT_EQ(std::count(as_text.begin(), as_text.end(), model.tokenizer.eos_id()), 1);
  EXPECT_EQ(std::count(as_tokens.begin(), as_tokens.end(), model.tokenizer.eos_id()), 2);
  ClassificationOptions split;
  split.split_special_tokens = true;
  const ClassificationEngine engine(model);
  EXPECT_EQ(engine.reading(split).input(text, "here").ids, as_text);
  EXPECT_EQ(engine.reading({}).input(text, "here").ids, as_tokens);
}

}  // namespace
}  // namespace attend
