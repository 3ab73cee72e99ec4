#include "attend/models/transformer.h"

#include <span>
#include <string>
#include <vector>

#include "attend/optim/muon.h"
#include "parity/golden.h"

namespace attend {
namespace {

TransformerConfig model_config(const Golden& golden) {
  const bool tied = golden.flag("tie_embeddings");
  TransformerConfig config;
  config.d_model = 16;
  config.n_heads = golden.integer("heads");
  config.d_ff = golden.integer("d_ff");
  config.n_encoder_layers = golden.integer("n_encoder_layers");
  config.n_decoder_layers = golden.integer("n_decoder_layers");
  config.src_vocab_size = static_cast<int>(
      golden.tensor(tied ? "param.embedding.weight" : "param.src_embedding.weight").dim(0));
  config.tgt_vocab_size = static_cast<int>(
      golden.tensor(tied ? "param.embedding.weight" : "param.tgt_embedding.weight").dim(0));
  config.dropout = 0.0f;
  config.activation = golden.setting("activation") == "gelu" ? Activation::gelu : Activation::relu;
  config.norm_first = golden.flag("norm_first");
  config.tie_embeddings = tied ? TiedEmbeddings::all : TiedEmbeddings::none;
  return config;
}

CrossEntropyOptions loss_options(const Golden& golden) {
  return {std::stof(golden.setting("label_smoothing")), 0.0};
}

class TransformerParity : public Parity {
 protected:
  void check(const std::string& name) {
    const Golden golden(name);
    Transformer model(model_config(golden), 1);
    golden.load(model.parameters(), "");
    const Ragged src = golden.tokens("in.src", "in.src_lengths"),
                 tgt = golden.tokens("in.tgt_in", "in.tgt_lengths");
    {
      const NoGradient guard;
      const Variable hidden = model.decode(tgt, model.encode(src, pass_), src, pass_);
      expect_output(model.project(hidden).value(), golden.packed("out.logits", "in.tgt_lengths"),
                    name + ": logits");
    }
    const Ids targets = golden.tokens("in.tgt_out", "in.tgt_lengths").ids;
    const CrossEntropy result = model.loss(src, tgt, targets, loss_options(golden), pass_);
    expect_output(result.loss.value(), golden.tensor("out.loss"), name + ": loss");
    backward(result.loss);
    golden.expect_gradients(model.parameters(), "");
  }
};

TEST_P(TransformerParity, PostNormWithOneEmbedding) { check("transformer_post_tied"); }
TEST_P(TransformerParity, PreNormWithOneEmbedding) { check("transformer_pre_tied"); }
TEST_P(TransformerParity, PostNormWithThreeEmbeddings) { check("transformer_post_untied"); }

// Batch `step` of the padded ids [steps, B, T] and lengths [steps, B].
Ragged batch(const Golden& golden, const std::string& name, const std::string& lengths_name,
             std::int64_t step) {
  const Tensor padded = golden.tensor(name), lengths = golden.tensor(lengths_name);
  const std::int64_t sequences = padded.dim(1), width = padded.dim(2);
  std::vector<std::int32_t> ids, offsets{0};
  for (std::int64_t b = 0; b < sequences; ++b) {
    const std::int32_t length = lengths.data<std::int32_t>()[step * sequences + b];
    const std::int32_t* begin = padded.data<std::int32_t>() + (step * sequences + b) * width;
    ids.insert(ids.end(), begin, begin + length);
    offsets.push_back(offsets.back() + length);
  }
  return Ragged::copy(ids, offsets);
}

AdamOptions adam_options(const Golden& golden) {
  AdamOptions options;
  options.beta1 = std::stof(golden.setting("beta1"));
  options.beta2 = std::stof(golden.setting("beta2"));
  options.epsilon = std::stof(golden.setting("epsilon"));
  return options;
}

void expect_the_same_ten_losses(const Golden& golden, Transformer& model, Optimizer& optimizer,
                                Pass& pass) {
  const std::vector<float> expected = golden.tensor("out.losses").to_vector();
  ASSERT_EQ(expected.size(), 10u);
  for (std::int64_t step = 0; step < 10; ++step) {
    const Ragged src = batch(golden, "in.src", "in.src_lengths", step),
                 tgt = batch(golden, "in.tgt_in", "in.tgt_lengths", step);
    const Ids targets = batch(golden, "in.tgt_out", "in.tgt_lengths", step).ids;
    model.parameters().gradients().zero();
    const CrossEntropy result = model.loss(src, tgt, targets, loss_options(golden), pass);
    EXPECT_NEAR(result.loss.value().item(), expected[static_cast<std::size_t>(step)], 1e-4)
        << "step " << step + 1;
    backward(result.loss);
    optimizer.step(std::stof(golden.setting("learning_rate")));
  }
}

TEST_P(TransformerParity, TenStepsOfAdamGiveTheSameTenLosses) {
  const Golden golden("adam_ten_steps");
  Transformer model(model_config(golden), 1);
  golden.load(model.parameters(), "");
  Adam adam(model.parameters(), adam_options(golden));
  expect_the_same_ten_losses(golden, model, adam, pass_);
}

TEST_P(TransformerParity, TenStepsOfMuonGiveTheSameTenLosses) {
  const Golden golden("muon_ten_steps");
  Transformer model(model_config(golden), 1);
  golden.load(model.parameters(), "");
  Muon muon(model.parameters(), {.momentum = std::stof(golden.setting("momentum"))},
            adam_options(golden));
  expect_the_same_ten_losses(golden, model, muon, pass_);
}

INSTANTIATE_TEST_SUITE_P(Backends, TransformerParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
