#include "attend/models/architecture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "models/small_transformer.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(TransformerConfig, DefaultsToTheBaseModelOfThePaper) {
  const TransformerConfig config;
  EXPECT_EQ(config.d_model, 512);
  EXPECT_EQ(config.n_heads, 8);
  EXPECT_EQ(config.d_ff, 2048);
  EXPECT_EQ(config.n_encoder_layers, 6);
  EXPECT_EQ(config.n_decoder_layers, 6);
  EXPECT_EQ(config.dropout, 0.1f);
  EXPECT_FALSE(config.norm_first);
  EXPECT_EQ(config.activation, Activation::relu);
  EXPECT_EQ(config.positions, PositionKind::sinusoidal);
  EXPECT_EQ(config.tie_embeddings, TiedEmbeddings::all);
}

TEST(TransformerConfig, AcceptsEveryVariant) {
  for (const Variant& variant : variants())
    EXPECT_NO_THROW(validate(variant.config)) << variant.name;
}

struct Mistake {
  std::string option, found;
  std::function<void(TransformerConfig&)> make;
};

TEST(TransformerConfig, NamesTheOptionThatIsWrongAndItsValue) {
  using C = TransformerConfig;
  const std::vector<Mistake> mistakes{
      {"d_model", "0", [](C& c) { c.d_model = 0; }},
      {"d_model", "-4", [](C& c) { c.d_model = -4; }},
      {"n_heads", "0", [](C& c) { c.n_heads = 0; }},
      {"n_heads", "5 does not divide d_model 32", [](C& c) { c.n_heads = 5; }},
      {"n_heads", "5 does not divide d_model 32", [](C& c) { c.n_heads = 5, c.d_key = 8; }},
      {"d_ff", "0", [](C& c) { c.d_ff = 0; }},
      {"n_encoder_layers", "0", [](C& c) { c.n_encoder_layers = 0; }},
      {"n_decoder_layers", "-1", [](C& c) { c.n_decoder_layers = -1; }},
      {"d_key", "-1", [](C& c) { c.d_key = -1; }},
      {"d_value", "-2", [](C& c) { c.d_value = -2; }},
      {"src_vocab_size", "0", [](C& c) { c.src_vocab_size = 0; }},
      {"tgt_vocab_size", "0", [](C& c) { c.tgt_vocab_size = 0; }},
      {"max_positions", "0", [](C& c) { c.max_positions = 0; }},
      {"dropout", "1", [](C& c) { c.dropout = 1.0f; }},
      {"dropout", "-0.1", [](C& c) { c.dropout = -0.1f; }},
      {"dropout", "nan", [](C& c) { c.dropout = NAN; }},
      {"attention_dropout", "1.5", [](C& c) { c.attention_dropout = 1.5f; }},
      {"activation_dropout", "-1", [](C& c) { c.activation_dropout = -1.0f; }},
      {"tie_embeddings", "24 source and 23 target", [](C& c) { c.src_vocab_size = 24; }},
      {"tie_embeddings", "inputs needs one joint",
       [](C& c) { c.src_vocab_size = 24, c.tie_embeddings = TiedEmbeddings::inputs; }},
      {"decoder_n_heads", "5 heads do not divide the decoder's width of 32",
       [](C& c) { c.decoder_n_heads = 5; }},
      {"decoder_n_key_heads", "3 do not divide the decoder's 4 heads",
       [](C& c) { c.decoder_n_key_heads = 3; }},
      {"decoder_d_ff", "-1", [](C& c) { c.decoder_d_ff = -1; }},
      {"tie_embeddings", "all needs one width, got 32 and 16",
       [](C& c) { c.decoder_d_model = 16; }},
      {"attention_layers", "local", [](C& c) { c.decoder_attention_layers = "local"; }},
      {"logit_cap", "-1", [](C& c) { c.logit_cap = -1.0f; }},
      {"output_scale", "0", [](C& c) { c.output_scale = 0.0f; }},
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.option + " " + mistake.found);
    TransformerConfig config = small_config();
    mistake.make(config);
    expect_error<ConfigError>([&] { validate(config); }, {mistake.option + ": ", mistake.found});
    expect_error<ConfigError>([&] { Transformer(config, 1); }, {mistake.option + ": "});
  }
}

TEST(TransformerConfig, HasADecoderLikeItsEncoderButForWhatIsItsOwn) {
  TransformerConfig config = small_config();
  config.n_key_heads = 2;
  config.attention_window = 3;
  StackConfig wanted = config;
  wanted.d_model = 16;
  wanted.n_heads = 8;
  wanted.n_key_heads = 0;
  wanted.d_ff = 12;
  wanted.attention_window = 0;
  config.set_decoder(wanted);
  EXPECT_EQ(config.decoder_n_key_heads, 8) << "all of them, where the encoder has two";
  EXPECT_EQ(config.decoder_attention_layers, "global");
  const StackConfig found = config.decoder();
  EXPECT_EQ(found.d_model, 16);
  EXPECT_EQ(found.n_heads, 8);
  EXPECT_EQ(found.n_key_heads, 8);
  EXPECT_EQ(found.d_ff, 12);
  EXPECT_EQ(found.attention_window, 0);
  config.set_decoder(config);
  EXPECT_EQ(config.decoder_d_model + config.decoder_n_heads + config.decoder_n_key_heads +
                config.decoder_d_ff + config.decoder_attention_window,
            0);
  EXPECT_EQ(config.decoder_attention_layers, "");
}

TEST(TransformerConfig, TakesAnyNumberOfHeadsWhenTheirWidthsAreGiven) {
  TransformerConfig config = small_config();
  config.n_heads = 5;
  config.d_key = 4;
  config.d_value = 6;
  EXPECT_NO_THROW(Transformer(config, 1));
}

}  // namespace
}  // namespace attend
