// Language models in checkpoints and directories (tools/make_fairseq_language_fixtures.py,
// make_opennmt_language_fixtures.py, make_eole_language_fixtures.py), against what fairseq,
// OpenNMT-py and eole compute with them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/families/checkpoints/changed_checkpoint.h"

namespace attend {
namespace {

class LanguageCheckpoint : public testing::TestWithParam<const char*> {
 protected:
  Checkpoint imported() const { return import_model(checkpoint_folder(GetParam())).checkpoint; }
  nlohmann::json records() const {
    return parse_json(fixture_bytes(std::string("models/") + GetParam() + "/record.json"),
                      GetParam());
  }
  bool is_fairseq() const { return std::string(GetParam()).starts_with("fairseq"); }
};

INSTANTIATE_TEST_SUITE_P(Of, LanguageCheckpoint,
                         testing::Values("fairseq_lm_gpt", "fairseq_lm_post", "fairseq_lm_words",
                                         "fairseq_lm_older", "opennmt_lm_rotary",
                                         "opennmt_lm_older", "opennmt_lm_bare", "eole_lm_rotary",
                                         "eole_lm_codes", "eole_lm_words", "eole_lm_shared",
                                         "eole_lm_branch"),
                         [](const auto& suite) { return std::string(suite.param); });

// Tokens of texts, every layer, logits, and what greedy search writes.
TEST_P(LanguageCheckpoint, ComputesWhatItsProgramComputes) {
  const GoldenComparison found = compare_with_golden(
      *load_model(imported()), checkpoint_folder(GetParam()) / "golden.safetensors");
  EXPECT_EQ(found.texts, 20);
  EXPECT_EQ(found.equal_ids, found.texts);
  EXPECT_EQ(found.equal_written, found.texts);
  ASSERT_EQ(found.differences.size(), 4u);
  EXPECT_EQ(found.differences.back().what, "logits");
  for (const GoldenDifference& one : found.differences) EXPECT_LE(one.largest, 1e-5) << one.what;
}

// With the end of the text.
TEST_P(LanguageCheckpoint, ScoresEveryTokenOfAText) {
  const LanguageModel model = language_model(imported());
  for (const nlohmann::json& record : records()) {
    const std::string text = record.at("text").get<std::string>();
    const auto expected = record.at("scores").get<std::vector<float>>();
    const std::vector<std::int32_t> ids = model.prompt_ids(text);
    std::vector<std::int32_t> targets(ids.begin() + 1, ids.end());
    targets.push_back(model.tokenizer.eos_id());
    ASSERT_EQ(targets.size(), expected.size()) << text;
    const std::vector<float> ours =
        target_log_probabilities(*model.network, {Ragged::one(ids), targets, {0}});
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(ours[i], expected[i], 1e-5 * (1 + std::abs(expected[i])))
          << text << ", token " << i;
  }
}

// Unknown words have a text of their own in each program. Padding, and what only fills up a
// dictionary, have none here.
bool has_no_odd_words(const std::string& text) {
  return text.find("<unk>") == text.npos && text.find("madeupword") == text.npos &&
         text.find("<blank>") == text.npos && text.find("⁇") == text.npos;
}
// Without the end of a line, too, which is text here.
std::string without_space_around(const std::string& text) {
  constexpr const char* kSpace = " \n";
  const auto first = text.find_first_not_of(kSpace);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

TEST_P(LanguageCheckpoint, WritesTheTextThatItsProgramWrites) {
  const LanguageModel model = language_model(imported());
  const GenerationEngine engine(model);
  GenerationOptions greedy = engine.default_options();
  greedy.sampling = {.top_k = 1};
  greedy.max_tokens = 14;
  greedy.one_line = model.text.has_lines();
  int compared = 0;
  for (const nlohmann::json& record : records()) {
    const std::string expected = record.at("continuation").get<std::string>();
    if (expected.empty() || !has_no_odd_words(expected)) continue;
    const std::string text = record.at("text").get<std::string>();
    EXPECT_EQ(without_space_around(engine.generate(text, greedy).text),
              without_space_around(expected))
        << text;
    ++compared;
  }
  EXPECT_GE(compared, 1);
}

// fairseq reads lines as one stream, the others each as a text of its own. What is never written is
// padding, or nothing.
TEST_P(LanguageCheckpoint, KeepsWhatATextIs) {
  const Checkpoint model = imported();
  const LanguageModel read = language_model(model);
  const SpecialTokens special = read.tokenizer.special_tokens();
  const std::string name = GetParam();
  const bool begins_with_end = (name != "fairseq_lm_post" && is_fairseq()) ||
                               name == "opennmt_lm_bare" || name == "eole_lm_codes";
  const std::int32_t begins = begins_with_end ? special.eos : special.bos;
  EXPECT_EQ(read.text.has_lines(), is_fairseq());
  EXPECT_EQ(read.text.prefix, std::vector{begins});
  EXPECT_EQ(read.text.ends, std::vector{special.eos});
  if (is_fairseq()) {
    EXPECT_EQ(read.text.forbidden, (std::vector<std::vector<std::int32_t>>{{special.pad}}));
  } else {
    EXPECT_EQ(read.text.start, begins);
    EXPECT_TRUE(read.text.forbidden.empty());
  }
  EXPECT_EQ(model.metadata.at(kFamilyKey), name.substr(0, name.find('_')));
}

TEST_P(LanguageCheckpoint, RunsInFewerBits) {
  const Checkpoint exact = imported();
  for (const auto& [bits, off] :
       {std::pair{WeightBits::eight, 0.1}, std::pair{WeightBits::four, 0.5}}) {
    const Checkpoint quantized = quantize_model(exact, bits);
    const auto small = load_model(quantized), model = load_model(exact);
    EXPECT_TRUE(check_golden_samples(*small, golden_samples(quantized, *small)).holds());
    EXPECT_LT(check_golden_samples(*small, golden_samples(exact, *model)).deviation, off);
  }
}

using ChangedLanguageCheckpoint = ChangedCheckpoint;

TEST_F(ChangedLanguageCheckpoint, IsRefusedForWhatFairseqModelsRarelyHave) {
  read("fairseq_lm_words");
  for (const char* flag : {"adaptive_input", "tie_adaptive_weights", "character_embeddings",
                           "scale_fc", "self_target", "past_target"}) {
    turn_on(flag);
    expect_refused({"memory/checkpoint_best.pt, cfg.", flag, "only false is supported"});
  }
  turn_on("share_decoder_input_output_embed");
  expect_refused({"output_projection.weight", "are one table by the settings, but differ"});
  set_number("decoder_output_dim", 8);
  expect_refused({"decoder_output_dim", "8", "expected that of decoder_input_dim, 16"});
  replace("language_modeling", "language_modelinx");
  expect_refused({"cfg.task", "language_modelinx"});
  replace("decoder_layerdrop", "decoder_layerdrip");
  expect_refused({"decoder_layerdrip"});
}

TEST_F(ChangedLanguageCheckpoint, IsRefusedWithoutItsDictionary) {
  read("fairseq_lm_words");
  const std::string dictionary = files_["dict.txt"];
  files_["dict.txt"] = dictionary + "another 1\n";
  expect_refused({"embed_tokens.weight"});
  files_.erase("dict.txt");
  expect_refused({"dict.txt"});
}

TEST_F(ChangedLanguageCheckpoint, IsRefusedForWhatOpennmtModelsRarelyHave) {
  read("opennmt_lm_rotary");
  for (const char* flag : {"copy_attn", "parallel_residual", "shared_layer_norm"}) {
    turn_on(flag);
    expect_refused({"memory/model_step_1.pt, opt", flag, "only false is supported"});
  }
  set_number("num_kv", 1);
  expect_refused({"num_kv", "1"});
}

}  // namespace
}  // namespace attend
