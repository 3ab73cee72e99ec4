// Looking inside a translator: its logits taken apart, its heads switched off or sharpened, and
// what it may write at another temperature.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "attend/checkpoint/parameters.h"
#include "attend/models/language_transformer.h"
#include "attend/models/stack/residual_stream.h"
#include "attend/models/transformer.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/explanation/explanation.h"
#include "parity/golden.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

TransformerConfig inside_config(const Golden& golden) {
  TransformerConfig config;
  config.d_model = 16;
  config.n_heads = golden.integer("heads");
  config.d_ff = golden.integer("d_ff");
  config.n_encoder_layers = golden.integer("n_encoder_layers");
  config.n_decoder_layers = golden.integer("n_decoder_layers");
  config.src_vocab_size = config.tgt_vocab_size =
      static_cast<int>(golden.tensor("param.embedding.weight").dim(0));
  config.dropout = 0.0f;
  config.norm_first = golden.flag("norm_first");
  config.tie_embeddings = TiedEmbeddings::all;
  return config;
}

LanguageTransformerConfig inside_language_config(const Golden& golden) {
  LanguageTransformerConfig config;
  config.d_model = 16;
  config.n_heads = golden.integer("heads");
  config.d_ff = golden.integer("d_ff");
  config.n_layers = golden.integer("n_layers");
  config.vocab_size = static_cast<int>(golden.tensor("param.embedding.weight").dim(0));
  config.dropout = 0.0f;
  config.activation = Activation::gelu;
  config.norm_first = golden.flag("norm_first");
  return config;
}

Ragged sequence(const Golden& golden, const std::string& name) {
  const Tensor ids = golden.tensor(name);
  return Ragged::one(ids.span<std::int32_t>());
}

Tensor values_of(const std::vector<float>& values) {
  return Tensor::from(values, {std::ssize(values)});
}

class InsideParity : public Parity {
 protected:
  // Of the model, and the stream of its decoder.
  struct Look {
    Tensor logits;
    ResidualStream stream;
  };
  Look look(const Golden& golden, const Transformer& model) {
    const NoGradient guard;
    std::vector<ResidualStep> steps;
    pass_.residual = &steps;
    const Ragged src = sequence(golden, "in.src"), tgt = sequence(golden, "in.tgt");
    const Variable hidden = model.decode(tgt, model.encode(src, pass_), src, pass_);
    pass_.residual = nullptr;
    return {model.project(hidden).value(), ResidualStream(steps, "decoder")};
  }
  Look look(const Golden& golden, const LanguageTransformer& model) {
    const NoGradient guard;
    std::vector<ResidualStep> steps;
    pass_.residual = &steps;
    const Variable hidden = model.hidden(sequence(golden, "in.ids"), pass_);
    pass_.residual = nullptr;
    return {model.project(hidden).value(), ResidualStream(steps, "decoder")};
  }

  static std::vector<double> direction(const Tensor& output, std::int64_t token,
                                       std::int64_t other = -1) {
    std::vector<double> w(output.row(token), output.row(token) + output.cols());
    if (other >= 0)
      for (std::size_t i = 0; i < w.size(); ++i) w[i] -= double{output.row(other)[i]};
    return w;
  }

  static void expect_parts(const std::vector<LogitPart>& parts, const Tensor& expected,
                           const std::string& what) {
    std::vector<float> values;
    for (const LogitPart& part : parts) values.push_back(part.value);
    expect_output(values_of(values), expected, what);
  }

  template <class Model, class Config>
  void check_parts(const std::string& name, const Config& config_of) {
    const Golden golden(name);
    Model model(config_of(golden), 1);
    golden.load(model.parameters(), "");
    const auto [logits, stream] = look(golden, model);
    expect_output(logits, golden.tensor("out.logits"), name + ": logits");
    const std::int64_t row = golden.integer("row"), token = golden.integer("token");
    const Tensor output = golden.tensor("param.embedding.weight");
    const std::vector<LogitPart> parts =
        stream.parts(row, direction(output, token, golden.integer("other")));
    expect_parts(parts, golden.tensor("out.parts"), name + ": parts of the difference");
    float sum = 0;
    for (const LogitPart& part : parts) sum += part.value;
    EXPECT_NEAR(sum, golden.tensor("out.difference").item(), 1e-4) << name;
    expect_parts(stream.parts(row, direction(output, token)), golden.tensor("out.parts_of_one"),
                 name + ": parts of one logit");
    expect_output(model.project(Variable(stream.outputs(row))).value(), golden.tensor("out.lens"),
                  name + ": lens");
    std::vector<float> lengths, cosines;
    for (const ResidualAddition& addition : stream.additions(row)) {
      lengths.push_back(addition.length);
      cosines.push_back(addition.cosine);
    }
    expect_output(values_of(lengths), golden.tensor("out.lengths"), name + ": lengths");
    expect_output(values_of(cosines), golden.tensor("out.cosines"), name + ": cosines");
  }
};

// The golden model with changes of its attention, and its logits.
class ChangedHeadsParity : public InsideParity {
 protected:
  void check(const std::string& output, const AttentionChangeOptions& options) {
    for (const std::string name : {"inside_pre", "inside_post"}) {
      const Golden golden(name);
      const auto network = std::make_shared<Transformer>(inside_config(golden), 1);
      golden.load(network->parameters(), "");
      const Tokenizer any = small_model().src_tokenizer;
      const TranslationModel model(network, any, any);
      const Checkpoint file = checkpoint_of(model);
      Transformer changed(inside_config(golden), 2);
      golden.load(changed.parameters(), "");
      for (const NamedTensor& tensor :
           changed_attention(file, model, attention_changes(options).heads))
        for (const ParameterSet::Entry& entry : changed.parameters().entries())
          if (entry.name == tensor.name) changed.parameters().value(entry).copy_from(tensor.tensor);
      expect_output(look(golden, changed).logits, golden.tensor("out." + output),
                    name + ": " + output);
    }
  }
};

TEST_P(ChangedHeadsParity, HeadsOffInTheEncoder) {
  check("encoder_off",
        {{"encoder.layers.0.self_attn:1", "encoder.layers.0.self_attn:2"}, /*beta=*/{}});
}
TEST_P(ChangedHeadsParity, HeadsOffInTheDecoder) {
  check("decoder_off", {{"decoder.layers.1.self_attn:0"}, {}});
}
TEST_P(ChangedHeadsParity, AllHeadsOffThatSeeTheSource) {
  check("cross_off", {{"decoder.layers.0.cross_attn"}, {}});
}
TEST_P(ChangedHeadsParity, SharperScoresInTheEncoder) {
  check("encoder_beta", {{}, {"encoder.layers.1.self_attn:1=3"}});
}
TEST_P(ChangedHeadsParity, EqualWeightsInTheDecoder) {
  check("decoder_beta", {{}, {"decoder.layers.0.self_attn=0"}});
}
TEST_P(ChangedHeadsParity, SofterScoresOfTheSource) {
  check("cross_beta", {{}, {"decoder.layers.1.cross_attn:3=0.25"}});
}

INSTANTIATE_TEST_SUITE_P(Backends, ChangedHeadsParity, testing::Values("fast", "reference"));

// The four special tokens and 19 words: the ids of a golden vocabulary.
Tokenizer letters() {
  std::string text;
  for (char letter = 'a'; letter < 'a' + 19; ++letter) text += std::string(1, letter) + " ";
  return Tokenizer::train(std::vector<std::string>{text},
                          {.type = TokenizerType::word, .vocab_size = 23});
}

std::string text_of(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  std::vector<std::string> words;
  for (const std::int32_t id : ids) words.push_back(tokenizer.piece(id));
  return fmt::format("{}", fmt::join(words, " "));
}

// [layers, V] of a lens that lists every token.
Tensor probabilities_of(const std::vector<std::vector<TokenProbability>>& lens,
                        const Tokenizer& tokenizer) {
  const Tensor found = Tensor::zeros({std::ssize(lens), tokenizer.vocab_size()});
  for (std::size_t layer = 0; layer < lens.size(); ++layer)
    for (const TokenProbability& one : lens[layer])
      found.row(static_cast<std::int64_t>(layer))[tokenizer.id(one.token)] = one.probability;
  return found;
}

// Through all that the explorer's numbers go through: text, tokens, network, lens and temperature.
TEST_P(InsideParity, ProbabilitiesOfAnExplanationAtATemperature) {
  const Golden golden("output_temperature");
  const auto network = std::make_shared<Transformer>(inside_config(golden), 1);
  golden.load(network->parameters(), "");
  const TranslationModel model(network, letters(), letters());
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  ASSERT_EQ(tokenizer.bos_id(), golden.integer("begin"));
  ASSERT_EQ(tokenizer.eos_id(), golden.integer("end"));
  const Tensor src = golden.tensor("in.src"), tgt = golden.tensor("in.tgt");
  const std::string source = text_of(tokenizer, src.span<std::int32_t>().first(5));
  const auto written = tgt.span<std::int32_t>().subspan(1);
  const std::vector<std::int32_t> target(written.begin(), written.end());
  const Tensor temperatures = golden.tensor("out.temperatures");
  const Tensor expected = golden.tensor("out.probabilities");
  for (std::int64_t k = 0; k < temperatures.size(); ++k) {
    const float t = temperatures.span()[static_cast<std::size_t>(k)];
    const OutputExplanation why = explain(model, source, target,
                                          {.position = static_cast<int>(target.size()),
                                           .top = static_cast<int>(tokenizer.vocab_size()),
                                           .temperature = t});
    const std::span<const float> of_layers =
        expected.span().subspan(static_cast<std::size_t>(k * expected.dim(1) * expected.dim(2)),
                                static_cast<std::size_t>(expected.dim(1) * expected.dim(2)));
    expect_output(probabilities_of(why.lens, tokenizer),
                  Tensor::from(of_layers, {expected.dim(1), expected.dim(2)}),
                  fmt::format("temperature {}", t));
    const float* last = of_layers.data() + (expected.dim(1) - 1) * expected.dim(2);
    EXPECT_NEAR(why.token.probability, last[tokenizer.eos_id()], 1e-5) << "of the end, after all";
  }
}

TEST_P(InsideParity, PartsOfLogitsBehindLayersThatNormalizeFirst) {
  check_parts<Transformer>("inside_pre", inside_config);
}
TEST_P(InsideParity, PartsOfLogitsBehindLayersThatNormalizeLast) {
  check_parts<Transformer>("inside_post", inside_config);
}
TEST_P(InsideParity, PartsOfLogitsOfALanguageModel) {
  check_parts<LanguageTransformer>("inside_language", inside_language_config);
}

INSTANTIATE_TEST_SUITE_P(Backends, InsideParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
