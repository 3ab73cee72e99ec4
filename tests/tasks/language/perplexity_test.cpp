#include "attend/tasks/language/perplexity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// log p(target) of every target, each from a pass of its own over as much as a context of `context`
// tokens with `stride` lets it see.
double by_hand(const LanguageModel& model, const std::vector<std::int32_t>& stream,
               std::int32_t context, std::int32_t stride) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  double nll = 0;
  for (std::int32_t t = 0; t + 1 < static_cast<std::int32_t>(stream.size()); ++t) {
    const std::int32_t begin = std::max((t / stride + 1) * stride - context, 0);
    const std::vector<std::int32_t> window(stream.begin() + begin, stream.begin() + t + 1),
        target{stream[static_cast<std::size_t>(t) + 1]};
    const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(window.size())};
    const Tensor hidden = model.network->hidden(Ragged::copy(window, offsets), pass).value();
    nll -= model.network->target_log_probabilities(
        Variable(hidden.slice_rows(hidden.rows() - 1, hidden.rows())), target)[0];
  }
  return nll;
}

TEST(TextPerplexity, PredictsEveryTokenOnceWithItsContext) {
  const LanguageModel model = small_language_model();
  const LanguageText text = encode_language(kRhyme, model.tokenizer);
  for (const auto& [context, stride] : {std::pair{8, 8}, {8, 3}, {8, 1}, {5, 2}, {100, 100}}) {
    TextPerplexityOptions options{context, stride, {16}};
    const TextPerplexity found = text_perplexity(model, text, options);
    EXPECT_NEAR(found.perplexity.nll, by_hand(model, text.stream, context, stride), 1e-3)
        << context << ", " << stride;
    EXPECT_EQ(found.perplexity.tokens, text.targets());
    EXPECT_EQ(found.perplexity.words, text.words);
    EXPECT_EQ(found.perplexity.characters, text.characters);
    EXPECT_GT(text.characters, text.words);
    EXPECT_NEAR(found.perplexity.per_token(),
                std::exp(found.perplexity.nll / static_cast<double>(text.targets())), 1e-6);
  }
}

TEST(TextPerplexity, IsThatOfAGuessForAModelThatKnowsNothing) {
  const LanguageModel model = small_language_model();
  model.network->parameters().values().zero();
  const LanguageText text = encode_language(kRhyme, model.tokenizer);
  EXPECT_NEAR(text_perplexity(model, text).perplexity.per_token(), model.tokenizer.vocab_size(),
              1e-3);
}

TEST(TextPerplexity, UsesTheContextOfTheTrainingAndHalfOfItAsStride) {
  const LanguageModel model = small_language_model();
  const LanguageText text = encode_language(kRhyme, model.tokenizer);
  const TextPerplexity found = text_perplexity(model, text);
  EXPECT_EQ(found.context, 8);
  EXPECT_EQ(found.stride, 4);
  EXPECT_EQ(found.perplexity.nll, text_perplexity(model, text, {8, 4, {}}).perplexity.nll);
}

TEST(TextPerplexity, IsLowerWithACacheWhereATextRepeatsItself) {
  const LanguageModel model = small_language_model();
  const LanguageText once = encode_language(kRhyme, model.tokenizer);
  std::vector<std::string> lines = kRhyme;
  lines.insert(lines.end(), kRhyme.begin(), kRhyme.end());
  const LanguageText twice = encode_language(lines, model.tokenizer);
  TextPerplexityOptions options{8, 4, {16}};
  const double without = text_perplexity(model, twice, options).perplexity.per_token();
  options.cache = {100, 0.5f, 1.0f};
  const TextPerplexity with = text_perplexity(model, twice, options);
  EXPECT_LT(with.perplexity.per_token(), 0.8 * without);
  EXPECT_LT(with.perplexity.per_token(),
            text_perplexity(model, once, options).perplexity.per_token());
  ASSERT_TRUE(with.without_cache.has_value());
  EXPECT_NEAR(with.without_cache->per_token(), without, 1e-9);
  EXPECT_NE(with.summary(2).find(
                fmt::format("; with a cache of 100 tokens, {:.2f} per token without", without)),
            std::string::npos);
  options.cache.weight = 1.0f;
  expect_error<ConfigError>([&] { text_perplexity(model, twice, options); }, {"cache_weight"});
}

TEST(TextPerplexity, SaysWhatItIsOf) {
  TextPerplexity result;
  result.perplexity.add(std::log(100.0) * 4, 4, 2);
  result.context = 8;
  result.stride = 4;
  EXPECT_EQ(result.summary(2),
            "perplexity 100.00 per token (4 tokens, line ends included), 10000.00 per word (2 "
            "words); context 8, stride 4");
  result.perplexity.characters = 8;
  EXPECT_EQ(result.summary(1),
            "perplexity 100.0 per token (4 tokens, line ends included), 10000.0 per word (2 "
            "words), 3.3219 bits per character; context 8, stride 4");
  result.unknown = 1;
  EXPECT_NE(result.summary(1).find("; 1 of the tokens unknown"), std::string::npos);
}

TEST(TextPerplexity, CountsWhatTheVocabularyDoesNotKnow) {
  const LanguageModel model = small_language_model();
  const LanguageText text = encode_language(
      std::vector<std::string>{"the elephant sat on the rhinoceros of the zoo"}, model.tokenizer);
  EXPECT_EQ(text_perplexity(model, text).unknown, 4);
}

TEST(TextPerplexity, RefusesWhatMakesNoSense) {
  LanguageModel model = small_language_model();
  const LanguageText text = encode_language(kRhyme, model.tokenizer);
  expect_error<ConfigError>(
      [&] {
        text_perplexity(model, text, {8, 9, {}});
      },
      {"stride", "9", "8"});
  expect_error<ConfigError>([&] { text_perplexity(model, text, {-1, 0, {}}); }, {"context", "-1"});
  expect_error<DataError>(
      [&] { text_perplexity(model, encode_language(std::vector<std::string>{}, model.tokenizer)); },
      {"no token"});
  LanguageTransformerConfig config = model.network->config();
  config.positions = PositionKind::learned;
  config.max_positions = 8;
  model.network = std::make_shared<LanguageTransformer>(config, 7);
  EXPECT_NO_THROW(text_perplexity(model, text, {8, 8, {}}));
  expect_error<ConfigError>(
      [&] {
        text_perplexity(model, text, {9, 9, {}});
      },
      {"context: 9 tokens", "max_positions 8"});
}

}  // namespace
}  // namespace attend
