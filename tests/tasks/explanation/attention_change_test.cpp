// Heads that are switched off and scores that are sharper: what they do to a model, and that all
// else stays as it is.
#include "attend/tasks/explanation/attention_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/translation/engine.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::string kCross = "decoder.layers.*.cross_attn";
const std::string kFirst = "encoder.layers.0.self_attn";

AttentionChanges off(const std::vector<std::string>& heads) {
  return attention_changes({.heads_off = heads, .beta = {}});
}

AttentionChanges beta(const std::vector<std::string>& factors) {
  return attention_changes({.heads_off = {}, .beta = factors});
}

class AttentionChangeTest : public FolderTest {
 protected:
  std::shared_ptr<const LoadedModel> base_of(const Checkpoint& model) const {
    save_checkpoint(path("base.safetensors"), model);
    return LoadedModel::load(path("base.safetensors"));
  }
  // Biases begin at 0; here they are numbers that show.
  std::shared_ptr<const LoadedModel> base_of(const SavedModel& model) const {
    Random random({3, 1});
    for (const ParameterSet::Entry& entry : model.parameters().entries())
      if (entry.name.ends_with(".q_proj.bias"))
        for (float& value : model.parameters().value(entry).span()) value = random.uniform() - 0.5f;
    return base_of(checkpoint_of(model));
  }

  static const TranslationModel& translation(const SavedModel& model) {
    return dynamic_cast<const TranslationModel&>(model);
  }

  static AttentionMaps maps(const SavedModel& saved) {
    const TranslationModel& model = translation(saved);
    return attention_maps(model, model.format.of({}),
                          source_ids(model, "the old dog catches the small cat"),
                          model.tgt_tokenizer.encode("der alte hund fischt"));
  }

  static float log_probability(const SavedModel& saved, const std::string& source) {
    const TranslationModel& model = translation(saved);
    const std::vector<std::vector<std::int32_t>> src{source_ids(model, source)},
        tgt{model.tgt_tokenizer.encode("eine katze")};
    return score_pairs(model, model.format.of({}), src, tgt).front().log_probability;
  }

  static std::vector<std::vector<float>> outputs(const SavedModel& model) {
    Random random({5, 1});
    std::vector<GoldenInput> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back(model.random_input(random));
    return model.golden_outputs(inputs);
  }

  static const float* row(const AttentionMap& map, std::int64_t row) {
    return map.weights.data() + row * map.cols;
  }
};

TEST_F(AttentionChangeTest, WithoutItsViewOfTheSourceADecoderIgnoresIt) {
  const auto base = base_of(small_model());
  const auto blind = base->with_attention(off({kCross}));
  EXPECT_NE(log_probability(*base->model(), "a cat"), log_probability(*base->model(), "dogs fish"));
  EXPECT_EQ(log_probability(*blind, "a cat"), log_probability(*blind, "dogs fish"));
  const TranslationEngine translator(translation(*blind));
  TranslationOptions options = translator.default_options();
  options.beam.max_length = 5;
  const auto translations =
      translator.translate(std::vector<std::string>{"a cat", "the fish"}, options);
  EXPECT_EQ(translations[0].candidates[0].tokens, translations[1].candidates[0].tokens);
}

TEST_F(AttentionChangeTest, AHeadAloneIsWhatIsLeftWithoutTheOthers) {
  const auto base = base_of(small_model());
  const std::string module = "decoder.layers.1.cross_attn:";
  const auto all =
      base->with_attention(off({module + "0", module + "1", module + "2", module + "3"}));
  EXPECT_EQ(outputs(*all), outputs(*base->with_attention(off({"decoder.layers.1.cross_attn"}))));
  const auto without_two = base->with_attention(off({module + "1", module + "3"}));
  EXPECT_NE(outputs(*without_two), outputs(*all));
  EXPECT_NE(outputs(*without_two), outputs(*base->with_attention(off({module + "1"}))));
}

TEST_F(AttentionChangeTest, ABetaOfZeroWeighsAllKeysEqually) {
  const auto uniform = base_of(small_model())->with_attention(beta({"0"}));
  const AttentionMaps seen = maps(*uniform);
  for (const auto* layers : {&seen.encoder, &seen.cross})
    for (const auto& heads : *layers)
      for (const AttentionMap& map : heads)
        for (const float weight : map.weights)
          EXPECT_FLOAT_EQ(weight, 1.0f / static_cast<float>(map.cols));
  for (std::int64_t i = 0; i < seen.decoder[0][0].rows; ++i)
    EXPECT_FLOAT_EQ(row(seen.decoder[0][0], i)[0], 1.0f / static_cast<float>(i + 1));
}

TEST_F(AttentionChangeTest, ALargeBetaChoosesTheKeyThatHadTheLargestWeight) {
  const auto base = base_of(small_model());
  const AttentionMaps soft = maps(*base->model()),
                      hard = maps(*base->with_attention(beta({kFirst + ":2=1e6"})));
  const AttentionMap &before = soft.encoder[0][2], &after = hard.encoder[0][2];
  for (std::int64_t i = 0; i < before.rows; ++i) {
    const auto largest = std::max_element(row(before, i), row(before, i) + before.cols);
    EXPECT_NEAR(row(after, i)[largest - row(before, i)], 1.0f, 1e-6f) << "row " << i;
  }
  for (const std::size_t head : {0u, 1u, 3u})
    EXPECT_EQ(hard.encoder[0][head].weights, soft.encoder[0][head].weights) << "head " << head;
  EXPECT_NE(hard.encoder[1][0].weights, soft.encoder[1][0].weights) << "the next layer sees it";
}

TEST_F(AttentionChangeTest, FactorsOfOneHeadMultiply) {
  const auto base = base_of(small_model());
  EXPECT_EQ(outputs(*base->with_attention(beta({"2", kFirst + ":1=2"}))),
            outputs(*base->with_attention(
                beta({kFirst + ":0=2", kFirst + ":1=4", kFirst + ":2=2", kFirst + ":3=2",
                      "encoder.layers.[12].*=2", "decoder.*=2"}))));
}

TEST_F(AttentionChangeTest, IsTheSameStepByStep) {
  const auto base = base_of(small_model());
  const auto changed = base->with_attention(
      attention_changes({{kFirst + ":1", "decoder.layers.0.self_attn:0"}, {"decoder.*=3"}}));
  const TranslationModel& model = translation(*changed);
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Ragged src = Ragged::one(source_ids(model, "the old dog")),
               tgt = Ragged::one(model.tgt_tokenizer.encode("der alte hund fischt"));
  const Tensor whole =
      model.network->decode(tgt, model.network->encode(src, pass), src, pass).value().to_host();
  const auto state = model.network->begin(src);
  for (std::int64_t i = 0; i < tgt.tokens(); ++i) {
    const std::int32_t parent = 0, token = tgt.ids[i];
    const Tensor step = state->step({&parent, 1}, {&token, 1}).to_host();
    for (std::int64_t j = 0; j < step.cols(); ++j)
      EXPECT_NEAR(step.span()[j], whole.slice_rows(i, i + 1).span()[j], 1e-4f) << i << " " << j;
  }
  EXPECT_NE(outputs(*changed), outputs(*base->model()));
}

TEST_F(AttentionChangeTest, ChangesModelsOfAllKindsAndInFewerBits) {
  const auto expect_changed = [](const std::shared_ptr<const LoadedModel>& base) {
    const auto before = outputs(*base->model());
    EXPECT_NE(outputs(*base->with_attention(off({"*:1"}))), before);
    EXPECT_NE(outputs(*base->with_attention(beta({"3"}))), before);
    EXPECT_EQ(outputs(*base->with_attention(beta({"1"}))), before);
    EXPECT_EQ(outputs(*base->model()), before) << "the base stays as it is";
  };
  expect_changed(base_of(small_classifier()));
  expect_changed(base_of(small_language_model()));
  for (const WeightBits bits : {WeightBits::four, WeightBits::eight, WeightBits::sixteen}) {
    expect_changed(base_of(quantize_model(checkpoint_of(small_language_model()), bits)));
    expect_changed(base_of(quantize_model(checkpoint_of(small_model()), bits)));
  }
}

// Of a matrix in 4 bits, whose columns share bytes.
TEST_F(AttentionChangeTest, SwitchesOffTheHeadsThatItIsToldToInFourBits) {
  const Checkpoint small = quantize_model(checkpoint_of(small_model()), WeightBits::four);
  const std::string name = kFirst + ".out_proj.weight";
  ASSERT_EQ(small.tensor(name).dtype(), DType::u8);
  const auto base = base_of(small);
  const auto changed = base->with_attention(off({kFirst + ":1", kFirst + ":2"}));
  const auto weights = [&](const SavedModel& model) {
    for (const ParameterSet::Entry& entry : model.parameters().entries())
      if (entry.name == name)
        return backend()->float_weights(model.parameters().value(entry)).to_vector();
    return std::vector<float>();
  };
  const std::vector<float> before = weights(*base->model()), after = weights(*changed);
  ASSERT_EQ(before.size(), 16u * 16u);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::size_t head = i % 16 / 4;
    EXPECT_EQ(after[i], head == 1 || head == 2 ? 0.0f : before[i]) << i;
  }
}

TEST_F(AttentionChangeTest, SharesWhatItDoesNotChange) {
  const auto base = base_of(small_model());
  const auto changed = base->with_attention(off({kFirst}));
  for (const ParameterSet::Entry& entry : changed->parameters().entries())
    EXPECT_EQ(entry.shared(), entry.name != kFirst + ".out_proj.weight") << entry.name;
}

TEST_F(AttentionChangeTest, KnowsTheModulesOfAModel) {
  EXPECT_EQ(attention_modules(small_language_model()),
            (std::vector<std::string>{"decoder.layers.0.self_attn", "decoder.layers.1.self_attn"}));
}

TEST_F(AttentionChangeTest, RefusesWhatIsNotThere) {
  const auto base = base_of(small_model());
  expect_error<ConfigError>([&] { base->with_attention(off({"decodr.*"})); },
                            {"'decodr.*'", "no attention module", kFirst});
  expect_error<ConfigError>([&] { base->with_attention(off({kFirst + ":4"})); },
                            {"head 4", "0 to 3"});
  expect_error<ConfigError>([&] { off({kFirst + ":x"}); }, {"heads_off", kFirst, "whole number"});
  expect_error<ConfigError>([&] { off({":1"}); }, {"heads_off", "MODULE:HEAD"});
  expect_error<ConfigError>([&] { beta({kFirst + "=nan"}); }, {"attention_beta", "nan"});
  expect_error<ConfigError>([&] { beta({"-1"}); }, {"attention_beta", "from 0"});
}

// A model of the kind of small_model() with other options, whose learned positions show.
TranslationModel small_model_with(const std::function<void(TransformerConfig&)>& change) {
  TranslationModel model = small_model();
  TransformerConfig config = small_config(model.src_tokenizer, model.tgt_tokenizer);
  change(config);
  model.network = std::make_shared<Transformer>(config, 7);
  Random random({7, 1});
  for (const ParameterSet::Entry& entry : model.parameters().entries())
    if (entry.name.ends_with("positions.weight"))
      for (float& value : model.parameters().value(entry).span()) value = 4 * random.uniform() - 2;
  return model;
}

struct PositionsCase {
  std::string name;
  std::function<void(TransformerConfig&)> change;
};

std::vector<PositionsCase> kinds_of_positions() {
  const auto of = [](PositionKind kind) {
    return [kind](TransformerConfig& config) {
      config.positions = kind;
      config.max_positions = 64;
      config.relative = {8, 12, false};
    };
  };
  return {{"Sinusoidal", of(PositionKind::sinusoidal)},
          {"Learned", of(PositionKind::learned)},
          {"Rotary", of(PositionKind::rotary)},
          {"Relative", of(PositionKind::relative)},
          {"Slopes", of(PositionKind::alibi)},
          {"Both", [&](TransformerConfig& config) {
             config.positions = PositionKind::learned;
             config.max_positions = 64;
             config.distance_biases = DistanceBiases::relative;
             config.relative = {8, 12};
           }}};
}

class PositionsOff : public AttentionChangeTest, public testing::WithParamInterface<PositionsCase> {
 protected:
  // Of a target, given a source and the same tokens in another order.
  static std::array<float, 2> scores(const SavedModel& saved) {
    const TranslationModel& model = translation(saved);
    const std::vector<std::int32_t> ids = source_ids(model, "the old dog sees a cat"),
                                    target = model.tgt_tokenizer.encode("eine katze");
    std::vector<std::int32_t> turned = ids;
    std::rotate(turned.begin(), turned.begin() + 2, turned.end());
    const auto scored = score_pairs(model, model.format.of({}), std::vector{ids, turned},
                                    std::vector{target, target});
    return {scored[0].log_probability, scored[1].log_probability};
  }
};

INSTANTIATE_TEST_SUITE_P(Of, PositionsOff, testing::ValuesIn(kinds_of_positions()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(PositionsOff, ATextIsASetOfTokens) {
  const auto base = base_of(small_model_with(GetParam().change));
  const auto without = base->with_attention(attention_changes({.positions_off = true}));
  const auto before = scores(*base->model()), after = scores(*without);
  EXPECT_GT(std::abs(before[0] - before[1]), 1e-3);
  EXPECT_NEAR(after[0], after[1], 2e-5);
  EXPECT_NE(before[0], after[0]);
  EXPECT_EQ(without->longest_input(), 0) << "no table ends";
}

TEST_P(PositionsOff, LeavesAllElseAsItIs) {
  const TranslationModel model = small_model_with(GetParam().change);
  const auto base = base_of(model);
  const TranslationModel none =
      small_model_with([](TransformerConfig& config) { config.positions = PositionKind::none; });
  for (const ParameterSet::Entry& entry : none.parameters().entries())
    for (const ParameterSet::Entry& own : model.parameters().entries())
      if (own.name == entry.name)
        none.parameters().value(entry).copy_from(model.parameters().value(own));
  save_checkpoint(path("none.safetensors"), checkpoint_of(none));
  AttentionChanges changes = off({"*.cross_attn:1"});
  const auto expected = LoadedModel::load(path("none.safetensors"))->with_attention(changes);
  changes.positions_off = true;
  const auto without = base->with_attention(changes);
  EXPECT_EQ(scores(*without), scores(*expected));
  const std::vector<std::string> text{"the old dog"};
  EXPECT_EQ(TranslationEngine(translation(*without)).translate(text).front().text(),
            TranslationEngine(translation(*expected)).translate(text).front().text());
}

// As RoBERTa's padding.
TEST_F(AttentionChangeTest, SwitchesOffPositionsThatDoNotCountAToken) {
  const ClassificationModel plain = small_classifier();
  ClassifierConfig config = plain.network->config();
  config.positions = PositionKind::learned;
  config.max_positions = 64;
  config.uncounted_token = 1;
  const auto base = base_of(ClassificationModel(std::make_shared<TextClassifier>(config, 1),
                                                plain.tokenizer, plain.labels, plain.length));
  EXPECT_NE(outputs(*base->with_attention(attention_changes({.positions_off = true}))),
            outputs(*base->model()));
}

TEST_F(AttentionChangeTest, RefusesToSwitchOffPositionsThatAreScores) {
  const ClassificationModel plain = small_classifier();
  ClassifierConfig config = plain.network->config();
  config.positions = PositionKind::none;
  config.distance_biases = DistanceBiases::disentangled;
  config.relative = {8, 12};
  const auto base = base_of(ClassificationModel(std::make_shared<TextClassifier>(config, 1),
                                                plain.tokenizer, plain.labels, plain.length));
  expect_error<ConfigError>(
      [&] { base->with_attention(attention_changes({.positions_off = true})); },
      {"positions_off", "disentangled"});
}

TEST_F(AttentionChangeTest, WithoutItsMaskADecoderSeesLaterTokens) {
  const auto base = base_of(small_model());
  const auto seeing = base->with_attention(attention_changes({.mask_off = true}));
  const AttentionMaps before = maps(*base->model()), after = maps(*seeing);
  for (std::size_t head = 0; head < before.decoder[0].size(); ++head) {
    const AttentionMap& masked = before.decoder[0][head];
    for (std::int64_t i = 0; i < masked.rows; ++i)
      for (std::int64_t j = i + 1; j < masked.cols; ++j) {
        EXPECT_EQ(row(masked, i)[j], 0.0f);
        EXPECT_GT(row(after.decoder[0][head], i)[j], 0.0f);
      }
  }
  EXPECT_EQ(before.encoder[0][0].weights, after.encoder[0][0].weights);
  EXPECT_NE(log_probability(*seeing, "a cat"), log_probability(*base->model(), "a cat"));
  const LanguageModel text = small_language_model();
  const auto of_text = base_of(text);
  EXPECT_NE(outputs(*of_text->with_attention(attention_changes({.mask_off = true}))),
            outputs(*of_text->model()));
}

TEST_F(AttentionChangeTest, WithoutItsMaskADecoderWritesNothing) {
  const AttentionChanges seeing = attention_changes({.mask_off = true});
  const auto translator = base_of(small_model())->with_attention(seeing);
  expect_error<ConfigError>(
      [&] {
        TranslationEngine(translation(*translator))
            .translate(std::vector<std::string>{"the old dog"});
      },
      {"mask_off", "translation"});
  expect_error<ConfigError>(
      [&] { explain(translation(*translator), "the old dog", "der hund", ExplanationOptions{}); },
      {"mask_off"});
  const auto recurrent = base_of(small_model_with(
      [](TransformerConfig& config) { config.decoder_autoreg = DecoderAutoreg::ssru; }));
  expect_error<ConfigError>([&] { recurrent->with_attention(seeing); }, {"mask_off", "recurrent"});
  const auto classifier = base_of(small_classifier());
  expect_error<ConfigError>([&] { classifier->with_attention(seeing); },
                            {"mask_off", "decoder", "classification"});
}

TEST_F(AttentionChangeTest, RefusesToSharpenScoresThatNoFactorOfQueriesScales) {
  const auto expect_refused = [&](const auto& change, std::string_view reason) {
    const Tokenizer tokenizer = rhyme_tokenizer();
    LanguageTransformerConfig config = small_language_config(tokenizer);
    change(config);
    const auto base =
        base_of(LanguageModel{std::make_shared<LanguageTransformer>(config, 7), tokenizer, {8}});
    expect_error<ConfigError>([&] { base->with_attention(beta({"2"})); },
                              {"attention_beta", reason});
    EXPECT_NE(outputs(*base->with_attention(off({"*"}))), outputs(*base->model()));
  };
  expect_refused([](auto& config) { config.positions = PositionKind::alibi; }, "positions");
  expect_refused([](auto& config) { config.qk_norm = true; }, "normalized");
  expect_refused([](auto& config) { config.attention_cap = 5.0f; }, "cap");
}

}  // namespace
}  // namespace attend
