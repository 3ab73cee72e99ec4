// Models of every family, imported and written back (tools/make_import_fixtures.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/core/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden_comparison.h"
#include "attend/interchange/model_export.h"
#include "attend/tasks/model_quantization.h"
#include "attend/tasks/registry.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ExportedFamily : public testing::TestWithParam<const char*> {
 protected:
  ExportedFamily() { std::filesystem::remove_all(written_); }
  ~ExportedFamily() override { std::filesystem::remove_all(written_); }

  std::filesystem::path original() const { return fixture("models") / GetParam(); }
  Checkpoint imported() const { return import_model(ModelDirectory(original())).checkpoint; }

  const std::filesystem::path written_ = scratch(std::string("exported_") + GetParam());
};

INSTANTIATE_TEST_SUITE_P(Of, ExportedFamily,
                         testing::Values("marian", "marian_separate", "gpt2", "llama", "qwen2"),
                         [](const auto& suite) { return std::string(suite.param); });

std::string bytes_of_saved(const Checkpoint& checkpoint) {
  const auto path = scratch("saved");
  save_checkpoint(path, checkpoint);
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(path);
  return bytes;
}

TEST_P(ExportedFamily, IsImportedAgainAsTheSameFile) {
  const Checkpoint before = imported();
  write_model_directory(export_model(before), written_);
  const ImportedModel after = import_model(ModelDirectory(written_));
  EXPECT_TRUE(bytes_of_saved(after.checkpoint) == bytes_of_saved(before));
  EXPECT_TRUE(std::string_view(GetParam()).starts_with(after.family)) << after.family;
}

// The weights that transformers has written, and those that attend has.
TEST_P(ExportedFamily, HasTheWeightsOfItsOriginal) {
  write_model_directory(export_model(imported()), written_);
  const SafetensorsFile ours = SafetensorsFile::open(written_ / "model.safetensors"),
                        theirs = SafetensorsFile::open(original() / "model.safetensors");
  EXPECT_EQ(ours.entries().size(), theirs.entries().size());
  for (const TensorEntry& entry : theirs.entries()) {
    ASSERT_TRUE(ours.contains(entry.name)) << entry.name;
    EXPECT_EQ(ours.tensor(entry.name).shape(), theirs.tensor(entry).shape()) << entry.name;
    EXPECT_EQ(ours.tensor(entry.name).to_vector(), theirs.tensor(entry).to_vector()) << entry.name;
  }
  EXPECT_EQ(ours.metadata().at("format"), "pt");
}

// Of the settings that both files name.
TEST_P(ExportedFamily, HasTheSettingsOfItsOriginal) {
  const ExportedModel exported = export_model(imported());
  const auto read = [](const std::string& text) { return parse_json(text, "config.json"); };
  const auto ours = read(exported.files.at("config.json")),
             theirs = read(fixture_bytes(std::string("models/") + GetParam() + "/config.json"));
  int shared = 0;
  for (const auto& [key, value] : ours.items()) {
    const auto found = theirs.find(key);
    // Sinusoids have no length; the first token is the one that a text begins with.
    if (found == theirs.end() || found->is_null() || key == "bos_token_id" ||
        (key == "max_position_embeddings" && std::string_view(GetParam()).starts_with("marian")))
      continue;
    if (key == "activation_function" || key == "hidden_act") {
      EXPECT_EQ(value == "silu", *found == "swish" || *found == "silu");
    } else {
      EXPECT_EQ(value, *found) << key;
    }
    ++shared;
  }
  EXPECT_GT(shared, 10);
}

TEST_P(ExportedFamily, IsRefusedInEightBits) {
  expect_error<DataError>([&] { export_model(quantize_model(imported())); },
                          {"8 bits", "quantized from"});
}

TEST_P(ExportedFamily, IsRefusedWithATensorThatHasNoPlace) {
  Checkpoint model = imported();
  model.tensors.push_back({"extra", Tensor::zeros({2})});
  expect_error<ConfigError>([&] { export_model(model); }, {"the tensor extra"});
}

// A family without an export is named here, so that none is forgotten.
TEST(ModelFamilies, HaveAnExportBesideThese) {
  std::vector<std::string_view> without;
  for (const ModelFamily& family : model_families())
    if (family.write == nullptr) without.push_back(family.name);
  EXPECT_EQ(without, (std::vector<std::string_view>{"m2m_100", "mbart", "bart", "pegasus", "bert",
                                                    "distilbert", "roberta", "xlm-roberta", "t5",
                                                    "mt5", "opt"}));
}

// Changes one option of an imported model, and says what the error names.
void expect_option_refused(const char* family, const std::string& from, const std::string& to,
                           std::initializer_list<std::string_view> fragments) {
  Checkpoint model = import_model(ModelDirectory(fixture("models") / family)).checkpoint;
  std::string& config = model.metadata["attend.config"];
  const auto found = config.find(from);
  ASSERT_NE(found, config.npos) << config;
  config.replace(found, from.size(), to);
  expect_error<ConfigError>([&] { export_model(model); }, fragments);
}

TEST(ExportOfAModel, NamesAnOptionWithoutAnEqual) {
  expect_option_refused("gpt2", R"("attention_choice":"soft")", R"("attention_choice":"hard")",
                        {"GPT-2", "attention-choice is hard, there soft"});
  expect_option_refused("marian", R"("norm_epsilon":1e-05)", R"("norm_epsilon":0.01)",
                        {"MarianMT", "norm-epsilon is 0.01, there 1e-05"});
}

}  // namespace
}  // namespace attend
