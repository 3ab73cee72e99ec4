// Models of COMET (tools/make_comet_fixtures.py), against what COMET computes with them.
#include "attend/interchange/families/checkpoints/comet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/quality/engine.h"
#include "core/written_zip.h"
#include "interchange/families/checkpoints/changed_checkpoint.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

class CometFixture : public testing::TestWithParam<const char*> {
 protected:
  QualityModel imported() const {
    return quality_model(import_model(checkpoint_folder(GetParam())).checkpoint);
  }
  nlohmann::json record() const {
    return parse_json(fixture_bytes(std::string("models/") + GetParam() + "/record.json"),
                      GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Of, CometFixture,
                         testing::Values("comet_regression", "comet_normed", "comet_layer",
                                         "comet_referenceless", "comet_kiwi", "comet_unified"),
                         [](const auto& suite) { return std::string(suite.param); });

void expect_close(const std::vector<float>& ours, const std::vector<float>& theirs,
                  const std::string& what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_NEAR(ours[i], theirs[i], 1e-5 * (1 + std::abs(theirs[i]))) << what << ", number " << i;
}

// Tokens, every layer, and the vector of a text where COMET makes one.
TEST_P(CometFixture, ComputesWhatCometComputes) {
  const QualityModel model = imported();
  for (const nlohmann::json& text : record().at("inside")) {
    const auto what = text.at("text").get<std::string>();
    const std::vector<std::int32_t> ids = model.ids(what);
    ASSERT_EQ(ids, text.at("ids").get<std::vector<std::int32_t>>()) << what;
    std::vector<Tensor> layers;
    Pass pass = Pass::inference();
    pass.hidden = &layers;
    const std::vector<float> vector =
        model.network->vectors(Ragged::one(ids), pass).value().to_vector();
    ASSERT_EQ(layers.size(), text.at("layers").size());
    for (std::size_t k = 0; k < layers.size(); ++k)
      expect_close(layers[k].to_vector(), text.at("layers")[k], what);
    if (text.contains("vector")) expect_close(vector, text.at("vector"), what);
  }
}

TEST_P(CometFixture, GivesTheScoresOfComet) {
  const QualityEngine engine(imported());
  std::vector<std::string> sources, translations, references;
  std::vector<float> scores, scores_without;
  const nlohmann::json all = record();
  for (const nlohmann::json& line : all.at("texts")) {
    sources.push_back(line.at("source"));
    translations.push_back(line.at("translation"));
    references.push_back(line.at("reference"));
    scores.push_back(line.at("score"));
    if (line.contains("without_reference")) scores_without.push_back(line.at("without_reference"));
  }
  ASSERT_GE(scores.size(), 40u);
  expect_close(engine.score(translations, {sources, references}), scores, "all");
  if (!scores_without.empty())
    expect_close(engine.score(translations, {sources, {}}), scores_without, "no reference");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::span line(&translations[i], 1), source(&sources[i], 1), reference(&references[i], 1);
    EXPECT_EQ(engine.score(line, {source, reference})[0],
              engine.score(translations, {sources, references})[i])
        << "alone, line " << i;
  }
}

TEST_P(CometFixture, KeepsItsScoresInAFileAndNearlyInFewerBits) {
  const Checkpoint checkpoint = import_model(checkpoint_folder(GetParam())).checkpoint;
  EXPECT_TRUE(check_model(checkpoint)->holds());
  const std::vector<std::string> text{"A man walks his dog."}, source{"Ein Mann geht."};
  const auto score = [&](const Checkpoint& file) {
    return QualityEngine(quality_model(file)).score(text, {source, text})[0];
  };
  for (const auto& [bits, tolerance] :
       {std::pair(WeightBits::eight, 0.05), std::pair(WeightBits::four, 0.5)}) {
    const Checkpoint quantized = quantize_model(checkpoint, bits);
    EXPECT_TRUE(check_model(quantized)->holds());
    EXPECT_NE(score(quantized), score(checkpoint));
    EXPECT_NEAR(score(quantized), score(checkpoint), tolerance);
  }
}

TEST(Comet, HasTheKindOfItsFile) {
  const auto model = [](const char* name) {
    return quality_model(import_model(checkpoint_folder(name)).checkpoint);
  };
  EXPECT_TRUE(model("comet_regression").needs_reference());
  EXPECT_FALSE(model("comet_referenceless").reads_reference());
  EXPECT_FALSE(model("comet_kiwi").reads_reference());
  EXPECT_FALSE(model("comet_unified").needs_reference());
  EXPECT_TRUE(model("comet_unified").reads_reference());
  EXPECT_EQ(model("comet_regression").network->config().mix.weights, LayerWeights::softmax)
      << "sparsemax_patch";
  EXPECT_EQ(model("comet_kiwi").network->config().mix.weights, LayerWeights::sparsemax);
  EXPECT_EQ(import_model(checkpoint_folder("comet_unified")).remarks.back().find("the model also"),
            0u);
}

// A model of COMET in memory.
class ChangedComet : public testing::Test {
 protected:
  void read(const std::string& name) {
    files_.clear();
    const fs::path folder = checkpoint_folder(name);
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (const std::string file = fs::relative(entry.path(), folder).string();
          entry.is_regular_file())
        files_[file] = fixture_bytes("models/" + name + "/" + file);
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) {
    const auto found = files_[file].find(from);
    ASSERT_NE(found, std::string::npos) << from;
    files_[file].replace(found, from.size(), to);
  }
  // In the pickle, where strings have their sizes before them.
  void replace_setting(const std::string& from, const std::string& to) {
    ASSERT_EQ(from.size(), to.size());
    const ZipArchive archive(
        std::make_shared<const InputFile>("memory", files_["checkpoints/model.ckpt"]));
    std::vector<WrittenEntry> entries;
    for (const ZipEntry& entry : archive.entries()) {
      const auto bytes = archive.read(entry, std::size_t{1} << 24);
      std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      const auto found = content.find(from);
      if (entry.name.ends_with("data.pkl")) {
        ASSERT_NE(found, content.npos) << from;
        content.replace(found, from.size(), to);
      }
      entries.push_back({entry.name, content});
    }
    files_["checkpoints/model.ckpt"] = written_zip(entries);
  }
  ImportedModel imported() const { return import_model(ModelDirectory("memory", files_)); }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  TextFiles files_;
};

TEST_F(ChangedComet, IsRefusedWhereItIsNotHandled) {
  const auto refuses = [&](const char* name, const std::string& from, const std::string& to,
                           std::initializer_list<std::string_view> fragments) {
    read(name);
    replace_setting(from, to);
    expect_refused(fragments);
  };
  refuses("comet_regression", "XLM-RoBERTa", "MiniLM_MyLM", {"encoder_model", "XLM-RoBERTa"});
  refuses("comet_regression", "Tanh", "Mish", {"activations", "Mish", "Tanh"});
  refuses("comet_normed", "Sigmoid", "Softmin", {"final_activation", "Softmin"});
  refuses("comet_regression", "avg", "sum", {"pool", "sum"});
  refuses("comet_regression", "mix", "all", {"layer", "all"});
  refuses("comet_kiwi", "src", "ctx", {"input_segments", "ctx"});
  refuses("comet_kiwi", "hyper_parameters", "other_parameters", {"PyTorch Lightning"});
  refuses("comet_kiwi", "estimator.ff.0.weight", "estimator.ff.9.weight",
          {"estimator.ff.0.weight"});
  read("comet_kiwi");
  replace("hparams.yaml", "unified_metric", "xcomet_metric");
  expect_refused({"class_identifier", "xcomet_metric", "unified_metric"});
  read("comet_kiwi");
  replace("config.json", "xlm-roberta", "xlm-roberta-xl");
  expect_refused({"model_type", "xlm-roberta-xl"});
  read("comet_kiwi");
  replace("tokenizer_config.json", "{", R"({"truncation_side": "left",)");
  expect_refused({"truncation_side", "left"});
}

// The class of COMET drops settings that it does not have.
TEST_F(ChangedComet, HasSettingsThatCometDrops) {
  read("comet_kiwi");
  const Metadata before = imported().checkpoint.metadata;
  replace_setting("cross_entropy_weights", "cross_entropy_heights");
  EXPECT_EQ(imported().checkpoint.metadata, before);
}

// As the Hub has XLM-R: the class knows its tokens.
TEST_F(ChangedComet, NeedsNoNamesOfTokensInItsFiles) {
  read("comet_kiwi");
  const auto tokenizer = [&] {
    return std::string(quality_model(imported().checkpoint).tokenizer.bytes());
  };
  const std::string before = tokenizer();
  files_["tokenizer_config.json"] = R"({"model_max_length": 512})";
  EXPECT_EQ(tokenizer(), before);
  files_.erase("tokenizer_config.json");
  EXPECT_EQ(tokenizer(), before);
  files_["special_tokens_map.json"] = R"({"mask_token": "<mask>"})";
  EXPECT_EQ(tokenizer(), before);
  files_["tokenizer_config.json"] = "[]";
  expect_refused({"tokenizer_config.json", "expected an object"});
}

// hparams.yaml alone says that a sparsemax is a softmax.
TEST_F(ChangedComet, IsPatchedByItsOtherFile) {
  read("comet_regression");
  const auto weights = [&] {
    return quality_model(imported().checkpoint).network->config().mix.weights;
  };
  replace("hparams.yaml", "sparsemax_patch", "sparsemax");
  EXPECT_EQ(weights(), LayerWeights::sparsemax);
  replace_setting("sparsemax", "something");
  EXPECT_EQ(weights(), LayerWeights::softmax) << "as COMET takes all other names";
}

TEST_F(ChangedComet, NeedsItsCheckpoint) {
  read("comet_kiwi");
  const std::string checkpoint = files_["checkpoints/model.ckpt"];
  files_.erase("checkpoints/model.ckpt");
  expect_refused({"checkpoints", "model.ckpt", "found none"});
  files_["checkpoints/epoch=1.ckpt"] = checkpoint;
  EXPECT_EQ(imported().family, "comet");
  files_["checkpoints/epoch=2.ckpt"] = checkpoint;
  expect_refused({"several; name the one"});
}

TEST_F(ChangedComet, IsNotExported) {
  expect_error<ConfigError>(
      [&] { export_model(import_model(checkpoint_folder("comet_kiwi")).checkpoint); }, {"quality"});
}

// A model on disk without the files of its encoder, and a cache of the Hugging Face Hub.
class CometOfTheHub : public testing::Test {
 protected:
  CometOfTheHub() {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) ::unsetenv(name);
    ::setenv("HF_HOME", (folder_ / "home").c_str(), 1);
    fs::create_directories(folder_ / "model" / "checkpoints");
    for (const char* file : {"hparams.yaml", "checkpoints/model.ckpt"})
      fs::copy(checkpoint_folder("comet_kiwi") / file, folder_ / "model" / file);
  }
  ~CometOfTheHub() override {
    ::unsetenv("HF_HOME");
    fs::remove_all(folder_);
  }
  void put_encoder(const fs::path& folder) const {
    fs::create_directories(folder);
    for (const char* file : {"config.json", "tokenizer.json", "tokenizer_config.json"})
      fs::copy(checkpoint_folder("comet_kiwi") / file, folder / file);
  }

  const fs::path folder_ = scratch("comet");
};

TEST_F(CometOfTheHub, FindsItsEncoderThere) {
  expect_error<DataError>([&] { import_model(folder_ / "model"); },
                          {"config.json", "attend-tests/small-xlm-r",
                           "`hf download attend-tests/small-xlm-r --include '*.json' '*.model'`",
                           "copy them beside hparams.yaml"});
  const fs::path cached = folder_ / "home/hub/models--attend-tests--small-xlm-r";
  put_encoder(cached / "snapshots" / "abc");
  fs::create_directories(cached / "refs");
  std::ofstream(cached / "refs" / "main") << "abc";
  EXPECT_EQ(import_model(folder_ / "model").family, "comet");
}

TEST_F(CometOfTheHub, MayBeNamedByItsCheckpoint) {
  put_encoder(folder_ / "model");
  const fs::path file = folder_ / "model/checkpoints/model.ckpt";
  EXPECT_TRUE(is_foreign_model(file));
  EXPECT_TRUE(is_foreign_model(folder_ / "model"));
  EXPECT_EQ(import_model(file).checkpoint.metadata,
            import_model(folder_ / "model").checkpoint.metadata);
}

}  // namespace
}  // namespace attend
