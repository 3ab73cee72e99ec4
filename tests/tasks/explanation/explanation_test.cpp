#include "attend/tasks/explanation/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/scoring.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::string kCat = "the old dog sees the small cat", kKatze = "der alte hund sieht";

float sum_of_parts(const OutputExplanation& why) {
  return std::accumulate(why.parts.begin(), why.parts.end(), 0.0f,
                         [](float sum, const LogitPart& part) { return sum + part.value; });
}

const LogitPart* find_part(const OutputExplanation& why, const std::string& module) {
  const auto found = std::find_if(why.parts.begin(), why.parts.end(),
                                  [&](const LogitPart& part) { return part.module == module; });
  return found == why.parts.end() ? nullptr : &*found;
}

// The difference of two logits is that of their log-probabilities.
void expect_whole(const OutputExplanation& why, float tolerance = 1e-4f) {
  EXPECT_NEAR(sum_of_parts(why), why.difference, tolerance);
  EXPECT_NEAR(std::log(why.token.probability / why.instead.probability), why.difference, 1e-3f);
}

float token_score(const TranslationModel& model, std::size_t position) {
  const std::vector<std::vector<std::int32_t>> src{source_ids(model, kCat)},
      tgt{model.tgt_tokenizer.encode(kKatze)};
  return score_pairs(model, model.format.of({}), src, tgt).front().token_scores[position];
}

TEST(Explanation, OfATranslationIsOfTheTokenAtItsPosition) {
  const TranslationModel model = small_model();
  const std::vector<std::int32_t> ids = model.tgt_tokenizer.encode(kKatze);
  for (const int position : {0, 3, static_cast<int>(ids.size())}) {
    const OutputExplanation why = explain(model, kCat, kKatze, {.position = position});
    const auto place = static_cast<std::size_t>(position);
    EXPECT_EQ(why.position, position);
    EXPECT_EQ(why.tokens.size(), ids.size() + 1);
    EXPECT_EQ(why.token.token, why.tokens[place]);
    EXPECT_EQ(why.token.token, place < ids.size() ? model.tgt_tokenizer.piece(ids[place]) : "</s>");
    EXPECT_NEAR(std::log(why.token.probability), token_score(model, place), 1e-4f);
    expect_whole(why);
  }
  EXPECT_EQ(explain(model, kCat, kKatze, {}).position, 0);
}

TEST(Explanation, ComparesWithTheMostProbableOtherToken) {
  const OutputExplanation why = explain(small_model(), kCat, kKatze, {.position = 2, .top = 2});
  ASSERT_EQ(why.lens.size(), 3u) << "behind the embedding and two layers";
  const auto& last = why.lens.back();
  ASSERT_EQ(last.size(), 2u);
  EXPECT_GE(last[0].probability, last[1].probability);
  const TokenProbability& other = last[0].token == why.token.token ? last[1] : last[0];
  EXPECT_EQ(why.instead.token, other.token);
  EXPECT_NEAR(why.instead.probability, other.probability, 1e-5f);
}

TEST(Explanation, ComparesWithAWordOrAToken) {
  const TranslationModel model = small_model();
  const std::string word = "katze";
  const std::int32_t first = model.tgt_tokenizer.encode(word).front();
  const OutputExplanation of_word = explain(model, kCat, kKatze, {.position = 1, .instead = word});
  EXPECT_EQ(of_word.instead.token, model.tgt_tokenizer.piece(first));
  expect_whole(of_word);
  const OutputExplanation of_end = explain(model, kCat, kKatze, {.position = 1, .instead = "</s>"});
  EXPECT_EQ(of_end.instead.token, "</s>");
  EXPECT_EQ(of_end.token.token, of_word.token.token);
  EXPECT_NE(of_end.difference, of_word.difference);
}

TEST(Explanation, TakesATranslationTokenByToken) {
  const TranslationModel model = small_model();
  const std::vector<std::int32_t> ids = model.tgt_tokenizer.encode(kKatze);
  const OutputExplanation of_ids = explain(model, kCat, ids, {.position = 3}),
                          of_text = explain(model, kCat, kKatze, {.position = 3});
  EXPECT_EQ(of_ids.difference, of_text.difference);
  EXPECT_EQ(of_ids.tokens, of_text.tokens);
  const std::vector<std::int32_t> parts{ids[1], ids[0], ids[0]};
  const OutputExplanation why = explain(model, kCat, parts, {.position = 2});
  EXPECT_EQ(why.tokens[2], model.tgt_tokenizer.piece(ids[0]));
  const std::vector<std::vector<std::int32_t>> src{source_ids(model, kCat)}, tgt{parts};
  EXPECT_NEAR(std::log(why.token.probability),
              score_pairs(model, model.format.of({}), src, tgt).front().token_scores[2], 1e-4f);
}

TEST(Explanation, NeedsPositionsOnlyForWhatIsBeforeTheToken) {
  const Tokenizer tokenizer = rhyme_tokenizer();
  LanguageTransformerConfig config = small_language_config(tokenizer);
  config.positions = PositionKind::learned;
  config.max_positions = 4;
  const LanguageModel model{std::make_shared<LanguageTransformer>(config, 7), tokenizer, {4}};
  const std::string text = "the cat sat on the mat";
  expect_whole(explain(model, text, {.position = 3}));
  expect_error<LineError>([&] { explain(model, text, {.position = 4}); }, {"4 positions"});
}

TEST(Explanation, OfALogitAloneHasNoOtherToken) {
  const OutputExplanation why = explain(small_model(), kCat, kKatze, {.alone = true});
  EXPECT_EQ(why.instead.token, "");
  EXPECT_NEAR(sum_of_parts(why), why.difference, 1e-4f);
  const OutputExplanation other =
      explain(small_model(), kCat, kKatze, {.instead = "</s>", .alone = false});
  EXPECT_NE(why.difference, other.difference);
}

// softmax(logits / t), from the probabilities at temperature 1, whose logarithms are the logits but
// for a constant.
std::vector<double> at_temperature(const std::vector<TokenProbability>& tokens, double t) {
  std::vector<double> values;
  for (const TokenProbability& token : tokens)
    values.push_back(std::exp(std::log(double{token.probability}) / t));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return values;
}

TEST(Explanation, DividesTheLogitsOfProbabilitiesByTheTemperature) {
  const TranslationModel model = small_model();
  const int all = static_cast<int>(model.tgt_tokenizer.vocab_size());
  const auto explained = [&](float t) {
    return explain(model, kCat, kKatze, {.position = 2, .top = all, .temperature = t});
  };
  const OutputExplanation plain = explained(1.0f);
  for (const float t : {0.25f, 3.0f}) {
    const OutputExplanation why = explained(t);
    for (std::size_t layer = 0; layer < plain.lens.size(); ++layer) {
      const std::vector<double> expected = at_temperature(plain.lens[layer], t);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(why.lens[layer][i].token, plain.lens[layer][i].token);
        EXPECT_NEAR(why.lens[layer][i].probability, expected[i], 1e-5);
      }
    }
    const auto listed = [&](const TokenProbability& token) {
      const auto& last = why.lens.back();
      return std::find_if(last.begin(), last.end(),
                          [&](const TokenProbability& one) { return one.token == token.token; });
    };
    EXPECT_NEAR(why.token.probability, listed(why.token)->probability, 1e-6f);
    EXPECT_NEAR(why.instead.probability, listed(why.instead)->probability, 1e-6f);
    EXPECT_EQ(why.difference, plain.difference) << "logits stay as they are";
    EXPECT_NEAR(sum_of_parts(why), sum_of_parts(plain), 1e-6f);
  }
  const auto cold = explained(1e-6f).lens.back();
  EXPECT_FLOAT_EQ(cold[0].probability, 1.0f);
}

TEST(Explanation, TellsWhatEverySublayerAdds) {
  const OutputExplanation why = explain(small_model(), kCat, kKatze, {});
  std::vector<std::string> modules;
  for (const ResidualAddition& addition : why.additions) modules.push_back(addition.module);
  EXPECT_EQ(modules, (std::vector<std::string>{
                         "embedding", "decoder.layers.0.self_attn", "decoder.layers.0.cross_attn",
                         "decoder.layers.0.feed_forward", "decoder.layers.1.self_attn",
                         "decoder.layers.1.cross_attn", "decoder.layers.1.feed_forward"}));
}

TEST(Explanation, NamesTheBiasOfTheOutput) {
  const TranslationModel small = small_model();
  TransformerConfig config = small_config(small.src_tokenizer, small.tgt_tokenizer);
  config.output_bias = true;
  const TranslationModel model{std::make_shared<Transformer>(config, 7), small.src_tokenizer,
                               small.tgt_tokenizer};
  EXPECT_EQ(find_part(explain(small, kCat, kKatze, {}), "output.bias"), nullptr);
  for (const ParameterSet::Entry& entry : model.network->parameters().entries())
    if (entry.name == "output_proj.bias")
      model.network->parameters().value(entry).span()[model.tgt_tokenizer.eos_id()] = 2.0f;
  const OutputExplanation why = explain(model, kCat, kKatze, {.instead = "</s>"});
  ASSERT_NE(find_part(why, "output.bias"), nullptr);
  EXPECT_FLOAT_EQ(find_part(why, "output.bias")->value, -2.0f);
  expect_whole(why);
}

TEST(Explanation, OfAModelIn8BitsHasWhatRoundingChanges) {
  const auto small = load_model(quantize_model(checkpoint_of(small_model())));
  const auto& model = dynamic_cast<const TranslationModel&>(*small);
  const OutputExplanation why = explain(model, kCat, kKatze, {.position = 1});
  const LogitPart* const rounding = find_part(why, "decoder.layers.0.self_attn.rounding");
  ASSERT_NE(rounding, nullptr);
  EXPECT_NE(rounding->value, 0.0f);
  expect_whole(why);
  EXPECT_EQ(find_part(explain(small_model(), kCat, kKatze, {}), "output.rounding"), nullptr);
}

TEST(Explanation, OfALanguageModelIsOfATokenOrOfWhatFollows) {
  const LanguageModel model = small_language_model();
  const std::string text = "the cat sat on";
  const OutputExplanation inside = explain(model, text, {.position = 1});
  EXPECT_EQ(inside.tokens.size(), 4u);
  EXPECT_EQ(inside.token.token, inside.tokens[1]);
  expect_whole(inside);
  const OutputExplanation behind = explain(model, text, {});
  EXPECT_EQ(behind.position, 4);
  EXPECT_EQ(behind.token.token, behind.lens.back().front().token) << "the most probable one";
  EXPECT_GE(behind.difference, 0.0f);
  expect_whole(behind);
}

TEST(Explanation, OfAClassifierSumsOverTheTokens) {
  for (const Pooling pooling : {Pooling::max, Pooling::mean, Pooling::first, Pooling::last,
                                Pooling::mean_sqrt, Pooling::weighted_mean}) {
    const OutputExplanation why = explain(small_classifier(pooling), "not a good film", {});
    expect_whole(why);
    EXPECT_TRUE(why.lens.empty());
    EXPECT_TRUE(why.additions.empty());
  }
  const ClassificationModel model = small_classifier();
  const OutputExplanation why = explain(model, "not a good film", {});
  const OutputExplanation other = explain(model, "not a good film", {.instead = why.instead.token});
  EXPECT_EQ(other.difference, why.difference);
  const OutputExplanation alone = explain(model, "not a good film", {.alone = true});
  EXPECT_NEAR(sum_of_parts(alone), alone.difference, 1e-4f);
}

TEST(Explanation, OfAClassifierGoesThroughTheLayerBeforeTheOutput) {
  for (const HeadOptions& head :
       {HeadOptions{Activation::tanh}, HeadOptions{Activation::relu}, HeadOptions{Activation::gelu},
        HeadOptions{.activation = Activation::gelu, .norm = true}}) {
    const ClassificationModel small = small_classifier(Pooling::first);
    ClassifierConfig config = small.network->config();
    config.head = head;
    const ClassificationModel model{std::make_shared<TextClassifier>(config, 7), small.tokenizer,
                                    small.labels, small.length};
    for (const ParameterSet::Entry& entry : model.network->parameters().entries())
      if (entry.name == "head.bias" || entry.name == "head_norm.bias")
        for (float& value : model.network->parameters().value(entry).span()) value = 0.3f;
    const OutputExplanation why = explain(model, "not a good film", {});
    ASSERT_NE(find_part(why, "head.bias"), nullptr);
    EXPECT_NE(find_part(why, "head.bias")->value, 0.0f);
    EXPECT_EQ(find_part(why, "head_norm.bias") != nullptr, head.norm);
    expect_whole(why);
  }
}

TEST(Explanation, RefusesWhatItCannotExplain) {
  const TranslationModel model = small_model();
  const auto refused = [&](const ExplanationOptions& options,
                           std::initializer_list<std::string_view> parts) {
    expect_error<ConfigError>([&] { explain(model, kCat, "der", options); }, parts);
  };
  refused({.position = 99}, {"position", "from 0 to", "99"});
  refused({.position = -2}, {"position", "-2"});
  refused({.instead = "</s>", .alone = true}, {"instead", "alone"});
  refused({.instead = model.tgt_tokenizer.piece(model.tgt_tokenizer.encode("der").front())},
          {"instead", "another token"});
  refused({.instead = "@"}, {"instead", "vocabulary", "@"});
  refused({.top = 0}, {"top"});
  refused({.temperature = 0}, {"temperature"});
  RecurrentConfig recurrent;
  recurrent.src_vocab_size = recurrent.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  const TranslationModel rnn{make_encoder_decoder(recurrent, 3), model.tgt_tokenizer,
                             model.tgt_tokenizer};
  expect_error<ConfigError>([&] { explain(rnn, kCat, "der", {}); }, {"Transformer"});
  const ClassificationModel films = small_classifier();
  expect_error<ConfigError>([&] { explain(films, "a film", {.position = 1}); }, {"position"});
  expect_error<ConfigError>([&] { explain(films, "a film", {.temperature = 2}); },
                            {"temperature", "classifier"});
  expect_error<ConfigError>([&] { explain(films, "a film", {.instead = "great"}); },
                            {"instead", "'great'"});
  expect_error<DataError>([&] { explain(films, " ", {}); }, {"some words"});
  expect_error<ConfigError>(
      [&] { explain(small_classifier_for(ProblemType::regression), "a film", {}); }, {"numbers"});
  std::string longest;
  for (int i = 0; i < 1100; ++i) longest += "cat ";
  expect_error<LineError>([&] { explain(small_language_model(), longest, {}); }, {"1024", "1100"});
}

}  // namespace
}  // namespace attend
