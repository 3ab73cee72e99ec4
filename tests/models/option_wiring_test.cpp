// Every option of every model reaches what it is for: altered alone, it changes the loss, the
// gradient or the number of parameters.
#include <fmt/format.h>

#include <cmath>

#include "attend/models/language_transformer.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/models/quality_estimator.h"
#include "attend/models/text_classifier.h"
#include "attend/models/text_embedder.h"
#include "attend/models/token_tagger.h"
#include "attend/ops/losses/cross_entropy.h"
#include "core/altered_option.h"
#include "models/small_encoder_decoder.h"

namespace attend {
namespace {

// What one training step of a model is, to the last digit.
std::string told(const CrossEntropy& loss, const ParameterSet& parameters) {
  backward(loss.loss);
  return fmt::format("{} {} {} {}", loss.loss_sum, loss.nll,
                     backend()->sum_of_squares(parameters.gradients()), parameters.size());
}

std::string step_of(const ArchitectureConfig& config) {
  const auto model = make_encoder_decoder(config, 1);
  const Ragged src = random_tokens({5, 9, 2}, 23, 1), tgt = random_tokens({6, 3, 8}, 23, 2);
  Pass pass = Pass::training(1, 1);
  return told(model->loss(src, tgt, tgt.ids, {0.1f, 0.0}, pass), model->parameters());
}

std::string language_step(const LanguageTransformerConfig& config) {
  LanguageTransformer model(config, 1);
  const Ragged text = random_tokens({5, 9, 2}, 23, 1);
  Pass pass = Pass::training(1, 1);
  return told(model.loss(text, random_tokens({5, 9, 2}, 23, 2).ids, {0.1f, 0.0}, pass),
              model.parameters());
}

std::string classifier_step(const ClassifierConfig& config) {
  TextClassifier model(config, 1);
  Pass pass = Pass::training(1, 1);
  const Ids labels{2, 0, 1};
  return told(
      cross_entropy(model.forward(random_tokens({5, 9, 2}, 23, 1), pass), labels, {0.1f, 0.0}),
      model.parameters());
}

// Options that matter only beside others. The standard scores of a Transformer are scaled dot
// products.
template <class Config>
std::map<std::string, std::function<void(Config&)>> conditions_of_stacks() {
  const auto rotary = [](Config& c) { c.positions = PositionKind::rotary; };
  const auto scaled = [](RotaryScaling scaling) {
    return [scaling](Config& c) {
      c.positions = PositionKind::rotary;
      c.rotary.scaling = scaling;
      c.rotary.factor = 8.0;
      c.rotary.original_length = 16;
    };
  };
  const auto for_pairs = [](int original_length) {
    return [original_length](Config& c) {
      c.positions = PositionKind::rotary;
      c.rotary.width = 4;
      c.rotary.scaling = RotaryScaling::longrope;
      c.rotary.original_length = original_length;
      c.rotary.short_factors = c.rotary.long_factors = "1,3";
    };
  };
  const auto relative = [](Config& c) {
    c.positions = PositionKind::relative;
    c.relative = {8, 6};
  };
  const auto opposite = [](Config& c) {
    c.norm_output = c.norm_first ? OutputNorm::off : OutputNorm::on;
  };
  const auto local = [](Config& c) {
    c.positions = PositionKind::rotary;
    c.attention_window = 3;
  };
  const auto mixture = [](Config& c) { c.experts = 4; };
  return {{"experts", mixture},
          {"experts-per-token", mixture},
          {"expert-width", mixture},
          {"shared-expert-width", mixture},
          {"router-norm", mixture},
          {"router-balance", mixture},
          {"expert-layers",
           [](Config& c) {
             c.experts = 4;
             c.expert_layers = "dense,experts";
           }},
          {"norm-output", opposite},
          {"local-rotary-theta", local},
          {"attention-layers",
           [](Config& c) {
             c.attention_window = 3;
             c.attention_layers = "local,global";
           }},
          {"layer-groups", [](Config& c) { c.layer_groups = 1; }},
          {"norm-keys", [](Config& c) { c.norm_first = true; }},
          {"norm-input", [](Config& c) { c.norm_first = true; }},
          {"relative-shared", relative},
          {"relative-buckets", [](Config& c) { c.positions = PositionKind::relative; }},
          {"relative-distance", relative},
          {"max-positions", [](Config& c) { c.positions = PositionKind::learned; }},
          {"attention-scores", [](Config& c) { c.attention.scores = AttentionScores::dot; }},
          {"n-key-heads", [](Config& c) { c.n_key_heads = 1; }},
          {"qk-norm-span", [](Config& c) { c.qk_norm = true; }},
          {"sublayers", [](Config& c) { c.norm_first = true; }},
          {"rotary-theta", rotary},
          {"rotary-width", rotary},
          {"rotary-short-factors", for_pairs(16)},
          {"rotary-long-factors", for_pairs(4)},
          {"rotary-scaling", scaled(RotaryScaling::none)},
          {"rotary-factor", scaled(RotaryScaling::linear)},
          {"rotary-low-factor", scaled(RotaryScaling::llama3)},
          {"rotary-high-factor", scaled(RotaryScaling::llama3)},
          {"rotary-original-length", scaled(RotaryScaling::llama3)}};
}

// The same, and those of encoders.
template <class Config>
std::map<std::string, std::function<void(Config&)>> conditions_of_encoders() {
  auto conditions = conditions_of_stacks<Config>();
  conditions["uncounted-token"] = [](Config& c) {
    c.positions = PositionKind::learned;
    c.uncounted_token = 4;
  };
  return conditions;
}

TEST(OptionWiring, OfTheTransformer) {
  using Config = TransformerConfig;
  auto conditions = conditions_of_stacks<Config>();
  conditions["decoder-d-model"] = [](Config& c) {
    c.decoder_d_model = 16;
    c.tie_embeddings = TiedEmbeddings::target;
  };
  conditions["decoder-n-heads"] = [](Config& c) { c.decoder_n_heads = 2; };
  conditions["decoder-n-key-heads"] = [](Config& c) { c.decoder_n_key_heads = 1; };
  conditions["decoder-attention-window"] = [](Config& c) { c.attention_window = 2; };
  conditions["decoder-attention-layers"] = [](Config& c) {
    c.attention_window = 3;
    c.decoder_attention_layers = "local,global";
  };
  for (const bool norm_first : {false, true}) {
    TransformerConfig base = small_config();
    base.dropout = 0.0f;
    base.norm_first = norm_first;
    expect_every_option_matters<Config>(base, step_of, conditions);
  }
}

TEST(OptionWiring, OfTheRecurrentModel) {
  RecurrentConfig base = small_recurrent_config();
  base.dropout = 0.0f;
  expect_every_option_matters<RecurrentConfig>(base, step_of);
}

TEST(OptionWiring, OfTheLanguageModel) {
  LanguageTransformerConfig base;
  static_cast<StackConfig&>(base) = small_config();
  base.n_layers = 2;
  base.dropout = 0.0f;
  base.vocab_size = 23;
  expect_every_option_matters<LanguageTransformerConfig>(
      base, language_step, conditions_of_stacks<LanguageTransformerConfig>());
}

TEST(OptionWiring, OfTheClassifier) {
  ClassifierConfig base;
  static_cast<StackConfig&>(base) = small_config();
  base.dropout = 0.0f;
  base.vocab_size = 23;
  base.classes = 3;
  auto conditions = conditions_of_encoders<ClassifierConfig>();
  for (const char* name : {"head-bias", "head-norm"})
    conditions[name] = [](ClassifierConfig& c) { c.head.activation = Activation::tanh; };
  // For those who make tokens of texts and losses of outputs (tests/tasks/classification).
  expect_every_option_matters<ClassifierConfig>(base, classifier_step, conditions,
                                                {"bos", "problem-type", "separators"});
}

std::string embedder_step(const EmbedderConfig& config) {
  TextEmbedder model(config, 1);
  Pass pass = Pass::training(1, 1);
  const Ids labels{2, 0, 1};
  return told(
      cross_entropy(model.forward(random_tokens({5, 9, 2}, 23, 1), pass), labels, {0.1f, 0.0}),
      model.parameters());
}

TEST(OptionWiring, OfTheEmbedder) {
  EmbedderConfig base;
  static_cast<StackConfig&>(base) = small_config();
  base.dropout = 0.0f;
  base.vocab_size = 23;
  auto conditions = conditions_of_encoders<EmbedderConfig>();
  for (const char* name : {"dense-activation", "dense-bias", "second-dense-width"})
    conditions[name] = [](EmbedderConfig& c) { c.dense_width = 12; };
  // A list: tests/models/text_embedder_test.cpp.
  expect_every_option_matters<EmbedderConfig>(base, embedder_step, conditions, {"more-pooling"});
}

std::string tagger_step(const TaggerConfig& config) {
  TokenTagger model(config, 1);
  Pass pass = Pass::training(1, 1);
  const Ids rows{1, 3, 7, 15}, tags{2, 0, 1, 1};
  return told(
      cross_entropy(model.forward(random_tokens({5, 9, 2}, 23, 1), rows, pass), tags, {0.1f, 0.0}),
      model.parameters());
}

TEST(OptionWiring, OfTheTagger) {
  TaggerConfig base;
  static_cast<StackConfig&>(base) = small_config();
  base.dropout = 0.0f;
  base.vocab_size = 23;
  base.tags = 3;
  auto conditions = conditions_of_encoders<TaggerConfig>();
  for (const char* name : {"head-bias", "head-norm"})
    conditions[name] = [](TaggerConfig& c) { c.head.activation = Activation::gelu; };
  // For those who make tokens of texts.
  expect_every_option_matters<TaggerConfig>(base, tagger_step, conditions, {"bos"});
}

// What it makes of texts, to the last digit.
std::string quality_scores_of(const QualityConfig& config) {
  QualityEstimator model(config);
  model.parameters().allocate(1);
  const NoGradient guard;
  Pass pass = Pass::inference();
  Variable texts = model.vectors(random_tokens({5, 9, 2}, 23, 1), pass);
  if (config.reading == QualityReading::compared) texts = model.comparison(texts, texts, texts);
  std::string all = std::to_string(model.parameters().size());
  for (const float score : model.estimate(texts, pass).value().to_vector())
    all += fmt::format(" {}", score);
  return all;
}

TEST(OptionWiring, OfTheQualityEstimator) {
  QualityConfig base;
  static_cast<StackConfig&>(base) = small_config();
  base.vocab_size = 23;
  base.estimator_widths = {"6"};
  auto conditions = conditions_of_encoders<QualityConfig>();
  conditions["layer-mix-norm"] = [](QualityConfig& c) { c.mix.weights = LayerWeights::softmax; };
  // For training; for those who make tokens of texts and scores of outputs (tests/tasks/quality);
  // the rest in layer_mix_test.cpp and quality_estimator_test.cpp.
  expect_every_option_matters<QualityConfig>(
      base, quality_scores_of, conditions,
      {"dropout", "attention-dropout", "activation-dropout", "router-balance", "source",
       "separators", "estimator-output", "output-layer", "estimator-widths"});
}

// At both ends of its range every dropout leaves a step with numbers.
template <class Config>
void expect_steps_at_the_ends(Config config,
                              const std::function<std::string(const Config&)>& step) {
  int found = 0;
  for (const OptionField& field : option_fields(config)) {
    if (!field.name.ends_with("dropout")) continue;
    float& share = **std::get_if<float*>(&field.value);
    const float before = share, most = static_cast<float>(field.range.most);
    for (const float end : {static_cast<float>(field.range.least),
                            field.range.most_excluded ? std::nextafter(most, 0.0f) : most}) {
      share = end;
      ASSERT_TRUE(field.range.contains(share));
      EXPECT_NO_THROW(EXPECT_EQ(step(config).find("nan"), std::string::npos))
          << field.name << " " << share;
    }
    share = before;
    ++found;
  }
  EXPECT_GT(found, 0);
}

TEST(OptionWiring, OfDropoutsHoldsAtTheEndsOfTheirRanges) {
  expect_steps_at_the_ends<TransformerConfig>(small_config(), step_of);
  expect_steps_at_the_ends<RecurrentConfig>(small_recurrent_config(), step_of);
  LanguageTransformerConfig language;
  static_cast<StackConfig&>(language) = small_config();
  language.vocab_size = 23;
  expect_steps_at_the_ends<LanguageTransformerConfig>(language, language_step);
  ClassifierConfig classifier;
  static_cast<StackConfig&>(classifier) = small_config();
  classifier.vocab_size = 23;
  classifier.classes = 3;
  expect_steps_at_the_ends<ClassifierConfig>(classifier, classifier_step);
}

// Both passes of R-Drop see the options of the loss.
TEST(OptionWiring, OfTheLossOfTwoPasses) {
  TransformerConfig config = small_config();
  config.dropout = 0.3f;
  const Transformer model(config, 1);
  const Ragged src = random_tokens({5, 9, 2}, 23, 1), tgt = random_tokens({6, 3, 8}, 23, 2);
  const auto loss = [&](float divergence, const CrossEntropyOptions& options) {
    Pass pass = Pass::training(1, 1);
    const CrossEntropy result = model.paired_loss(src, tgt, tgt.ids, divergence, options, pass);
    return std::array<double, 3>{result.loss.value().item(), result.loss_sum, result.nll};
  };
  const auto base = loss(2.0f, {0.1f, 10.0}), smoother = loss(2.0f, {0.3f, 10.0}),
             closer = loss(4.0f, {0.1f, 10.0}), smaller = loss(2.0f, {0.1f, 20.0});
  EXPECT_NE(smoother[1], base[1]);
  EXPECT_EQ(smoother[2], base[2]);
  EXPECT_GT(closer[1], base[1]);
  EXPECT_EQ(closer[2], base[2]);
  EXPECT_NEAR(smaller[0], base[0] / 2, 1e-5 * base[0]);
  EXPECT_EQ(smaller[1], base[1]);
}

}  // namespace
}  // namespace attend
