// Models of every family, imported and written back (tools/make_import_fixtures.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/families/family_fixtures.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ExportedFamily : public testing::TestWithParam<FamilyFixture> {
 protected:
  ExportedFamily() { std::filesystem::remove_all(written_); }
  ~ExportedFamily() override { std::filesystem::remove_all(written_); }

  std::filesystem::path original() const { return GetParam().folder(); }
  Checkpoint imported() const { return import_model(ModelDirectory(original())).checkpoint; }

  const std::filesystem::path written_ = scratch("exported_" + GetParam().name);
};

INSTANTIATE_TEST_SUITE_P(Of, ExportedFamily, testing::ValuesIn(fixtures_that([](const auto& one) {
                           return !one.has_older_names;
                         })),
                         name_of_fixture);

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
}

// The values from the first position on: the rows of a learned table before it are never read.
std::vector<float> values_in_use(const std::string& name, const Tensor& tensor, bool is_roberta) {
  const bool begins_later = name.ends_with("embed_positions.weight") ||
                            (is_roberta && name.ends_with("position_embeddings.weight"));
  return tensor.slice_rows(begins_later ? 2 : 0, tensor.dim(0)).to_vector();
}

// Of a table whose last rows no token has, those that attend has kept.
Tensor as_many_rows(const Tensor& table, std::int64_t rows) {
  return table.dim(0) > rows ? table.slice_rows(0, rows) : table;
}

// Decoders that were saved without their output have names without their first part.
std::string name_in(const TensorTable& table, const std::string& name) {
  constexpr std::string_view kBase = "model.";
  return table.contains(name) || !name.starts_with(kBase) ? name : name.substr(kBase.size());
}

// The weights that transformers has written, and those that attend has. Older files repeat some,
// and hold sinusoids.
TEST_P(ExportedFamily, HasTheWeightsOfItsOriginal) {
  write_model_directory(export_model(imported()), written_);
  const SafetensorsFile ours = SafetensorsFile::open(written_ / "model.safetensors");
  TensorTable theirs = open_huggingface_weights(ModelDirectory(original()));
  bool is_roberta = false;  // whose first rows are no positions
  for (const char* family : {"roberta", "camembert", "mpnet"})
    is_roberta = is_roberta || GetParam().name.find(family) != std::string::npos;
  for (const TensorEntry& entry : ours.entries()) {
    const std::string name = name_in(theirs, entry.name);
    ASSERT_TRUE(theirs.contains(name)) << entry.name;
    const Tensor tensor = ours.tensor(entry);
    const Tensor original = as_many_rows(theirs.read(name), tensor.dim(0));
    ASSERT_EQ(original.shape(), tensor.shape()) << entry.name;
    EXPECT_EQ(values_in_use(entry.name, original, is_roberta),
              values_in_use(entry.name, tensor, is_roberta))
        << entry.name;
  }
  if (GetParam().name.ends_with("_v4")) return;
  for (const ForeignTensor& tensor : theirs.tensors())
    EXPECT_TRUE(ours.contains(tensor.name) || ours.contains("model." + tensor.name) ||
                tensor.name.ends_with("embed_positions.weight") ||
                tensor.name.starts_with("pooler."))
        << tensor.name;
  EXPECT_EQ(ours.metadata().at("format"), "pt");
}

// Whether the value of a setting need not be that of the original: sinusoids have no length, a text
// may begin with another token, and the decoder with that of the default language.
bool may_differ(const std::string& key, const std::string& type) {
  const bool has_sinusoids = type == "marian" || type == "m2m_100" || type == "pegasus";
  // Embeddings that no token has are left out.
  if (key == "vocab_size" && type == "xlm-roberta") return true;
  // ALBERT's class of tokenizers does not tell the texts of a pair.
  if (key == "type_vocab_size" && type == "albert") return true;
  // Two ways to say which layers have experts.
  if (key == "decoder_sparse_step" || key == "mlp_only_layers") return true;
  return key == "bos_token_id" || (key == "max_position_embeddings" && has_sinusoids);
}

// Compares the settings that both name, and returns how many these are.
int expect_same_settings(const nlohmann::json& ours, const nlohmann::json& theirs,
                         const std::string& type) {
  int shared = 0;
  for (const auto& [key, value] : ours.items()) {
    const auto found = theirs.find(key);
    if (found == theirs.end() || found->is_null() || may_differ(key, type)) continue;
    ++shared;
    if (key == "activation_function" || key == "hidden_act") {
      EXPECT_EQ(value == "silu", *found == "swish" || *found == "silu");
    } else if (value.is_object()) {
      shared += expect_same_settings(value, *found, type);
    } else {
      EXPECT_EQ(value, *found) << key;
    }
  }
  return shared;
}

TEST_P(ExportedFamily, HasTheSettingsOfItsOriginal) {
  const ExportedModel exported = export_model(imported());
  const auto read = [](const std::string& text) { return parse_json(text, "config.json"); };
  const auto ours = read(exported.files.at("config.json")),
             theirs = read(fixture_bytes("models/" + GetParam().name + "/config.json"));
  EXPECT_GT(expect_same_settings(ours, theirs, theirs.at("model_type")), 10);
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
  EXPECT_EQ(without, std::vector<std::string_view>{});
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

// OPT computes what GPT-2 does, mT5 what T5 does: the file says which one it was.
TEST(ExportOfAModel, IsOfTheFamilyThatItWasImportedFrom) {
  for (const char* family : {"opt", "mt5"}) {
    Checkpoint model = import_model(ModelDirectory(fixture("models") / family)).checkpoint;
    EXPECT_EQ(model.text("attend.family"), family);
    EXPECT_EQ(export_model(model).family, family);
    model.metadata.erase("attend.family");
    EXPECT_EQ(export_model(model).family, std::string_view(family) == "opt" ? "gpt2" : "t5");
    model.metadata["attend.family"] = "unheard-of";
    EXPECT_NE(export_model(model).family, family);
  }
}

// What `attend import --tgt-lang` has set is what transformers translates into by itself.
TEST(ExportOfAModel, TranslatesIntoTheDefaultLanguage) {
  const auto exported = [](const char* family, const LanguagePair& languages) {
    const ModelDirectory directory(fixture("models") / family);
    return export_model(import_model(directory, {languages}).checkpoint);
  };
  const auto setting = [](const ExportedModel& model, const char* file, const char* key) {
    return parse_json(model.files.at(file), file).at(key);
  };
  const ExportedModel nllb = exported("nllb", {"deu_Latn", "fra_Latn"});
  EXPECT_EQ(setting(nllb, "generation_config.json", "forced_bos_token_id"),
            read_tokenizer(nllb.equal).id("fra_Latn"));
  EXPECT_EQ(setting(nllb, "tokenizer_config.json", "src_lang"), "deu_Latn");
  const ExportedModel mbart = exported("mbart", {"", "ro_RO"});
  const auto start = setting(mbart, "generation_config.json", "decoder_start_token_id");
  EXPECT_EQ(start, setting(mbart, "config.json", "decoder_start_token_id"));
  EXPECT_EQ(read_tokenizer(mbart.equal).piece(start.get<std::int32_t>()), "ro_RO");
}

// attend does not read it back: the model itself knows what a text begins with.
TEST(ExportOfAModel, SaysWithWhichTokenTextsBegin) {
  for (const char* family : {"opt", "llama", "qwen2"}) {
    const auto single_text = [](const std::string& text) {
      return parse_sorted_json(text, "tokenizer.json").at("post_processor").at("single").dump();
    };
    const std::string original = std::string("models/") + family;
    const Checkpoint model = import_model(ModelDirectory(fixture(original))).checkpoint;
    EXPECT_EQ(single_text(export_model(model).files.at("tokenizer.json")),
              single_text(fixture_bytes(original + "/tokenizer.json")))
        << family;
  }
}

TEST(ExportOfAModel, NamesAnOptionWithoutAnEqual) {
  expect_option_refused("gpt2", R"("attention_choice":"soft")", R"("attention_choice":"hard")",
                        {"GPT-2", "attention-choice is hard instead of soft"});
  expect_option_refused("marian", R"("norm_epsilon":1e-05)", R"("norm_epsilon":0.01)",
                        {"MarianMT", "norm-epsilon is 0.01 instead of 1e-05"});
}

// Older names of the norms are written as the newer ones; what it guesses of an encoder is written.
TEST(ExportOfAnEncoder, WritesWhatTheImportOfAnOlderDirectoryGuessed) {
  const auto written = scratch("exported_older");
  std::filesystem::remove_all(written);
  const Checkpoint before =
      import_model(ModelDirectory(fixture("models") / "bert_older")).checkpoint;
  write_model_directory(export_model(before), written);
  const ImportedModel after = import_model(ModelDirectory(written));
  EXPECT_TRUE(bytes_of_saved(after.checkpoint) == bytes_of_saved(before));
  EXPECT_TRUE(after.remarks.empty());
  std::filesystem::remove_all(written);
}

TEST(ExportOfAnEncoder, KeepsTheSideOnWhichTextsAreTruncated) {
  Checkpoint model = import_model(ModelDirectory(fixture("models") / "bert_classifier")).checkpoint;
  std::string& text = model.metadata["attend.text"];
  const std::string side = R"("truncation":"right")";
  ASSERT_NE(text.find(side), text.npos) << text;
  text.replace(text.find(side), side.size(), R"("truncation":"left")");
  const ExportedModel exported = export_model(model);
  EXPECT_EQ(exported.equal.text("attend.text"), text);
}

TEST(ExportOfAnEncoder, NamesAPoolingThatTheFamilyDoesNotHave) {
  expect_option_refused("bert_classifier", R"("pooling":"first")", R"("pooling":"mean")",
                        {"BERT", "pooling is mean instead of first"});
  expect_option_refused("distilbert_classifier", R"("norm_epsilon":1e-12)",
                        R"("norm_epsilon":0.01)", {"norm-epsilon is 0.01 instead of 1e-12"});
}

}  // namespace
}  // namespace attend
