#include "attend/tasks/translation/training/guided_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "attend/tasks/translation/training/objective.h"
#include "tasks/translation/objective_setting.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;

TranslationModel aligning_model() {
  TranslationModel model = learning_model(0.0f);
  model.aligning_layer = aligning_layer_of(model.network->architecture());
  return model;
}

// Sixteen adjectives before sixteen nouns, each with each, in the other order.
EncodedPairs phrases() {
  RaggedBuilder src, tgt;
  for (std::int32_t adjective = 5; adjective < 21; ++adjective)
    for (std::int32_t noun = 21; noun < 37; ++noun) {
      src.add(Tokens{adjective, noun});
      tgt.add(Tokens{noun, adjective});
    }
  EncodedPairs pairs;
  pairs.src = src.build();
  pairs.tgt = tgt.build();
  return pairs;
}

TranslationBatch batch_of(const std::vector<std::pair<Tokens, Tokens>>& all) {
  constexpr std::int32_t kBos = 1, kEos = 2;
  RaggedBuilder src, tgt_in;
  Tokens tgt_out;
  for (auto [source, target] : all) {
    source.push_back(kEos);
    src.add(source);
    tgt_out.insert(tgt_out.end(), target.begin(), target.end());
    tgt_out.push_back(kEos);
    target.insert(target.begin(), kBos);
    tgt_in.add(target);
  }
  return {src.build(), tgt_in.build(), Ids(std::move(tgt_out))};
}

TEST(GuidedAlignment, LeadsTheRowThatPredictsATokenToItsSource) {
  const GuidedAlignment alignment(phrases(), aligning_model());
  const TranslationBatch batch = batch_of({{{6, 22}, {22, 6}}, {{40, 7}, {7}}});
  const auto guide = alignment.of(batch, 1, 0.25f);
  EXPECT_EQ(guide->module, "decoder.layers.0.cross_attn");
  EXPECT_EQ(guide->factor, 0.25f);
  // Blocks of 3 by 3 and of 2 by 3 weights.
  EXPECT_EQ(guide->places, (std::vector<std::int64_t>{1, 3, 9 + 1}));
  EXPECT_EQ(alignment.of(batch, 2, 1.0f)->places,
            (std::vector<std::int64_t>{1, 3, 10, 15 + 1, 15 + 3, 15 + 10}));
  EXPECT_EQ(alignment.linked(phrases()), 1.0);
}

TEST(GuidedAlignment, IsLearnedInTheLastLayerButOne) {
  TransformerConfig config;
  for (const auto& [layers, expected] : {std::pair{1, 0}, {2, 0}, {3, 1}, {6, 4}}) {
    config.n_decoder_layers = layers;
    EXPECT_EQ(aligning_layer_of(config), expected) << layers;
  }
}

TEST(GuidedAlignment, RefusesAttentionWithoutHeadsThatCanLearn) {
  expect_error<ConfigError>([] { aligning_layer_of(RecurrentConfig{}); }, {"transformer"});
  TransformerConfig config;
  config.attention.choice = AttentionChoice::hard;
  expect_error<ConfigError>([&] { aligning_layer_of(config); }, {"attention_choice"});
  config = {};
  config.attention_cap = 50.0f;
  expect_error<ConfigError>([&] { aligning_layer_of(config); }, {"attention_cap"});
}

// An objective on the pairs of the setting, whose model learns alignments with a weight.
TranslationObjective guided(float weight, float r_drop = 0.0f) {
  const TranslationModel model = aligning_model();
  TranslationLoss loss{.r_drop = r_drop, .guided_alignment = weight};
  if (weight > 0.0f)
    loss.alignment = std::make_shared<const GuidedAlignment>(encoded(model, kPairs), model);
  return TranslationObjective(model, batches(model, 1000, std::nullopt), loss, std::nullopt);
}

std::vector<float> gradients_of(TranslationObjective objective) {
  Pass pass = Pass::training(1, 1);
  backward(objective.loss(0, 0, 10.0, pass).loss);
  return objective.parameters().gradients().to_vector();
}

TEST(GuidedAlignment, TeachesQueriesAndKeysOfTheFirstHeadAndWhatIsBelow) {
  TranslationObjective with = guided(0.5f), without = guided(0.0f);
  Pass pass = Pass::training(1, 1);
  const BatchLoss a = with.loss(0, 0, 10.0, pass), b = without.loss(0, 0, 10.0, pass);
  EXPECT_EQ(a.loss_sum, b.loss_sum) << "the loss that is reported stays that of the text";
  backward(a.loss);
  backward(b.loss);
  std::set<std::string> changed;
  for (const auto& entry : with.parameters().entries()) {
    const auto gradient = [&](TranslationObjective& of) {
      return of.parameters().gradients({entry.offset, entry.offset + entry.elements()}).to_vector();
    };
    const std::vector<float> guided_one = gradient(with), plain = gradient(without);
    if (guided_one != plain) changed.insert(entry.name);
    if (entry.name != "decoder.layers.0.cross_attn.q_proj.weight") continue;
    const std::size_t head = plain.size() / 4;
    EXPECT_FALSE(
        std::equal(plain.begin(), plain.begin() + std::ssize(plain) / 4, guided_one.begin()));
    for (std::size_t i = head; i < plain.size(); ++i)
      ASSERT_NEAR(guided_one[i], plain[i], 1e-6f) << "another head";
  }
  EXPECT_TRUE(changed.contains("decoder.layers.0.cross_attn.k_proj.weight"));
  EXPECT_FALSE(changed.contains("decoder.layers.0.cross_attn.out_proj.weight"));
  EXPECT_FALSE(changed.contains("decoder.layers.0.cross_attn.v_proj.weight"));
}

TEST(GuidedAlignment, TeachesTheSameInTwoPassesAsInOne) {
  const std::vector<float> one = gradients_of(guided(2.0f)), two = gradients_of(guided(2.0f, 1.0f));
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], two[i], 1e-4f) << i;
}

}  // namespace
}  // namespace attend
