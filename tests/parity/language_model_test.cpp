#include <string>

#include "attend/models/language_transformer.h"
#include "parity/golden.h"

namespace attend {
namespace {

class LanguageModelParity : public Parity {
 protected:
  // `config`: what the golden file's settings do not say.
  void check(const std::string& name, LanguageTransformerConfig config = {}) {
    const Golden golden(name);
    config.d_model = 16;
    config.n_heads = golden.integer("heads");
    config.d_ff = golden.integer("d_ff");
    config.n_layers = golden.integer("n_layers");
    config.dropout = 0.0f;
    config.activation =
        golden.setting("activation") == "gelu" ? Activation::gelu : Activation::relu;
    config.norm_first = golden.flag("norm_first");
    config.tied = golden.flag("tie_embeddings");
    config.vocab_size = static_cast<int>(golden.tensor("param.embedding.weight").dim(0));
    LanguageTransformer model(config, 1);
    golden.load(model.parameters(), "");
    const Ragged text = golden.tokens("in.ids", "in.lengths");
    {
      const NoGradient guard;
      expect_output(model.project(model.hidden(text, pass_)).value(),
                    golden.packed("out.logits", "in.lengths"), name + ": logits");
    }
    const Ids targets = golden.tokens("in.targets", "in.lengths").ids;
    const CrossEntropy result =
        model.loss(text, targets, {std::stof(golden.setting("label_smoothing")), 0.0}, pass_);
    expect_output(result.loss.value(), golden.tensor("out.loss"), name + ": loss");
    backward(result.loss);
    golden.expect_gradients(model.parameters(), "");
  }
};

TEST_P(LanguageModelParity, PostNorm) { check("language_model_post"); }
TEST_P(LanguageModelParity, PreNorm) { check("language_model_pre"); }
TEST_P(LanguageModelParity, PreviousTokensLearnedPositionsUntied) {
  LanguageTransformerConfig config;
  config.previous_tokens = 2;
  config.positions = PositionKind::learned;
  config.max_positions = 8;
  check("language_model_previous", config);
}

INSTANTIATE_TEST_SUITE_P(Backends, LanguageModelParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
