#include "attend/interchange/writing/ctranslate2_export.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/families/family_fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class Ctranslate2Export : public testing::TestWithParam<FamilyFixture> {
 protected:
  Ctranslate2Export() { std::filesystem::remove_all(written_); }
  ~Ctranslate2Export() override { std::filesystem::remove_all(written_); }

  static Checkpoint imported(const std::string& name) {
    return import_model(ModelDirectory(fixture("models") / name)).checkpoint;
  }
  nlohmann::json written(const char* name) const {
    std::ifstream stream(written_ / name, std::ios::binary);
    return parse_json(std::string{std::istreambuf_iterator<char>(stream), {}}, name);
  }

  const std::filesystem::path written_ = scratch("exported_to_ctranslate2");
};

bool is_supported(const FamilyFixture& fixture) {
  const std::string type = fixture.model_type();
  // Their rotations are scaled in other ways than linearly.
  if (fixture.name == "llama" || fixture.name == "qwen3") return false;
  if (fixture.name.ends_with("_sentences")) return false;
  // Windows, unrotated layers, and norms of what sublayers add.
  if (fixture.name.ends_with("_window") || type == "smollm3" || type == "gemma2" ||
      type == "gemma3_text")
    return false;
  // Other sublayers, factors and rotations; experts, windows of translators, narrow embeddings.
  if (type.ends_with("moe") || fixture.name == "opt_narrow") return false;
  for (const char* decoder : {"mixtral", "t5gemma", "longt5", "phi3", "olmo2", "gpt_neox",
                              "stablelm", "granite", "phi", "falcon", "gptj", "cohere", "mpt"})
    if (type == decoder) return false;
  for (const char* encoder :
       {"bert", "roberta", "mpnet", "electra", "deberta-v2", "modernbert", "gte"})
    if (type.ends_with(encoder)) return false;
  return !fixture.has_older_names;
}

INSTANTIATE_TEST_SUITE_P(Of, Ctranslate2Export, testing::ValuesIn(fixtures_that(is_supported)),
                         name_of_fixture);

// The bias of tokens that are never written is another.
TEST_P(Ctranslate2Export, IsImportedAgainAsTheSameModel) {
  const Checkpoint before = imported(GetParam().name);
  write_ctranslate2_directory(before, written_);
  const Checkpoint after = import_model(ModelDirectory(written_)).checkpoint;
  const std::unique_ptr<SavedModel> model = load_model(before);
  for (const ParameterSet::Entry& entry : model->parameters().entries()) {
    if (entry.name == "output_proj.bias") continue;
    EXPECT_TRUE(equal_bytes(before.tensor(entry.name), after.tensor(entry.name))) << entry.name;
  }
  for (const auto& [name, tokenizer] : model->tokenizers())
    EXPECT_TRUE(equal_bytes(before.tensor(name), after.tensor(name))) << name;
  EXPECT_EQ(after.text(kFamilyKey), "ctranslate2");
}

using Ctranslate2ExportOfAModel = Ctranslate2Export;
INSTANTIATE_TEST_SUITE_P(Any, Ctranslate2ExportOfAModel, testing::Values(FamilyFixture{"marian"}),
                         name_of_fixture);

TEST_P(Ctranslate2ExportOfAModel, SilencesTokensThatAreNeverWritten) {
  const Checkpoint before = imported("marian");
  write_ctranslate2_directory(before, written_);
  const Checkpoint after = import_model(ModelDirectory(written_)).checkpoint;
  const auto model = load_model(before);
  const auto& translation = dynamic_cast<const TranslationModel&>(*model);
  const std::set<std::int32_t> silent(translation.suppressed.begin(), translation.suppressed.end());
  ASSERT_FALSE(silent.empty());
  const Tensor ours = before.tensor("output_proj.bias"), theirs = after.tensor("output_proj.bias");
  for (std::int32_t id = 0; id < ours.size(); ++id)
    EXPECT_EQ(theirs.to_vector()[static_cast<std::size_t>(id)],
              silent.contains(id) ? -1e9f : ours.to_vector()[static_cast<std::size_t>(id)]);
}

TEST_P(Ctranslate2ExportOfAModel, SaysWithWhichTokenTheDecoderBegins) {
  write_ctranslate2_directory(imported("marian"), written_);
  const nlohmann::json config = written("config.json");
  EXPECT_EQ(config.at("decoder_start_token"), "<pad>");
  EXPECT_EQ(config.at("eos_token"), "</s>");
  EXPECT_EQ(config.at("layer_norm_epsilon").get<float>(), 1e-5f);
  EXPECT_EQ(written("shared_vocabulary.json").size(), 103u);
}

TEST_P(Ctranslate2ExportOfAModel, IsRefusedForWhatCtranslate2OrTheFormatHasNot) {
  expect_error<ConfigError>(
      [&] { write_ctranslate2_directory(imported("bert_classifier"), written_); },
      {"cannot be exported to CTranslate2 yet"});
  expect_error<ConfigError>([&] { write_ctranslate2_directory(imported("llama"), written_); },
                            {"CTranslate2 has no equivalent for: rotary-scaling is llama3"});
  expect_error<ConfigError>([&] { write_ctranslate2_directory(imported("mixtral"), written_); },
                            {"CTranslate2 has no equivalent for:", "experts is 4"});
  expect_error<ConfigError>([&] { write_ctranslate2_directory(imported("opt_narrow"), written_); },
                            {"CTranslate2 has no equivalent for:", "embedding-width is "});
  expect_error<DataError>(
      [&] { write_ctranslate2_directory(quantize_model(imported("marian")), written_); },
      {"expected a model in 32 bits"});
  EXPECT_FALSE(std::filesystem::exists(written_));
}

}  // namespace
}  // namespace attend
