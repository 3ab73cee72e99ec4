// The views of a language model: its page, and what its heads do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/inspect/attention_data.h"
#include "attend/inspect/attention_page.h"
#include "attend/inspect/head_importance.h"
#include "attend/inspect/scored_text.h"
#include "attend/tasks/language/scoring.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// With heads that share their keys, as Llama has them.
LanguageModel grouped_language_model() {
  const Tokenizer tokenizer = rhyme_tokenizer();
  LanguageTransformerConfig config = small_language_config(tokenizer);
  config.n_key_heads = 2;
  config.positions = PositionKind::rotary;
  config.gated_ffn = true;
  config.norm.kind = NormKind::rms;
  return {std::make_shared<LanguageTransformer>(config, 7), tokenizer, {8}};
}

class LanguageViews : public FolderTest {};

TEST_F(LanguageViews, ScoreTheTextAsALine) {
  const LanguageModel model = small_language_model();
  const std::vector<std::string> lines{"the cat sat"};
  const SequenceScore expected = score_lines(model, lines, ScoringOptions{}).front();
  const ScoredText text = scored_text(model, lines.front());
  EXPECT_EQ(text.log_probability, expected.log_probability);
  EXPECT_EQ(text.token_scores, expected.token_scores);
  EXPECT_EQ(text.ids.size(), text.token_scores.size() + 1);
}

TEST_F(LanguageViews, ShowWhereEachWordWasPredicted) {
  const LanguageModel model = grouped_language_model();
  const ScoredText text = scored_text(model, "the cat sat");
  const auto data = attention_data(model, text.ids, text.token_scores);
  const auto& maps = data["maps"];
  EXPECT_TRUE(maps["encoder"]["pieces"].empty());
  EXPECT_TRUE(maps["cross"]["pieces"].empty());
  ASSERT_EQ(maps["decoder"]["pieces"].size(), 2u);
  EXPECT_EQ(maps["decoder"]["pieces"][0].size(), 4u) << "every head of queries";
  EXPECT_EQ(data["axes"]["read"]["words"][1]["text"], "the");
  EXPECT_EQ(data["axes"]["written"]["words"][0]["text"], "the");
  EXPECT_EQ(data["axes"]["written"]["words"][3]["marks"], "end");
  const std::string page = attention_page(model, text);
  EXPECT_NE(page.find("<title>Attention: the cat sat"), std::string::npos);
  EXPECT_NE(page.find("\"/explore\":{\"log_probability\":"), std::string::npos);
}

TEST_F(LanguageViews, TellWhatEachHeadDoesForTheText) {
  const LanguageModel model = grouped_language_model();
  save_checkpoint(path("base.safetensors"), checkpoint_of(model));
  const auto base = LoadedModel::load(path("base.safetensors"));
  const ScoredText text = scored_text(model, "the cat sat");
  const auto effects = head_effects(*base, {text.ids}, 0);
  ASSERT_EQ(effects.size(), 8u);
  const AttentionChanges off{
      {{.modules = effects[5].module, .head = effects[5].head, .off = true}}};
  const auto changed = base->with_attention(off);
  EXPECT_NEAR(effects[5].change,
              scored_text(dynamic_cast<const LanguageModel&>(*changed), text.text).log_probability -
                  text.log_probability,
              1e-5f);
}

TEST_F(LanguageViews, RefuseATextThatIsTooLong) {
  const LanguageModel model = small_language_model();
  expect_error<DataError>([&] { scored_text(model, "the cat sat on the mat and ran to the mat"); },
                          {"context", "at most 7"});
  expect_error<DataError>([&] { scored_text(model, " "); }, {"the text"});
}

}  // namespace
}  // namespace attend
