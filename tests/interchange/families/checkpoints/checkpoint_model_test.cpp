// Checkpoints of fairseq and OpenNMT-py and directories of eole (tools/make_fairseq_fixtures.py,
// make_opennmt_fixtures.py, make_eole_fixtures.py), against what these programs compute with them.
#include "attend/interchange/families/checkpoints/checkpoint_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "core/written_zip.h"
#include "interchange/families/checkpoints/changed_checkpoint.h"

namespace attend {
namespace {

class CheckpointFixture : public testing::TestWithParam<const char*> {
 protected:
  ImportedModel imported() const { return import_model(checkpoint_folder(GetParam())); }
  nlohmann::json records() const {
    return parse_json(fixture_bytes(std::string("models/") + GetParam() + "/record.json"),
                      GetParam());
  }
  std::string program() const {
    const std::string name = GetParam();
    return name.substr(0, name.find('_'));
  }
};

INSTANTIATE_TEST_SUITE_P(Of, CheckpointFixture,
                         testing::Values("fairseq_joined", "fairseq_pre", "fairseq_words",
                                         "fairseq_older", "fairseq_oldest", "opennmt_joined",
                                         "opennmt_rotary", "opennmt_older", "eole_joined",
                                         "eole_rotary", "eole_words", "eole_learned",
                                         "eole_scaled"),
                         [](const auto& suite) { return std::string(suite.param); });

// Tokens of texts, every layer, logits, and what greedy search writes.
TEST_P(CheckpointFixture, ComputesWhatItsProgramComputes) {
  const GoldenComparison found = compare_with_golden(
      *load_model(imported().checkpoint), checkpoint_folder(GetParam()) / "golden.safetensors");
  EXPECT_EQ(found.texts, 9);
  EXPECT_EQ(found.equal_ids, found.texts);
  EXPECT_EQ(found.equal_written, found.texts);
  ASSERT_GE(found.differences.size(), 5u);
  EXPECT_EQ(found.differences.back().what, "logits");
  for (const GoldenDifference& one : found.differences) EXPECT_LE(one.largest, 1e-5) << one.what;
}

TEST_P(CheckpointFixture, ScoresEveryTokenOfATranslation) {
  const TranslationEngine engine(translation_model(imported().checkpoint));
  for (const nlohmann::json& record : records()) {
    const auto expected = record.at("target_scores").get<std::vector<float>>();
    const SequenceScore ours = engine.score(std::vector{record.at("source").get<std::string>()},
                                            std::vector{record.at("target").get<std::string>()})[0];
    ASSERT_EQ(ours.token_scores.size(), expected.size()) << record.at("target");
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(ours.token_scores[i], expected[i], 1e-5 * (1 + std::abs(expected[i])))
          << record.at("target") << ", token " << i;
  }
}

// Entries that only fill up a dictionary have no text here.
std::string without_fillers(std::string text) {
  constexpr std::string_view kFiller = "madeupword0000";
  for (std::size_t at = 0; (at = text.find(kFiller)) != text.npos;) text.erase(at, kFiller.size());
  return text;
}

// With the options that its program has by default, which are those of the model. What reaches the
// greatest length is cut here, and ended there.
TEST_P(CheckpointFixture, FindsWhatItsBeamSearchFinds) {
  const TranslationEngine engine(translation_model(imported().checkpoint));
  TranslationOptions options = engine.default_options();
  EXPECT_EQ(options.beam.beam_size, 5);
  EXPECT_EQ(options.beam.length_penalty, program() == "opennmt" ? 0.0f : 1.0f);
  options.beam.max_length = 31;
  // eole divides by a length that is one token more.
  if (program() == "eole") options.beam.length_penalty = 0.0f;
  int compared = 0;
  for (const nlohmann::json& record : records()) {
    const nlohmann::json& beams = record.at("beam");
    const bool all_end = std::all_of(beams.begin(), beams.end(), [](const nlohmann::json& one) {
      return one.at("ids").size() < 30;
    });
    const bool has_unknown = beams[0].at("text").get<std::string>().find("⁇") != std::string::npos;
    if (!all_end || has_unknown) continue;
    const std::string source = record.at("source").get<std::string>();
    const Translation ours = engine.translate(std::vector{source}, options)[0];
    EXPECT_EQ(without_fillers(ours.text()), without_fillers(beams[0].at("text").get<std::string>()))
        << source;
    EXPECT_NEAR(ours.candidates[0].score, beams[0].at("score").get<float>(), 1e-4) << source;
    ++compared;
  }
  const std::string name = GetParam();
  const bool never_ends = name == "fairseq_joined" || name == "fairseq_oldest";
  EXPECT_GE(compared, never_ends ? 0 : 2);
}

TEST_P(CheckpointFixture, RunsInFewerBits) {
  const Checkpoint exact = imported().checkpoint;
  for (const auto& [bits, off] :
       {std::pair{WeightBits::eight, 0.1}, std::pair{WeightBits::four, 0.5}}) {
    const Checkpoint quantized = quantize_model(exact, bits);
    const auto small = load_model(quantized), model = load_model(exact);
    EXPECT_TRUE(check_golden_samples(*small, golden_samples(quantized, *small)).holds());
    EXPECT_LT(check_golden_samples(*small, golden_samples(exact, *model)).deviation, off);
  }
}

TEST_P(CheckpointFixture, IsRecognizedAsAFileAndAsADirectory) {
  const std::filesystem::path folder = checkpoint_folder(GetParam());
  EXPECT_TRUE(is_foreign_model(folder));
  const Checkpoint model = imported().checkpoint;
  EXPECT_EQ(model.metadata.at(kFamilyKey), program());
  const auto name = find_checkpoint(ModelDirectory(folder));
  ASSERT_EQ(name.has_value(), program() != "eole");
  if (!name) return;
  EXPECT_TRUE(is_foreign_model(folder / *name));
  EXPECT_EQ(import_model(folder / *name).checkpoint.metadata, model.metadata);
}

TEST_F(ChangedCheckpoint, IsRefusedForWhatFairseqModelsRarelyHave) {
  read("fairseq_words");
  for (const char* flag :
       {"adaptive_input", "no_cross_attention", "cross_self_attention", "tie_adaptive_weights"}) {
    turn_on(flag);
    expect_refused({"memory/checkpoint_best.pt, cfg.model", flag, "only false is supported"});
  }
  turn_on("share_all_embeddings");
  expect_refused({"embed_tokens.weight", "are one table by the settings, but differ"});
  replace("encoder_layerdrop", "encoder_layerdrip");
  expect_refused({"encoder_layerdrip"});
  replace("transformer_wmt_en_de_big_t2t", "transformer_wmt_en_de_big_t2u");
  expect_refused({"arch", "transformer_wmt_en_de_big_t2u"});
}

TEST_F(ChangedCheckpoint, IsRefusedForOtherTexts) {
  read("fairseq_joined");
  const TextFiles whole = files_;
  const std::string dictionary = files_["dict.de.txt"];
  files_["dict.de.txt"] = dictionary + "more 1\n";
  expect_refused({"share embeddings", "dictionaries differ"});
  files_["dict.en.txt"] = files_["dict.de.txt"];
  expect_refused({"embed_tokens.weight", "found ["});
  files_["dict.en.txt"] = dictionary + "a@@ 5\n";
  expect_refused({"dict.en.txt, line", "every entry once"});
  files_["dict.en.txt"] = dictionary + "word\n";
  expect_refused({"dict.en.txt, line", "an entry and its count, found 'word'"});
  files_ = whole;
  files_.erase("dict.en.txt");
  expect_refused({"dict.en.txt"});
  files_ = whole;
  files_["spm.model"] = "";
  expect_refused({"one file that splits words", "'bpecodes'", "'spm.model'"});
  files_ = whole;
  files_["bpecodes"] = "#version: 0.3\n";
  expect_refused({"bpecodes, line 1", "version 0.1 or 0.2"});
  files_["bpecodes"] = "#version: 0.2\na b\na b c\n";
  expect_refused({"bpecodes, line 3", "two symbols, found 'a b c'"});
}

TEST_F(ChangedCheckpoint, IsOneOfSeveralOnlyIfItIsNamed) {
  read("fairseq_words");
  files_["model1.pt"] = files_["model2.pt"] = original_;
  EXPECT_NO_THROW(imported()) << "checkpoint_best.pt";
  files_.erase("checkpoint_best.pt");
  expect_refused({"'model1.pt' and 'model2.pt'", "an ensemble is not one model"});
}

TEST_F(ChangedCheckpoint, IsRefusedForWhatOpennmtModelsRarelyHave) {
  read("opennmt_joined");
  for (const char* flag : {"copy_attn", "parallel_residual", "shared_layer_norm", "aan_useffn"}) {
    turn_on(flag);
    expect_refused({"memory/model_step_1.pt, opt", flag, "only false is supported"});
  }
  replace("SinusoidalInterleaved", "SinusoidalInterleaver");
  expect_refused({"position_encoding_type", "SinusoidalInterleaver"});
  replace("scaled-dot", "scaled-dit");
  expect_refused({"self_attn_type", "scaled-dit"});
}

TEST_F(ChangedCheckpoint, RunsNothing) {
  read("opennmt_joined");
  replace("cargparse\nNamespace\n", "cposixpath\nsomesths\n");
  EXPECT_NO_THROW(imported()) << "the name of a class is not looked at";
  read("fairseq_joined");
  replace("ctorch._utils\n_rebuild_tensor_v2\n", "ctorch._utils\n_rebuild_tensor_xx\n");
  expect_refused({"expected a tensor, found a call of"});
}

TEST_F(ChangedCheckpoint, IsNamedIfItIsAnother) {
  files_["model.pt"] = written_zip({{"m/data.pkl", std::string("\x80\x02}.")}});
  expect_refused({"model.pt", "fairseq", "OpenNMT-py"});
  files_["model.pt"] = "nothing";
  expect_refused({"model.pt", "expected a PyTorch checkpoint"});
}

TEST_F(ChangedCheckpoint, IsNamedIfItIsOfSockeyeOrSwitch) {
  files_ = {{"params.best", "weights"}, {"config", "{}"}, {"vocab.src.0.json", "{}"}};
  expect_refused({"memory: it is a model of Sockeye (params.best)", "not supported"});
  files_ = {{"config.json", R"({"model_type": "switch_transformers"})"}};
  expect_refused({"\"model_type\" is \"switch_transformers\"", "experts leave out the tokens"});
}

// What Moses splits is the user's affair, and said.
TEST(ImportedCheckpoint, SaysWhatTextsItExpects) {
  const auto remarks = [](const char* name) {
    std::string all;
    for (const std::string& one : import_model(checkpoint_folder(name)).remarks) all += one + "\n";
    return all;
  };
  EXPECT_NE(remarks("fairseq_joined").find("tokenize moses"), std::string::npos);
  EXPECT_NE(remarks("fairseq_words").find("no file splits words"), std::string::npos);
  EXPECT_EQ(remarks("fairseq_pre").find("tokenize moses"), std::string::npos);
}

TEST(ImportedCheckpoint, KnowsItsLanguagesAndWords) {
  const TranslationModel model =
      translation_model(import_model(checkpoint_folder("fairseq_joined")).checkpoint);
  EXPECT_EQ(model.text_kinds.at("src").language, "en");
  EXPECT_EQ(model.text_kinds.at("tgt").language, "de");
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  const std::vector<std::int32_t> ids = tokenizer.encode("der lowest");
  EXPECT_EQ(tokenizer.decode(ids), "der lowest");
  EXPECT_EQ(tokenizer.words(ids).size(), 2u);
  EXPECT_EQ(tokenizer.words(ids)[1].text, "lowest");
}

}  // namespace
}  // namespace attend
