#include "attend/models/stack/layer_kinds.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "models/small_transformer.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr auto kGlobalLayer = LayerKind::global, kLocalLayer = LayerKind::local,
               kUnrotatedLayer = LayerKind::unrotated;
using LayerKindList = std::vector<LayerKind>;

TEST(LayerKinds, RepeatAPatternOverTheLayers) {
  EXPECT_EQ(layer_kinds("local,global", 5, kGlobalLayer),
            (LayerKindList{kLocalLayer, kGlobalLayer, kLocalLayer, kGlobalLayer, kLocalLayer}));
  EXPECT_EQ(layer_kinds("local:2,unrotated", 4, kGlobalLayer),
            (LayerKindList{kLocalLayer, kLocalLayer, kUnrotatedLayer, kLocalLayer}));
  EXPECT_EQ(layer_kinds("global:7", 2, kLocalLayer), (LayerKindList{kGlobalLayer, kGlobalLayer}));
  EXPECT_EQ(layer_kinds("", 2, kLocalLayer), (LayerKindList{kLocalLayer, kLocalLayer}));
}

TEST(LayerKinds, RefuseWhatIsNoPattern) {
  for (const char* pattern : {"lokal", "local:0", "local:", "local:x", "local,", ",local",
                              "local,,global", "local:2000", "Local", "local global"}) {
    expect_error<ConfigError>([&] { layer_kinds(pattern, 3, kGlobalLayer); },
                              {"attention_layers", "local:5,global", pattern});
  }
}

TEST(LayerKinds, AreWrittenAsTheirShortestPattern) {
  EXPECT_EQ(layer_pattern(LayerKindList{kLocalLayer, kLocalLayer, kGlobalLayer, kLocalLayer}),
            "local:2,global");
  EXPECT_EQ(layer_pattern(LayerKindList{kGlobalLayer, kGlobalLayer}), "global");
  EXPECT_EQ(layer_pattern(LayerKindList{kGlobalLayer, kGlobalLayer, kLocalLayer}),
            "global:2,local");
  EXPECT_EQ(layer_pattern(LayerKindList{}), "");
  const LayerKindList odd{kGlobalLayer, kLocalLayer,  kUnrotatedLayer, kLocalLayer,
                          kLocalLayer,  kGlobalLayer, kGlobalLayer};
  EXPECT_EQ(layer_kinds(layer_pattern(odd), 7, kGlobalLayer), odd);
}

TEST(LayerKinds, NeedWhatTheySee) {
  TransformerConfig config = small_config();
  config.attention_layers = "local";
  expect_error<ConfigError>([&] { Transformer(config, 1); }, {"attention_window"});
  config.attention_layers = "global";
  config.attention_window = 3;
  expect_error<ConfigError>([&] { Transformer(config, 1); }, {"attention_layers"});
  config = small_config();
  config.attention_layers = "unrotated";
  expect_error<ConfigError>([&] { Transformer(config, 1); }, {"positions"});
  config = small_config();
  config.local_rotary_theta = 10.0;
  expect_error<ConfigError>([&] { Transformer(config, 1); }, {"local_rotary_theta"});
  config = small_config();
  config.attention_cap = 2.0f;
  config.attention.choice = AttentionChoice::hard;
  expect_error<ConfigError>([&] { Transformer(config, 1); }, {"attention_cap"});
}

// Whether the decoder's output at the last token depends on the first one.
bool sees_the_first(const TransformerConfig& config) {
  const Transformer model(config, 3);
  const NoGradient guard;
  const Ragged src = random_tokens({3}, 23), tgt = random_tokens({9}, 23, 2);
  std::vector<std::int32_t> other(tgt.ids->begin(), tgt.ids->end());
  other[0] = (other[0] + 1) % 23;
  const auto last = [&](const Ragged& text) {
    Pass pass = Pass::inference();
    const Tensor y = model.decode(text, model.encode(src, pass), src, pass).value();
    return y.slice_rows(8, 9).to_vector();
  };
  return last(tgt) != last(Ragged::one(other));
}

TEST(LayerKinds, SeeAsFarAsTheirWindows) {
  TransformerConfig config = small_config();  // two layers
  config.attention_window = 4;
  EXPECT_FALSE(sees_the_first(config)) << "3 + 3 tokens back";
  config.attention_window = 5;
  EXPECT_TRUE(sees_the_first(config)) << "4 + 4 tokens back";
  config.attention_window = 4;
  config.attention_layers = "local,global";
  EXPECT_TRUE(sees_the_first(config));
}

}  // namespace
}  // namespace attend
