#include <string>

#include "attend/models/stack/transformer_stack.h"
#include "parity/golden.h"

namespace attend {
namespace {

StackConfig config_of(const Golden& golden) {
  StackConfig config;
  config.d_model = 16;
  config.n_heads = golden.integer("heads");
  config.d_ff = golden.integer("d_ff");
  config.dropout = 0.0f;
  config.activation = golden.setting("activation") == "gelu" ? Activation::gelu : Activation::relu;
  config.norm_first = golden.flag("norm_first");
  return config;
}

class LayerParity : public Parity {
 protected:
  void check_encoder_layer(const std::string& name) {
    const Golden golden(name);
    ParameterSet parameters;
    const StackConfig config = config_of(golden);
    const TransformerLayer layer(parameters, "layer", config, {},
                                 self_attention(parameters, "layer.self_attn", config));
    parameters.allocate(1);
    golden.load(parameters, "layer.");
    const Variable x(golden.packed("in.x", "in.lengths"), true);
    SequenceContext context(Ragged({}, golden.offsets("in.lengths")), /*causal=*/false);
    const Variable y = layer.forward(x, context, 0, pass_);
    expect_output(y.value(), golden.packed("out.y", "in.lengths"), name);
    backward(y, golden.packed("dout.y", "in.lengths"));
    expect_gradient(x.gradient(), golden.packed("din.x", "in.lengths"), name + ": x");
    golden.expect_gradients(parameters, "layer.");
  }

  void check_decoder_layer(const std::string& name) {
    const Golden golden(name);
    ParameterSet parameters;
    const StackConfig config = config_of(golden);
    const TransformerLayer layer(parameters, "layer", config, {.cross_attention = true},
                                 self_attention(parameters, "layer.self_attn", config));
    parameters.allocate(1);
    golden.load(parameters, "layer.");
    const Variable x(golden.packed("in.x", "in.lengths"), true);
    const Variable memory(golden.packed("in.memory", "in.memory_lengths"), true);
    const Ragged tgt{Ids(std::vector<std::int32_t>()),
                     golden.offsets("in.lengths")};  // only the offsets are looked at
    const Ragged src{Ids(std::vector<std::int32_t>()), golden.offsets("in.memory_lengths")};
    SequenceContext context(memory, src, tgt, /*causal=*/true);
    const Variable y = layer.forward(x, context, 0, pass_);
    expect_output(y.value(), golden.packed("out.y", "in.lengths"), name);
    backward(y, golden.packed("dout.y", "in.lengths"));
    expect_gradient(x.gradient(), golden.packed("din.x", "in.lengths"), name + ": x");
    expect_gradient(memory.gradient(), golden.packed("din.memory", "in.memory_lengths"),
                    name + ": memory");
    golden.expect_gradients(parameters, "layer.");
  }
};

TEST_P(LayerParity, EncoderLayerPostNorm) {
  check_encoder_layer("encoder_layer_post_relu");
  check_encoder_layer("encoder_layer_post_gelu");
}

TEST_P(LayerParity, EncoderLayerPreNorm) {
  check_encoder_layer("encoder_layer_pre_relu");
  check_encoder_layer("encoder_layer_pre_gelu");
}

TEST_P(LayerParity, DecoderLayerPostNorm) {
  check_decoder_layer("decoder_layer_post_relu");
  check_decoder_layer("decoder_layer_post_gelu");
}

TEST_P(LayerParity, DecoderLayerPreNorm) {
  check_decoder_layer("decoder_layer_pre_relu");
  check_decoder_layer("decoder_layer_pre_gelu");
}

INSTANTIATE_TEST_SUITE_P(Backends, LayerParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
