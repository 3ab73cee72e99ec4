// Cross-encoders as transformers and sentence-transformers write them: what they apply to their
// outputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/classification/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

using CrossEncoder = DamagedDirectory;

// transformers applies a sigmoid to one output without a type of problem, sentence-transformers
// what its settings say.
TEST_F(CrossEncoder, IsAModelOfOneOutput) {
  const auto function = [&](const std::string& more) {
    copy("bert_regression");
    replace("config.json", "\"problem_type\": \"regression\"", "\"problem_type\": null" + more);
    const Checkpoint model = imported().checkpoint;
    const auto written = scratch("cross_encoder");
    std::filesystem::remove_all(written);
    write_model_directory(export_model(model), written);
    EXPECT_EQ(import_model(ModelDirectory(written)).checkpoint.metadata, model.metadata);
    std::filesystem::remove_all(written);
    return classification_model(model).cross_encoder_function;
  };
  EXPECT_EQ(function(""), OutputFunction::sigmoid);
  EXPECT_EQ(function(R"(, "sentence_transformers": {"version": "4.1.0"})"),
            OutputFunction::sigmoid);
  EXPECT_EQ(
      function(
          R"(, "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"})"),
      OutputFunction::none);
  EXPECT_EQ(
      function(R"(, "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity")"),
      OutputFunction::none);
  copy("bert_regression");
  EXPECT_FALSE(classification_model(imported().checkpoint).cross_encoder_function);
  replace("config.json", "\"problem_type\": \"regression\"",
          R"("sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"})");
  expect_refused({"sentence_transformers", "Sigmoid and Identity"});
}

// What CrossEncoder.predict() of sentence-transformers applies to the outputs.
TEST_F(CrossEncoder, KeepsItsActivation) {
  const auto activation = [&](const char* name, const std::string& more) {
    copy(name);
    replace("config.json", "\"hidden_act\"", more + "\"hidden_act\"");
    const Checkpoint model = imported().checkpoint;
    const auto written = scratch("cross_encoder");
    std::filesystem::remove_all(written);
    write_model_directory(export_model(model), written);
    EXPECT_EQ(import_model(ModelDirectory(written)).checkpoint.metadata, model.metadata);
    std::filesystem::remove_all(written);
    return classification_model(model).activation();
  };
  const auto saved = [](const char* name) {
    return fmt::format(R"("sentence_transformers": {{"activation_fn": "{}"}}, )", name);
  };
  const char *sigmoid = ClassificationModel::kSigmoid, *identity = ClassificationModel::kIdentity,
             *tanh = "torch.nn.modules.activation.Tanh";
  EXPECT_EQ(activation("bert_regression", ""), sigmoid);
  EXPECT_EQ(activation("bert_regression", saved(identity)), identity);
  EXPECT_EQ(activation("bert_regression", saved(tanh)), tanh);
  EXPECT_EQ(activation("bert_regression", saved("their.own.function")), sigmoid) << "not trusted";
  EXPECT_EQ(activation("bert_classifier", ""), identity);
  EXPECT_EQ(activation("bert_classifier", saved(sigmoid)), sigmoid);
  EXPECT_EQ(activation("bert_classifier", R"("sbert_ce_default_activation_function": ")" +
                                              std::string(tanh) + R"(", )"),
            tanh);
}

TEST_F(CrossEncoder, MayBeOfSentenceTransformersSix) {
  const auto write_settings = [&](const std::string& more) {
    copy("bert_regression");
    write("modules.json",
          R"([{"idx": 0, "path": "", "type": "sentence_transformers.base.modules.Transformer"}])");
    write("config_sentence_transformers.json",
          R"({"model_type": "CrossEncoder", "prompts": {}, )" + more + "}");
    write("sentence_bert_config.json",
          R"({"transformer_task": "sequence-classification", "module_output_name": "scores", )"
          R"("max_seq_length": 11})");
  };
  write_settings(R"("default_prompt_name": null, "activation_fn": "torch.nn.Tanh")");
  const ClassificationModel model = classification_model(imported().checkpoint);
  EXPECT_EQ(model.activation(), "torch.nn.Tanh");
  EXPECT_EQ(model.length.max_length, 11);
  write_settings(R"("default_prompt_name": "query")");
  expect_refused({"config_sentence_transformers.json", "default_prompt_name", "query"});
  write_settings(R"("unheard": 1)");
  expect_refused({"unheard"});
  write_settings(R"("activation_fn": null)");
  write("modules.json", R"([{"type": "a.Transformer"}, {"type": "a.Dense", "path": "1_Dense"}])");
  expect_refused({"modules.json", "expected a Transformer alone"});
}

}  // namespace
}  // namespace attend
