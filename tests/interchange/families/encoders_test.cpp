// Encoders and classifiers as transformers and sentence-transformers write them
// (tools/make_import_fixtures.py): what families_test does not compare with transformers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/model.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

ImportedModel imported_encoder(const std::string& name) {
  return import_model(ModelDirectory(fixture("models") / name));
}

TEST(ImportedEmbedder, TakesItsPoolingLengthAndPromptsFromTheDirectory) {
  const auto sentences = embedding_model(imported_encoder("bert_sentences").checkpoint);
  EXPECT_EQ(sentences.network->config().pooling, Pooling::mean);
  EXPECT_TRUE(sentences.network->config().normalize);
  EXPECT_EQ(sentences.length.max_length, 10);
  EXPECT_EQ(sentences.prompts.texts.at("query"), "man: ");
  const auto first = embedding_model(imported_encoder("xlm_roberta_sentences").checkpoint);
  EXPECT_EQ(first.network->config().pooling, Pooling::first);
  EXPECT_FALSE(first.network->config().normalize);
  EXPECT_EQ(first.length.max_length, 14);
  EXPECT_EQ(first.prompts.texts.size(), 2u);
}

TEST(ImportedEmbedder, TakesSeveralPoolingsAndALayer) {
  const auto model = embedding_model(imported_encoder("bert_dense").checkpoint);
  const EmbedderConfig& config = model.network->config();
  EXPECT_EQ(config.poolings(),
            (std::vector{Pooling::first, Pooling::max, Pooling::mean, Pooling::mean_sqrt,
                         Pooling::weighted_mean, Pooling::last}));
  EXPECT_EQ(config.dense_width, 10);
  EXPECT_EQ(config.dense_activation, Activation::tanh);
  EXPECT_TRUE(config.dense_bias);
}

TEST(ImportedEmbedder, SaysWhatItHadToGuess) {
  EXPECT_TRUE(imported_encoder("bert_sentences").remarks.empty());
  const auto bare = imported_encoder("bert_older").remarks;
  ASSERT_EQ(bare.size(), 1u);
  EXPECT_NE(bare[0].find("no modules.json"), std::string::npos) << bare[0];
  const auto more = imported_encoder("xlm_roberta_sentences").remarks;
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0], "5 embeddings without a token are left out");
}

TEST(ImportedClassifier, KnowsWhatATextGets) {
  const auto numbers = classification_model(imported_encoder("bert_regression").checkpoint);
  EXPECT_EQ(numbers.problem_type(), ProblemType::regression);
  EXPECT_EQ(numbers.labels, std::vector<std::string>{"similarity"});
  EXPECT_EQ(numbers.network->config().separators, 1);
  const auto several = classification_model(imported_encoder("roberta_multi_label").checkpoint);
  EXPECT_EQ(several.problem_type(), ProblemType::multi_label);
  EXPECT_EQ(several.network->config().separators, 2);
  const auto tags = tagging_model(imported_encoder("distilbert_tagger").checkpoint);
  EXPECT_EQ(tags.labels, (std::vector<std::string>{"O", "B-WHO", "I-WHO", "B-WHERE"}));
  EXPECT_EQ(tags.length.max_length, 40);
}

TEST(ImportedClassifier, KeepsTheNamesOfItsClasses) {
  for (const char* name : {"bert_classifier", "distilbert_classifier", "roberta_classifier"}) {
    const ClassificationEngine engine(classification_model(imported_encoder(name).checkpoint));
    EXPECT_EQ(engine.labels(), (std::vector<std::string>{"negative", "neutral", "positive"}));
    const auto found = engine.classify(std::vector<std::string>{"A man is walking."});
    EXPECT_EQ(found[0].probabilities.size(), 3u);
  }
}

using DamagedEncoder = DamagedDirectory;

// The encoders of all families: what is left of a classifier without its head.
TEST_F(DamagedEncoder, WithoutAHeadGivesTheMeanOfItsTokens) {
  const auto expect_means = [&](const char* name, const char* written, const char* encoder,
                                std::initializer_list<const char*> head) {
    copy(name);
    replace("config.json", written, encoder);
    for (const char* tensor : head) leave_out(tensor);
    const ImportedModel imported = import_model(ModelDirectory(folder_));
    const SafetensorsFile golden = SafetensorsFile::open(folder_ / "golden.safetensors");
    const std::int32_t end = golden.tensor("ids.offsets").span<std::int32_t>()[1];
    const std::vector<float> expected = mean_vector(golden.tensor("encoder.2"), 0, end);
    const std::vector<std::string> texts{"A man is wal"};  // the first text of the record
    const std::vector<float> found =
        EmbeddingEngine(*load_model(imported.checkpoint)).embed(texts, {})[0].vectors.to_vector();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << name;
  };
  expect_means("bert_classifier", "BertForSequenceClassification", "BertModel",
               {"classifier.weight", "classifier.bias"});
  expect_means(
      "distilbert_classifier", "DistilBertForSequenceClassification", "DistilBertModel",
      {"pre_classifier.weight", "pre_classifier.bias", "classifier.weight", "classifier.bias"});
  expect_means("roberta_classifier", "RobertaForSequenceClassification", "RobertaModel",
               {"classifier.dense.weight", "classifier.dense.bias", "classifier.out_proj.weight",
                "classifier.out_proj.bias"});
  for (const auto& [name, family] : {std::pair{"mpnet_classifier", "MPNet"},
                                     {"electra_classifier", "Electra"},
                                     {"camembert_classifier", "Camembert"}})
    expect_means(name, (std::string(family) + "ForSequenceClassification").c_str(),
                 (std::string(family) + "Model").c_str(),
                 {"classifier.dense.weight", "classifier.dense.bias", "classifier.out_proj.weight",
                  "classifier.out_proj.bias"});
}

TEST_F(DamagedEncoder, IsRefusedForAnUnknownPooling) {
  const auto refuse = [&](const char* from, const char* to,
                          std::initializer_list<std::string_view> fragments) {
    copy("bert_sentences");
    replace("1_Pooling/config.json", from, to);
    expect_refused(fragments);
  };
  refuse("\"pooling_mode_mean_tokens\": true", "\"pooling_mode_mean_tokens\": false",
         {"expected a kind of pooling"});
  refuse("\"pooling_mode_mean_tokens\": true", "\"pooling_mode\": \"median\"",
         {"pooling_mode", "median", "supported: cls, max, mean"});
  refuse("\"pooling_mode_mean_tokens\": true", "\"pooling_mode\": [\"max\", \"max\"]",
         {"pooling_mode", "each once"});
  refuse("\"pooling_mode_mean_tokens\": true", "\"pooling_mode\": []",
         {"pooling_mode", "expected a kind of pooling"});
  refuse("\"pooling_mode_mean_tokens\": true", "\"pooling_mode\": 3",
         {"pooling_mode", "3", "list of strings"});
  refuse("\"pooling_mode_mean_tokens\": true",
         "\"pooling_mode_mean_tokens\": true, \"pooling_mode_best\": true", {"pooling_mode_best"});
  refuse("\"word_embedding_dimension\": 16", "\"word_embedding_dimension\": 32",
         {"word_embedding_dimension", "32", "16"});
  refuse("\"pooling_mode_mean_tokens\": true",
         "\"pooling_mode\": \"weightedmean\", \"include_prompt\": false",
         {"include_prompt", "not supported beside weightedmean"});
}

TEST_F(DamagedEncoder, KeepsHowItsVectorsAreMadeAndComparedOnExport) {
  copy("bert_sentences");
  replace("1_Pooling/config.json", "\"word_embedding_dimension\": 16",
          "\"word_embedding_dimension\": 16, \"include_prompt\": false");
  for (const char* name : {"dot", "euclidean", "manhattan"}) {
    write("config_sentence_transformers.json",
          fmt::format("{{\"prompts\": {{\"query\": \"man: \"}}, \"similarity_fn_name\": \"{}\"}}",
                      name));
    const Checkpoint model = imported().checkpoint;
    EXPECT_EQ(model.text("attend.similarity"), name);
    EXPECT_FALSE(embedding_model(model).pools_prompt);
    const auto written = scratch("compared");
    std::filesystem::remove_all(written);
    write_model_directory(export_model(model), written);
    EXPECT_EQ(import_model(ModelDirectory(written)).checkpoint.metadata, model.metadata);
    std::filesystem::remove_all(written);
  }
  replace("config_sentence_transformers.json", "manhattan", "maxsim");
  expect_refused({"similarity_fn_name", "maxsim", "supported: cosine, dot"});
}

TEST_F(DamagedEncoder, IsRefusedIfItTruncatesWordsOnTheLeft) {
  copy("bert_tagger");
  replace("tokenizer_config.json", "\"model_max_length\"",
          "\"truncation_side\": \"left\", \"model_max_length\"");
  expect_refused({"truncation_side", "left"});
}

TEST(ImportedEncoder, ReadsSpecialTokensInTexts) {
  const auto classes = classification_model(imported_encoder("bert_classifier").checkpoint);
  const std::string text = "a man [SEP] walks [MASK]";
  const std::vector<std::int32_t> ids = classes.ids(text);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), classes.tokenizer.eos_id()), 2);
  ClassificationOptions split;
  split.split_special_tokens = true;
  const std::vector<std::int32_t> as_text =
      ClassificationEngine(classes).reading(split).input(text, "here").ids;
  EXPECT_EQ(std::count(as_text.begin(), as_text.end(), classes.tokenizer.eos_id()), 1);
}

// Newer files name the kinds in any order.
TEST_F(DamagedEncoder, MayNameItsPoolingsInAnotherOrder) {
  copy("bert_dense");
  write("1_Pooling/config.json",
        R"({"embedding_dimension": 16, "pooling_mode": ["lasttoken", "mean"]})");
  write("modules.json", fixture_bytes("models/bert_sentences/modules.json"));
  const Checkpoint model = imported().checkpoint;
  EXPECT_EQ(embedding_model(model).network->config().poolings(),
            (std::vector{Pooling::last, Pooling::mean}));
  const auto written = scratch("poolings_in_order");
  std::filesystem::remove_all(written);
  write_model_directory(export_model(model), written);
  const Checkpoint again = import_model(ModelDirectory(written)).checkpoint;
  EXPECT_EQ(again.text("attend.config"), model.text("attend.config"));
  std::filesystem::remove_all(written);
}

TEST_F(DamagedEncoder, IsRefusedForALayerThatCannotBeComputed) {
  const auto refuse = [&](const char* from, const char* to,
                          std::initializer_list<std::string_view> fragments) {
    copy("bert_dense");
    replace("2_Dense/config.json", from, to);
    expect_refused(fragments);
  };
  refuse("\"in_features\": 96", "\"in_features\": 16", {"2_Dense", "in_features", "16", "96"});
  refuse("activation.Tanh", "activation.Mish", {"activation_function", "Mish", "supported: Tanh"});
  refuse("\"bias\": true", "\"bias\": true, \"use_residual\": true", {"use_residual", "true"});
  refuse("\"bias\": true", "\"bias\": false", {"linear.bias"});
  refuse("\"out_features\": 10", "\"out_features\": 12", {"linear.weight", "[10, 96]", "[12, 96]"});
  copy("bert_dense");
  replace("modules.json", "models.Normalize", "models.LayerNorm");
  expect_refused({"'LayerNorm' is not supported here"});
}

TEST_F(DamagedEncoder, IsRefusedForModulesThatAreNotSupported) {
  const auto refuse = [&](const char* from, const char* to,
                          std::initializer_list<std::string_view> fragments) {
    copy("bert_sentences");
    replace("modules.json", from, to);
    expect_refused(fragments);
  };
  refuse("models.Normalize", "models.CNN",
         {"modules.json: 'CNN' is not supported here; Transformer, Pooling, one Dense"});
  refuse("models.Normalize", "models.Dense", {"2_Normalize"});
  refuse("models.Pooling", "models.WeightedLayerPooling", {"expected a Transformer, then Pooling"});
  refuse("\"path\": \"\"", "\"path\": \"0_Transformer\"", {"0_Transformer"});
  refuse("\"path\": \"1_Pooling\"", "\"path\": \"../1_Pooling\"", {"../1_Pooling"});
  refuse("\"path\": \"1_Pooling\"", "\"path\": \"9_Pooling\"", {"9_Pooling"});
  refuse("[{", "{\"a\": [{", {"modules.json"});
  copy("bert_sentences");
  write("modules.json", "{}");
  expect_refused({"modules.json: expected a list of modules"});
  write("modules.json", "[]");
  expect_refused({"modules.json: expected a Transformer, then Pooling"});
  write("modules.json", "[1]");
  expect_refused({"modules.json: expected a JSON object"});
}

TEST_F(DamagedEncoder, IsRefusedForSettingsOfSentencesThatNobodyKnows) {
  copy("bert_sentences");
  replace("sentence_bert_config.json", "\"do_lower_case\": false", "\"do_lower_case\": true");
  expect_refused({"sentence_bert_config.json", "do_lower_case"});
  copy("bert_sentences");
  replace("config_sentence_transformers.json", "\"default_prompt_name\": null",
          "\"default_prompt_name\": \"search\"");
  expect_refused({"default_prompt_name", "search", "expected one of the prompts"});
  copy("bert_sentences");
  replace("config_sentence_transformers.json", "\"man: \"", "3");
  expect_refused({"prompts", "query", "expected a string"});
}

TEST_F(DamagedEncoder, IsRefusedWhenLabelsAndLogitsAreNotAsMany) {
  copy("bert_classifier");
  replace("config.json", "\"2\": \"positive\"", "\"2\": \"positive\", \"3\": \"mixed\"");
  expect_refused({"classifier.weight", "[4, 16]", "[3, 16]"});
  copy("bert_classifier");
  replace("config.json", "\"2\": \"positive\"", "\"7\": \"positive\"");
  expect_refused({"id2label", "\"2\" is missing"});
  copy("bert_classifier");
  replace("config.json", "\"2\": \"positive\"", "\"2\": \"neutral\"");
  expect_refused({"every class once", "neutral"});
}

TEST_F(DamagedEncoder, IsRefusedForAProblemThatNobodyKnows) {
  const auto refuse = [&](const char* problem, std::initializer_list<std::string_view> fragments) {
    copy("bert_classifier");
    replace("config.json", "\"model_type\"",
            (std::string("\"problem_type\": \"") + problem + "\", \"model_type\"").c_str());
    expect_refused(fragments);
  };
  refuse("ranking", {"problem_type", "ranking", "single_label_classification"});
  refuse("regression", {"problem_type", "a regression of several numbers"});
  copy("bert_regression");
  replace("config.json", "\"problem_type\": \"regression\"",
          "\"problem_type\": \"single_label_classification\"");
  expect_refused({"problem_type", "at least two labels"});
  copy("bert_classifier");
  replace("config.json", "BertForSequenceClassification", "BertForQuestionAnswering");
  expect_refused(
      {"architectures", "BertForQuestionAnswering", "sequence and token classification"});
}

TEST_F(DamagedEncoder, IsRefusedWithoutATensorOfItsHead) {
  for (const auto& [name, tensor] :
       {std::pair{"bert_classifier", "bert.pooler.dense.weight"},
        std::pair{"bert_classifier", "classifier.bias"},
        std::pair{"distilbert_classifier", "pre_classifier.weight"},
        std::pair{"roberta_classifier", "classifier.dense.bias"},
        std::pair{"roberta_classifier", "classifier.out_proj.weight"}}) {
    copy(name);
    leave_out(tensor);
    expect_refused({tensor});
  }
}

TEST_F(DamagedEncoder, IsRefusedForWhatAnEncoderDoesNotCompute) {
  const auto refuse = [&](const char* name, const char* from, const char* to,
                          std::initializer_list<std::string_view> fragments) {
    copy(name);
    replace("config.json", from, to);
    expect_refused(fragments);
  };
  refuse("bert_classifier", "\"model_type\"",
         "\"position_embedding_type\": \"relative_key\", \"model_type\"",
         {"position_embedding_type", "relative_key"});
  refuse("bert_classifier", "\"model_type\"", "\"pruned_heads\": {\"1\": [0]}, \"model_type\"",
         {"pruned_heads"});
  refuse("roberta_classifier", "\"pad_token_id\": 1", "\"pad_token_id\": 0", {"pad_token_id"});
  refuse("distilbert_classifier", "\"model_type\"", "\"n_experts\": 8, \"model_type\"",
         {"n_experts"});
  refuse("distilbert_classifier", "\"n_layers\": 2", "\"n_layers\": 1", {"transformer.layer.1."});
  refuse("bert_classifier", "\"vocab_size\": ", "\"vocab_size\": 1, \"o\": ", {"1 embeddings"});
}

TEST_F(DamagedEncoder, IsRefusedWithOtherMarksAroundATextThanItsTokenizerNames) {
  copy("bert_sentences");
  replace("tokenizer.json", "\"id\": \"[CLS]\"", "\"id\": \"[SEP]\"");
  expect_refused({"one token before a text and one after it"});
}

}  // namespace
}  // namespace attend
