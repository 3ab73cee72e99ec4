#include "attend/inspect/inside_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "attend/core/strings/base64.h"
#include "attend/error.h"
#include "attend/inspect/explorer.h"
#include "attend/models/make_encoder_decoder.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using InsideJson = nlohmann::ordered_json;

const InsideJson& value_of(const InsideJson& answer, const std::string& module,
                           const std::string& name) {
  for (const InsideJson& value : answer["values"])
    if (value["module"] == module && value["name"] == name) return value;
  throw std::out_of_range(module + " " + name);
}

std::vector<float> numbers_of(const InsideJson& value) {
  const std::string bytes = from_base64(value["data"].get<std::string>());
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  EXPECT_EQ(std::ssize(numbers),
            value["shape"][0].get<std::int64_t>() * value["shape"][1].get<std::int64_t>());
  return numbers;
}

std::vector<std::string> modules_of(const InsideJson& answer) {
  std::vector<std::string> modules;
  for (const InsideJson& value : answer["values"])
    if (modules.empty() || value["module"] != modules.back()) modules.push_back(value["module"]);
  return modules;
}

std::vector<std::string> names_of(const InsideJson& answer, const std::string& module) {
  std::vector<std::string> names;
  for (const InsideJson& value : answer["values"])
    if (value["module"] == module) names.push_back(value["name"]);
  return names;
}

class InsideData : public FolderTest {
 protected:
  InsideJson inside(const SavedModel& model, const Exploration& exploration,
                    const std::vector<std::string>& modules = {}) const {
    return explorer_of(model)->inside(exploration, modules);
  }
  std::shared_ptr<const Explorer> explorer_of(const SavedModel& model) const {
    save_checkpoint(path("inside.safetensors"), checkpoint_of(model));
    return std::make_shared<const Explorer>(LoadedModel::load(path("inside.safetensors")));
  }
};

TEST_F(InsideData, HasTheModulesInTheOrderOfTheFigure) {
  const InsideJson answer = inside(small_model(), {.text = "the dog", .translation = "der hund"});
  std::vector<std::string> expected{"encoder"};
  for (int i = 0; i < 3; ++i)
    for (const char* const sublayer : {"self_attn", "feed_forward"})
      expected.push_back("encoder.layers." + std::to_string(i) + "." + sublayer);
  expected.push_back("decoder");
  for (int i = 0; i < 2; ++i)
    for (const char* const sublayer : {"self_attn", "cross_attn", "feed_forward"})
      expected.push_back("decoder.layers." + std::to_string(i) + "." + sublayer);
  EXPECT_EQ(modules_of(answer), expected);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(answer, "encoder"), (Names{"tokens", "positions", "sum"}));
  EXPECT_EQ(
      names_of(answer, "decoder.layers.0.cross_attn"),
      (Names{"queries", "keys", "values", "scores", "weights", "heads", "output", "sum", "norm"}));
  EXPECT_EQ(names_of(answer, "decoder.layers.1.feed_forward"),
            (Names{"hidden", "output", "sum", "norm"}));
}

TEST_F(InsideData, HasTheShapesOfTheModel) {
  const InsideJson answer = inside(small_model(), {.text = "the dog", .translation = "der hund"});
  const auto source = answer["tokens"]["source"].size(), read = answer["tokens"]["read"].size();
  using Shape = std::vector<std::size_t>;
  const auto shape = [&](const char* module, const char* name) {
    const InsideJson& value = value_of(answer, module, name);
    numbers_of(value);
    return value["shape"].get<Shape>();
  };
  EXPECT_EQ(shape("encoder", "tokens"), (Shape{source, 16}));
  EXPECT_EQ(shape("decoder.layers.0.cross_attn", "queries"), (Shape{read, 16}));
  EXPECT_EQ(shape("decoder.layers.0.cross_attn", "keys"), (Shape{source, 16}));
  EXPECT_EQ(shape("decoder.layers.0.cross_attn", "scores"), (Shape{4 * read, source}));
  EXPECT_EQ(shape("decoder.layers.0.self_attn", "weights"), (Shape{4 * read, read}));
  EXPECT_EQ(shape("encoder.layers.2.feed_forward", "hidden"), (Shape{source, 32}));
  EXPECT_EQ(value_of(answer, "encoder.layers.0.self_attn", "heads")["heads"], 4);
  EXPECT_EQ(answer["ids"]["source"].size(), source);
  EXPECT_EQ(answer["ids"]["read"].size(), read);
  EXPECT_EQ(answer["next"].size(), read);
}

TEST_F(InsideData, SaysWhatTheModelIs) {
  const TranslationModel model = small_model();
  const InsideJson answer = inside(model, {.text = "the dog", .translation = "der hund"});
  EXPECT_EQ(answer["d_model"], 16);
  EXPECT_EQ(answer["heads"], 4);
  EXPECT_EQ(answer["d_key"], 4);
  EXPECT_EQ(answer["layers"], (InsideJson{{"encoder", 3}, {"decoder", 2}}));
  EXPECT_EQ(answer["d_ff"], 32);
  EXPECT_EQ(answer["vocabulary"], model.tgt_tokenizer.vocab_size());
  EXPECT_EQ(answer["norm_first"], false);
  EXPECT_EQ(answer["positions"], "sinusoidal");
  EXPECT_EQ(answer["activation"], "relu");
  EXPECT_EQ(answer["embedding_scale"], 4.0);
  EXPECT_EQ(answer["configuration"]["n_encoder_layers"], 3);
}

// The tokens that the answer writes, each among all tokens behind the row that predicts it.
TEST_F(InsideData, EndsInTheProbabilitiesOfTheAnswer) {
  TranslationModel model = small_model();
  const InsideJson answer = inside(model, {.text = "the dog"}),
                   explored = explorer_of(model)->explore({.text = "the dog"});
  EXPECT_EQ(answer["translation"], explored["translation"]);
  EXPECT_EQ(answer["log_probability"], explored["log_probability"]);
  EXPECT_FALSE(answer.contains("attention"));
  EXPECT_EQ(answer["tokens"]["written"], explored["attention"]["axes"]["written"]["pieces"]);
  int found = 0;
  for (std::size_t i = 0; i < answer["next"].size(); ++i) {
    const InsideJson& next = answer["next"][i];
    ASSERT_EQ(next.size(), 10u);
    for (std::size_t k = 1; k < next.size(); ++k)
      EXPECT_GE(next[k - 1]["logit"].get<float>(), next[k]["logit"].get<float>());
    const InsideJson& written = answer["tokens"]["written"][i];
    for (const InsideJson& token : next) {
      EXPECT_EQ(model.tgt_tokenizer.piece(token["id"].get<std::int32_t>()), token["token"]);
      if (token["token"] != written["text"]) continue;
      EXPECT_NEAR(std::log(token["probability"].get<double>()),
                  written["log_probability"].get<double>(), 1e-4);
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

TEST_F(InsideData, ShowsTheChangedModel) {
  const Exploration plain{.text = "the dog", .translation = "der hund"};
  Exploration off = plain;
  off.changes.heads_off = {"encoder.layers.0.self_attn"};
  const auto explorer = explorer_of(small_model());
  const InsideJson before = explorer->inside(plain), after = explorer->inside(off);
  EXPECT_EQ(value_of(before, "encoder.layers.0.self_attn", "weights"),
            value_of(after, "encoder.layers.0.self_attn", "weights"));
  EXPECT_NE(value_of(before, "encoder.layers.0.self_attn", "output"),
            value_of(after, "encoder.layers.0.self_attn", "output"));
}

TEST_F(InsideData, SendsTheModulesThatAreWanted) {
  const Exploration question{.text = "the dog", .translation = "der hund"};
  const auto explorer = explorer_of(small_model());
  const InsideJson all = explorer->inside(question),
                   some = explorer->inside(question, {"decoder", "encoder.layers.*.self_attn"});
  EXPECT_EQ(modules_of(some),
            (std::vector<std::string>{"encoder.layers.0.self_attn", "encoder.layers.1.self_attn",
                                      "encoder.layers.2.self_attn", "decoder"}));
  EXPECT_EQ(value_of(some, "decoder", "sum"), value_of(all, "decoder", "sum"));
  EXPECT_EQ(some["next"], all["next"]);
  expect_error<ConfigError>(
      [&] {
        explorer->inside(question, {"decoder", "encodre"});
      },
      {"modules", "encodre", "encoder.layers.0.feed_forward"});
}

TEST_F(InsideData, RefusesMoreThanAPageCanHold) {
  TranslationModel model = small_model();
  TransformerConfig config = small_config(model.src_tokenizer, model.tgt_tokenizer);
  config.n_heads = 256;
  config.d_key = config.d_value = 1;
  model.network = std::make_shared<Transformer>(config, 1);
  std::string text;
  for (int i = 0; i < 250; ++i) text += "a ";
  const Exploration question{.text = text, .translation = "der hund"};
  const auto explorer = explorer_of(model);
  expect_error<ConfigError>([&] { explorer->inside(question); },
                            {"modules", "64 MB", "encoder.layers.0.self_attn"});
  EXPECT_FALSE(explorer->inside(question, {"*.feed_forward"})["values"].empty());
}

TEST_F(InsideData, ShowsWhatALanguageModelComputes) {
  const LanguageModel model = small_language_model();
  const InsideJson answer = inside(model, {.text = "the cat sat"});
  EXPECT_EQ(answer["tokens"].size(), 2u);
  EXPECT_EQ(answer["ids"].size(), 1u);
  EXPECT_EQ(answer["next"].size(), answer["ids"]["read"].size());
  EXPECT_EQ(answer["layers"]["encoder"], 0);
  EXPECT_EQ(modules_of(answer).front(), "decoder");
  EXPECT_TRUE(answer.contains("log_probability"));
}

TEST_F(InsideData, ShowsWhatAnEncoderComputes) {
  const InsideJson answer = inside(small_classifier(), {.text = "a good film"});
  EXPECT_TRUE(answer.contains("classes"));
  EXPECT_FALSE(answer.contains("next"));
  EXPECT_EQ(answer["tokens"].size(), 1u);
  EXPECT_EQ(answer["layers"]["decoder"], 0);
  EXPECT_EQ(modules_of(answer).front(), "encoder");
}

TEST_F(InsideData, EndsInTheClassesOfAClassifier) {
  for (const Pooling pooling : {Pooling::max, Pooling::mean, Pooling::first}) {
    const ClassificationModel model = small_classifier(pooling);
    const InsideJson answer = inside(model, {.text = "a good film"});
    EXPECT_EQ(answer["labels"], InsideJson(model.labels));
    EXPECT_EQ(value_of(answer, "pooling", "output")["shape"], (InsideJson{1, 32}));
    const std::vector<float> logits = numbers_of(value_of(answer, "output", "logits"));
    ASSERT_EQ(logits.size(), model.labels.size());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit);
    for (const InsideJson& one : answer["classes"]) {
      const auto place =
          std::find(model.labels.begin(), model.labels.end(), one["label"]) - model.labels.begin();
      EXPECT_NEAR(std::exp(logits[static_cast<std::size_t>(place)]) / sum,
                  one["probability"].get<double>(), 1e-6);
    }
  }
}

TEST_F(InsideData, HasTheLayersBehindTheEncoder) {
  ClassificationModel model = small_classifier(Pooling::first);
  ClassifierConfig config = model.network->config();
  config.head = {Activation::tanh, true, true};
  model.network = std::make_shared<TextClassifier>(config, 3);
  const InsideJson answer = inside(model, {.text = "a good film"}, {"head*", "output"});
  EXPECT_EQ(modules_of(answer), (std::vector<std::string>{"head", "head_norm", "output"}));
  for (const float number : numbers_of(value_of(answer, "head", "output")))
    EXPECT_LE(std::abs(number), 1.0f);
  EXPECT_EQ(value_of(answer, "head_norm", "output")["shape"], (InsideJson{1, 32}));
}

TEST_F(InsideData, EndsInTheVectorOfAnEmbeddingModel) {
  const ClassificationModel films = small_classifier();
  EmbedderConfig config;
  static_cast<EncoderConfig&>(config) = films.network->config();
  config.more_pooling = {"max"};
  config.dense_width = 12;
  config.second_dense_width = 8;
  config.normalize = true;
  const EmbeddingModel model{std::make_shared<TextEmbedder>(config, 7), films.tokenizer,
                             films.length};
  const InsideJson answer =
      inside(model, {.text = "a good film"}, {"pooling", "*dense", "normalize"});
  EXPECT_EQ(modules_of(answer),
            (std::vector<std::string>{"pooling", "dense", "second_dense", "normalize"}));
  EXPECT_EQ(value_of(answer, "pooling", "output")["shape"], (InsideJson{1, 64}));
  EXPECT_EQ(value_of(answer, "dense", "output")["shape"], (InsideJson{1, 12}));
  EXPECT_EQ(numbers_of(value_of(answer, "normalize", "output")),
            text_vectors(model, Ragged::one(model.ids("a good film"))).to_vector());
  EXPECT_FALSE(answer.contains("labels"));
}

TEST_F(InsideData, RefusesWhatIsNoTransformer) {
  TranslationModel model = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.src_vocab_size = model.src_tokenizer.vocab_size();
  config.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  config.tie_embeddings = TiedEmbeddings::target;
  model.network = make_encoder_decoder(config, 1);
  expect_error<ConfigError>([&] { inside(model, {.text = "the dog", .translation = "der hund"}); },
                            {"expected a Transformer", "recurrent"});
}

}  // namespace
}  // namespace attend
