// MarianMT models as transformers writes them (tools/make_import_fixtures.py), against what
// transformers computes with them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

class ImportedMarian : public testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path folder() const { return fixture("models") / GetParam(); }
  ImportedModel imported() const { return import_model(ModelDirectory(folder())); }
};

INSTANTIATE_TEST_SUITE_P(Of, ImportedMarian, testing::Values("marian", "marian_separate"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(ImportedMarian, IsComparedTokenByToken) {
  const SafetensorsFile golden = SafetensorsFile::open(folder() / "golden.safetensors");
  std::vector<NamedTensor> tensors;
  for (const std::string& name : golden.names()) {
    tensors.push_back({name, golden.tensor(name).clone()});
    if (name == "written" || name == "ids") tensors.back().tensor.span<std::int32_t>()[2] += 1;
  }
  const auto path = scratch("golden");
  write_safetensors(path, tensors, golden.metadata());
  const GoldenComparison found = compare_with_golden(*load_model(imported().checkpoint), path);
  EXPECT_EQ(found.equal_ids, found.texts - 1);
  EXPECT_LT(found.equal_written, found.texts);
  ASSERT_NE(found.first_above(kGoldenTolerance), nullptr);
  EXPECT_EQ(found.first_above(kGoldenTolerance)->what, "input of the encoder");
  std::filesystem::remove(path);
}

TEST_P(ImportedMarian, IsAnOrdinaryModel) {
  const auto path = scratch("model");
  save_checkpoint(path, imported().checkpoint);
  const TranslationEngine engine = TranslationEngine::load(path);
  EXPECT_EQ(engine.default_options().beam.beam_size, 4);
  for (const Translation& translation :
       engine.translate(std::vector<std::string>{"A man is walking with his dog.", ""}))
    EXPECT_EQ(translation.text().find("<pad>"), std::string::npos);
  std::filesystem::remove(path);
}

class DamagedMarian : public DamagedDirectory {
 protected:
  DamagedMarian() { copy("marian"); }
};

TEST_F(DamagedMarian, IsRefusedForASettingThatNobodyKnows) {
  replace("config.json", "\"d_model\"", "\"new_trick\": true, \"d_model\"");
  expect_refused({"config.json", "new_trick"});
}

TEST_F(DamagedMarian, IsRefusedForAValueThatCannotBeComputed) {
  replace("config.json", "\"swish\"", "\"snake\"");
  expect_refused({"config.json", "activation_function", "snake"});
}

TEST_F(DamagedMarian, IsRefusedForAFamilyThatIsNotSupported) {
  replace("config.json", "\"model_type\": \"marian\"", "\"model_type\": \"mamba\"");
  expect_refused({"config.json", "model_type", "mamba", "marian"});
}

TEST_F(DamagedMarian, IsRefusedForShapesThatDoNotFit) {
  replace("config.json", "\"encoder_ffn_dim\": 24", "\"encoder_ffn_dim\": 32");
  expect_refused({"model.encoder.layers.0.fc1.weight", "[32, 16]", "[24, 16]"});
  replace("config.json", "\"encoder_ffn_dim\": 32", "\"encoder_ffn_dim\": 24");
  replace("config.json", "\"decoder_ffn_dim\": 24", "\"decoder_ffn_dim\": 32");
  expect_refused({"model.decoder.layers.0.fc1.weight", "[32, 16]", "[24, 16]"});
}

TEST_F(DamagedMarian, IsRefusedForATensorThatNobodyReads) {
  replace("config.json", "\"encoder_layers\": 2", "\"encoder_layers\": 1");
  expect_refused({"model.encoder.layers.1."});
}

TEST_F(DamagedMarian, IsRefusedForAVocabularyWithGaps) {
  replace("vocab.json", "\"</s>\": 0", "\"</s>\": 1");
  expect_refused({"vocab.json", "every id"});
}

TEST_F(DamagedMarian, IsRefusedWithoutItsTokenizer) {
  std::filesystem::remove(folder_ / "target.spm");
  expect_refused({"target.spm"});
}

TEST_F(DamagedMarian, NeverWritesThePaddingThoughNothingForbidsIt) {
  replace("generation_config.json", "\"bad_words_ids\": [\n    [\n      102\n    ]\n  ],", "");
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.suppressed, std::vector<std::int32_t>{model.special().pad});
}

}  // namespace
}  // namespace attend
