#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/options_json.h"
#include "attend/tasks/translation/model.h"
#include "interchange/families/ctranslate2/written_directory.h"

namespace attend {
namespace {

class Ctranslate2ShapeOf : public WrittenDirectory {
 protected:
  TransformerConfig shape() const {
    TransformerConfig shape;
    options_from_json(imported().checkpoint.text("attend.config"), shape, "here");
    return shape;
  }
  void on_both_sides(const std::string& name, std::int8_t value) {
    setting("encoder/" + name, value);
    setting("decoder/" + name, value);
  }
  void positions(PositionKind kind, int first) {
    const Tensor table = sinusoids(kind, first + 64, 16).slice_rows(first, first + 64);
    number("encoder/position_encodings/encodings", {64, 16}, table.clone().to_vector());
  }
};

TEST_F(Ctranslate2ShapeOf, AMarianModelIsThatOfItsVariables) {
  const TransformerConfig found = shape();
  EXPECT_EQ(found.d_model, 16);
  EXPECT_EQ(found.n_heads, 2);
  EXPECT_EQ(found.d_ff, 24);
  EXPECT_EQ(found.n_encoder_layers, 2);
  EXPECT_EQ(found.n_decoder_layers, 1);
  EXPECT_EQ(found.activation, Activation::swish);
  EXPECT_FALSE(found.norm_first);
  EXPECT_EQ(found.norm.epsilon, 1e-5f);
  EXPECT_EQ(found.tie_embeddings, TiedEmbeddings::all);
}

TEST_F(Ctranslate2ShapeOf, PositionsAreRecognized) {
  struct Known {
    PositionKind kind;
    int first;
  };
  for (const auto& [kind, first] : {Known{PositionKind::sinusoidal, 0},
                                    {PositionKind::sinusoidal_halves, 0},
                                    {PositionKind::sinusoidal_t2t, 2},
                                    {PositionKind::sinusoidal_t2t, 1}}) {
    positions(kind, first);
    EXPECT_EQ(shape().positions, kind);
    EXPECT_EQ(shape().first_position, first);
  }
  variables_["encoder/position_encodings/encodings"].data.replace(0, 4, bytes_of(0.5f));
  EXPECT_EQ(shape().positions, PositionKind::learned);
  EXPECT_EQ(shape().max_positions, 64);
  variables_.erase("encoder/position_encodings/encodings");
  aliases_.pop_back();
  EXPECT_EQ(shape().positions, PositionKind::sinusoidal_t2t) << "computed where there is no table";
  EXPECT_EQ(shape().first_position, 1);
}

TEST_F(Ctranslate2ShapeOf, SinusoidsAreATableLikeOthersBesideOneOfOthers) {
  WrittenVariable table = variables_["encoder/position_encodings/encodings"];
  table.name = "decoder/position_encodings/encodings";
  table.data.replace(0, 4, bytes_of(0.5f));
  variables_[table.name] = table;
  aliases_.pop_back();
  EXPECT_EQ(shape().positions, PositionKind::learned);
  EXPECT_EQ(shape().max_positions, 64);
}

TEST_F(Ctranslate2ShapeOf, TheEmbeddingsAreScaledInSeveralWays) {
  EXPECT_EQ(shape().embedding_scale, 0.0f) << "4 is the root of 16";
  for (const char* side : {"encoder", "decoder"})
    number(std::string(side) + "/scale_embeddings", {}, {3.0f});
  EXPECT_EQ(shape().embedding_scale, 3.0f);
  on_both_sides("scale_embeddings", 0);
  EXPECT_EQ(shape().embedding_scale, 1.0f);
  on_both_sides("scale_embeddings", 1);
  EXPECT_EQ(shape().embedding_scale, 0.0f);
  for (const char* side : {"encoder", "decoder"})
    variables_.erase(std::string(side) + "/scale_embeddings");
  EXPECT_EQ(shape().embedding_scale, 0.0f);
  setting("encoder/embeddings_0/multiply_by_sqrt_depth", 0);
  setting("decoder/embeddings/multiply_by_sqrt_depth", 0);
  EXPECT_EQ(shape().embedding_scale, 1.0f);
}

TEST_F(Ctranslate2ShapeOf, OlderFilesHaveSettingsOfBothSides) {
  for (const char* name : {"num_heads", "pre_norm", "activation"}) {
    setting(name, variables_["encoder/" + std::string(name)].data.front());
    for (const char* side : {"encoder/", "decoder/"}) variables_.erase(side + std::string(name));
  }
  EXPECT_EQ(shape().n_heads, 2);
  EXPECT_EQ(shape().activation, Activation::swish);
  EXPECT_FALSE(shape().norm_first);
}

TEST_F(Ctranslate2ShapeOf, ActivationsHaveNumbers) {
  const std::vector<Activation> known{Activation::relu, Activation::gelu_tanh,  Activation::swish,
                                      Activation::gelu, Activation::quick_gelu, Activation::tanh};
  for (std::size_t i = 0; i < known.size(); ++i) {
    on_both_sides("activation", static_cast<std::int8_t>(i));
    EXPECT_EQ(shape().activation, known[i]);
  }
  on_both_sides("activation", 6);
  expect_refused({"'encoder/activation'", "expected one of 0 to 5, found 6"});
}

TEST_F(Ctranslate2ShapeOf, OneFactorServesAllScores) {
  setting("encoder/num_heads", 2);
  for (const char* name : {"encoder/layer_0/self_attention", "encoder/layer_1/self_attention",
                           "decoder/layer_0/self_attention", "decoder/layer_0/attention"})
    number(name + std::string("/queries_scale"), {}, {0.5f});
  EXPECT_EQ(shape().attention.inverse_temperature, 0.5f);
  number("decoder/layer_0/attention/queries_scale", {}, {0.25f});
  expect_refused({"'decoder/layer_0/attention/queries_scale'", "it is 0.25, but 0.5 elsewhere"});
}

TEST_F(Ctranslate2ShapeOf, BothStacksAreEqual) {
  setting("decoder/activation", 0);
  expect_refused({"activation is", "swish", "in the encoder", "relu", "in the decoder"});
}

TEST_F(Ctranslate2ShapeOf, WhatAttendHasNotIsRefusedByName) {
  setting("decoder/alibi", 1);
  expect_refused({"'decoder/alibi'"});
  setting("decoder/alibi", 0);
  number("encoder/layer_0/self_attention/relative_position_keys", {3, 8}, std::vector<float>(24));
  expect_refused({"encoder/layer_0/self_attention/relative_position_keys"});
  variables_.erase("encoder/layer_0/self_attention/relative_position_keys");
  table("encoder/embeddings_1/weight", {"model.shared.weight"});
  expect_refused({"'encoder/embeddings_1/weight'", "features of words"});
}

}  // namespace
}  // namespace attend
