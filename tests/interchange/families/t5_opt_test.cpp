// T5 and OPT models as transformers writes them (tools/make_t5_opt_fixtures.py): what families_test
// does not compare with transformers.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/models/transformer.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

ImportedModel imported_fixture(const char* name) {
  return import_model(ModelDirectory(fixture("models") / name));
}

TransformerConfig config_of_fixture(const char* name) {
  const TranslationModel model = translation_model(imported_fixture(name).checkpoint);
  return std::get<TransformerConfig>(model.network->architecture());
}

TEST(ImportedT5, ScalesItsOutputOnlyIfItIsTiedToTheEmbeddings) {
  const TransformerConfig first = config_of_fixture("t5"), flan = config_of_fixture("flan_t5"),
                          multilingual = config_of_fixture("mt5");
  EXPECT_EQ(first.tie_embeddings, TiedEmbeddings::all);
  EXPECT_EQ(first.output_scale, 0.25f);  // 1/sqrt(16)
  EXPECT_EQ(flan.tie_embeddings, TiedEmbeddings::inputs);
  EXPECT_EQ(flan.output_scale, 1.0f);
  EXPECT_EQ(multilingual.tie_embeddings, TiedEmbeddings::inputs);
  EXPECT_EQ(multilingual.output_scale, 1.0f);
}

// Its files say with one setting whether the embeddings are tied and whether the output is scaled.
TEST(ImportedUmt5, HasPositionsInEveryLayer) {
  const TransformerConfig tied = config_of_fixture("umt5");
  EXPECT_FALSE(tied.relative.shared);
  EXPECT_EQ(tied.output_scale, 0.25f);
  EXPECT_TRUE(config_of_fixture("mt5").relative.shared);
}

using DamagedUmt5 = DamagedDirectory;

TEST_F(DamagedUmt5, ScalesNoOutputThatIsNotTied) {
  copy("umt5");
  replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(std::get<TransformerConfig>(model.network->architecture()).output_scale, 1.0f);
}

TEST_F(DamagedUmt5, IsRefusedWithoutThePositionsOfALayer) {
  copy("umt5");
  leave_out("encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight");
  expect_refused({"encoder.block.1.layer.0.SelfAttention.relative_attention"});
}

TEST(ImportedLongT5, SeesAWindowInItsEncoderAlone) {
  const TransformerConfig config = config_of_fixture("longt5");
  EXPECT_EQ(config.attention_window, 3) << "two on both sides";
  EXPECT_EQ(config.decoder().attention_window, 0);
}

TEST(ImportedT5Gemma, HasStacksOfItsOwn) {
  const TransformerConfig config = config_of_fixture("t5gemma");
  const StackConfig decoder = config.decoder();
  EXPECT_EQ(config.d_model, 16);
  EXPECT_EQ(decoder.d_model, 12);
  EXPECT_EQ(decoder.n_key_heads, 1);
  EXPECT_EQ(config.attention_window, 4) << "its last token on both sides is seen";
  EXPECT_EQ(decoder.attention_window, 3);
  EXPECT_EQ(config.logit_cap, 2.0f);
  EXPECT_EQ(config.tie_embeddings, TiedEmbeddings::target);
}

using DamagedT5Gemma = DamagedDirectory;

TEST_F(DamagedT5Gemma, IsRefusedForStacksThatDifferInMoreThanSizesAndWindows) {
  copy("t5gemma");
  replace("config.json", "\"rms_norm_eps\": 1e-06", "\"rms_norm_eps\": 1e-05");
  expect_refused({"config.json", "norm_epsilon is 1e-06 in the encoder and 1e-05 in the decoder"});
  copy("t5gemma");
  replace("config.json", "\"is_encoder_decoder\": true", "\"is_encoder_decoder\": false");
  expect_refused({"config.json", "is_encoder_decoder"});
  copy("t5gemma");
  replace("config.json", "\"model_type\": \"t5gemma\"", "\"model_type\": \"t5gemma2\"");
  expect_refused({"config.json", "model_type", "t5gemma2"});
}

using DamagedLongT5 = DamagedDirectory;

TEST_F(DamagedLongT5, IsRefusedWithGlobalTokens) {
  copy("longt5");
  replace("config.json", "\"encoder_attention_type\": \"local\"",
          "\"encoder_attention_type\": \"transient-global\"");
  expect_refused({"config.json", "encoder_attention_type", "transient-global"});
}

using DamagedBloom = DamagedDirectory;

TEST_F(DamagedBloom, IsRefusedForSettingsThatCannotBeComputed) {
  copy("bloom");
  replace("config.json", "\"apply_residual_connection_post_layernorm\": false",
          "\"apply_residual_connection_post_layernorm\": true");
  expect_refused({"config.json", "apply_residual_connection_post_layernorm", "true"});
  copy("bloom");
  replace("config.json", "\"pretraining_tp\": 1", "\"pretraining_tp\": 2");
  replace("config.json", "\"slow_but_exact\": false", "\"slow_but_exact\": true");
  expect_refused({"config.json", "slow_but_exact", "true"});
  copy("bloom");
  replace("config.json", "\"n_head\": 3", "\"n_head\": 4");
  expect_error<ConfigError>([&] { imported(); }, {"n_heads", "4", "18"});
  copy("bloom");
  replace("config.json", "\"hidden_size\": 18", "\"hidden_size\": 24");
  expect_refused({"word_embeddings", "[274, 18]", "[274, 24]"});
}

// As the first files have them: other names of settings, and weights without the model's prefix.
TEST_F(DamagedBloom, IsReadFromItsFirstFiles) {
  copy("bloom");
  const char* const weight = "decoder.layers.1.self_attn.k_proj.weight";
  const std::vector<float> expected = imported().checkpoint.tensor(weight).to_vector();
  replace("config.json", "\"hidden_size\": 18", "\"n_embed\": 18");
  replace("config.json", "\"n_head\": 3", "\"num_attention_heads\": 3");
  replace("config.json", "\"n_layer\": 2", "\"num_hidden_layers\": 2");
  replace("config.json", "\"use_cache\"", "\"offset_alibi\": 100, \"use_cache\"");
  rename_weights([](const std::string& name) {
    return name.substr(name.starts_with("transformer.") ? std::string("transformer.").size() : 0);
  });
  EXPECT_EQ(imported().checkpoint.tensor(weight).to_vector(), expected);
}

TEST(ImportedT5, IsAnOrdinaryModel) {
  for (const char* name : {"t5", "flan_t5", "mt5"}) {
    const auto path = scratch("t5_model");
    save_checkpoint(path, imported_fixture(name).checkpoint);
    const TranslationEngine engine = TranslationEngine::load(path);
    TranslationOptions options = engine.default_options();
    options.beam.beam_size = 3;
    options.beam.max_length = 12;
    const std::vector<std::string> texts{"translate English to German: A man is walking.", "x"};
    const auto together = engine.translate(texts, options);
    ASSERT_EQ(together.size(), 2u);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(together[i].text().find("<pad>"), std::string::npos);
      EXPECT_EQ(engine.translate(std::vector<std::string>{texts[i]}, options)[0].text(),
                together[i].text());
    }
    std::filesystem::remove(path);
  }
}

TEST(ImportedT5, TakesSentinelsAndUnusedPiecesInTextsAsText) {
  const TranslationModel model = translation_model(imported_fixture("t5").checkpoint);
  const Tokenizer& tokenizer = model.src_tokenizer;
  const std::int32_t sentinel = tokenizer.id("<extra_id_0>");
  ASSERT_NE(sentinel, tokenizer.unk_id());
  for (const std::int32_t id : tokenizer.encode("a <extra_id_0> b <unused 75>"))
    EXPECT_LT(id, sentinel - 2);
  EXPECT_EQ(tokenizer.decode(std::vector<std::int32_t>{sentinel, tokenizer.vocab_size() - 1}), "");
}

using DamagedT5OrOpt = DamagedDirectory;

TEST_F(DamagedT5OrOpt, OfT5IsRefusedForSettingsThatCannotBeComputed) {
  copy("t5");
  replace("config.json", "\"feed_forward_proj\": \"relu\"",
          "\"feed_forward_proj\": \"gated-snake\"");
  expect_refused({"config.json", "feed_forward_proj", "gated-snake"});
  copy("flan_t5");
  replace("config.json", "\"dense_act_fn\": \"gelu_new\"", "\"dense_act_fn\": \"relu\"");
  expect_refused({"config.json", "dense_act_fn", "relu", "gated-gelu"});
  copy("t5");
  replace("config.json", "\"relative_attention_max_distance\": 12",
          "\"relative_attention_max_distance\": 1");
  expect_refused({"config.json", "relative_attention_max_distance", "1"});
}

TEST_F(DamagedT5OrOpt, OfT5BeginsAndEndsAsItsSettingsSay) {
  copy("t5");
  replace("generation_config.json", "\"decoder_start_token_id\": 0",
          "\"decoder_start_token_id\": 5, \"forced_bos_token_id\": 7");
  replace("generation_config.json", "\"eos_token_id\": 1", "\"eos_token_id\": [1, 9]");
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.format.marks.before_target, (std::vector<std::int32_t>{5, 7}));
  EXPECT_EQ(model.ends, (std::vector<std::int32_t>{1, 9}));
}

// transformers reads one of the two files.
TEST_F(DamagedT5OrOpt, OfT5IsGeneratedFromAsGenerationConfigSaysNotConfig) {
  copy("t5");
  replace("config.json", "{",
          "{\"forced_bos_token_id\": 7, \"num_beams\": 4, \"repetition_penalty\": 2.0,");
  TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.format.marks.before_target.size(), 1u);
  EXPECT_EQ(model.decoding.beam_size, 1);
  std::filesystem::remove(folder_ / "generation_config.json");
  expect_refused({"config.json", "repetition_penalty"});
  replace("config.json", "\"repetition_penalty\": 2.0,", "");
  model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.format.marks.before_target.back(), 7);
  EXPECT_EQ(model.decoding.beam_size, 4);
}

TEST_F(DamagedT5OrOpt, OfT5WritesATokenThatItIsForcedToBeginWith) {
  copy("t5");
  const TranslationModel model = translation_model(imported().checkpoint);
  const std::string forced = model.tgt_tokenizer.decode(std::vector<std::int32_t>{11});
  replace("generation_config.json", "{", "{\"forced_bos_token_id\": 11,");
  const TranslationEngine engine(translation_model(imported().checkpoint));
  const std::string text = engine.translate(std::vector<std::string>{"A man"})[0].text();
  ASSERT_FALSE(forced.empty());
  EXPECT_TRUE(text.starts_with(forced)) << text;
}

TEST_F(DamagedT5OrOpt, OfT5IsRefusedForShapesAndVocabulariesThatDoNotFit) {
  copy("t5");
  replace("config.json", "\"relative_attention_num_buckets\": 8",
          "\"relative_attention_num_buckets\": 10");
  expect_refused({"relative_attention", "[10, 3]", "[8, 3]"});
  copy("t5");
  replace("config.json", "\"num_decoder_layers\": 1", "\"num_decoder_layers\": 2");
  expect_refused({"decoder.block.1."});
  for (const char* name : {"t5", "mt5"}) {
    copy(name);
    replace("config.json", "\"vocab_size\": ", "\"vocab_size\": 9, \"n_positions\": ");
    expect_refused({"9 embeddings", "pieces"});
  }
}

TEST_F(DamagedT5OrOpt, WithFarMoreEmbeddingsThanPiecesIsRefused) {
  for (const char* name : {"t5", "opt"}) {
    copy(name);
    replace("config.json", "\"vocab_size\": ", "\"vocab_size\": 9000000, \"prefix\": ");
    expect_refused({"9000000 embeddings", "pieces"});
  }
}

TEST_F(DamagedT5OrOpt, OfT5IsRefusedWithoutItsTokenizer) {
  copy("mt5");
  std::filesystem::remove(folder_ / "spiece.model");
  expect_refused({"tokenizer.json"});
}

TEST_F(DamagedT5OrOpt, OfOptIsRefusedForWhatItDoesNotSupport) {
  copy("opt_narrow");
  replace("config.json", "\"word_embed_proj_dim\": 12", "\"word_embed_proj_dim\": 16");
  expect_refused({"model.decoder.embed_tokens.weight", "[266, 16]", "[266, 12]"});
  copy("opt");
  replace("config.json", "\"_remove_final_layer_norm\": false",
          "\"_remove_final_layer_norm\": true");
  expect_refused({"model.decoder.final_layer_norm."});
  leave_out("model.decoder.final_layer_norm.weight");
  leave_out("model.decoder.final_layer_norm.bias");
  EXPECT_EQ(language_model(imported().checkpoint).network->config().norm_output, OutputNorm::off);
  copy("opt");
  replace("config.json", "\"vocab_size\": ", "\"vocab_size\": 9, \"prefix\": ");
  expect_refused({"9 embeddings", "pieces"});
}

// Files that were made from a model without its output leave out a part of every name.
TEST_F(DamagedT5OrOpt, IsReadWithTheNamesOfTheBaseModel) {
  for (const auto& [name, prefix] :
       {std::pair("opt", std::string("model.")), std::pair("gpt2", std::string("transformer."))}) {
    copy(name);
    rename_weights([&, prefix = prefix](const std::string& full) {
      return full.starts_with(prefix) ? full.substr(prefix.size()) : full;
    });
    const ImportedModel model = imported();
    const GoldenComparison found =
        compare_with_golden(*load_model(model.checkpoint), folder_ / "golden.safetensors");
    EXPECT_EQ(found.first_above(1e-5f), nullptr) << name;
  }
}

TEST(ImportedOpt, GeneratesText) {
  for (const char* name : {"opt", "opt_post_norm", "opt_narrow"}) {
    const auto path = scratch("opt_model");
    save_checkpoint(path, imported_fixture(name).checkpoint);
    const LanguageModel model = load_language_model(path);
    EXPECT_FALSE(model.text.has_lines());
    EXPECT_EQ(model.context.sequence_length, 96);
    const GenerationEngine engine(model);
    GenerationOptions options = engine.default_options();
    options.max_tokens = 5;
    EXPECT_EQ(engine.generate("A man", options).ids.size(), 5u);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace attend
