#include "attend/tasks/translation/read_terms.h"

#include <gtest/gtest.h>

#include "attend/tasks/translation/engine.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

// The small translator, as if it had been trained with inline terms, and with context.
TranslationEngine translator_with_terms(int context = 0) {
  TranslationModel model = translator().model();
  model.format.terms = InlineTermMarks{model.src_tokenizer.bos_id(), model.src_tokenizer.eos_id()};
  model.format.context = {context, model.src_tokenizer.eos_id(), 100};
  return TranslationEngine(std::move(model));
}

TEST(ReadTerms, StandWithinTheSentenceBehindTheContext) {
  const TranslationEngine engine = translator_with_terms(2);
  const Tokenizer& tokenizer = engine.model().src_tokenizer;
  TranslationOptions options = beam_of(2);
  options.context = 2;
  options.glossary = {"dog|dogs\tcat|fish", "small\told"};
  const auto ids = [&](const std::vector<std::string>& parts) {
    std::vector<std::int32_t> all;
    for (const std::string& part : parts) {
      if (part == "[") {
        all.push_back(tokenizer.bos_id());
      } else if (part == "]") {
        all.push_back(tokenizer.eos_id());
      } else {
        for (const std::int32_t id : tokenizer.encode(part)) all.push_back(id);
      }
    }
    return all;
  };
  const std::vector<std::string> sentences{"the dog eats", "a small dog"};
  const auto read = engine.sentences(sentences, options);
  EXPECT_EQ(read[0].ids, ids({"the dog", "[", "cat", "]", "eats", "]"}));
  EXPECT_EQ(read[1].ids,
            ids({"the dog eats", "]", "a small", "[", "old", "]", "dog", "[", "cat", "]", "]"}));
  ASSERT_EQ(read[1].inline_terms.size(), 2u);
  EXPECT_EQ(read[1].ids[read[1].inline_terms[0].begin], tokenizer.bos_id());
  EXPECT_EQ(read[1].ids[read[1].inline_terms[1].end - 1], tokenizer.eos_id());
  options.glossary.clear();
  EXPECT_EQ(engine.sentences(sentences, options)[0].ids, ids({"the dog eats", "]"}));
}

TEST(ReadTerms, AreNoWordsOfTheSentence) {
  const TranslationEngine engine = translator_with_terms();
  TranslationOptions options = beam_of(2);
  options.alignment = true;
  options.glossary = {"dog|dogs\tcat|fish", "small\told"};
  const std::vector<std::string> sentences{"the dog eats", "small dog", "a cat"};
  const std::vector<Translation> found = engine.translate(sentences, options),
                                 plain = translator().translate(sentences, options);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(found[i].source_tokens, plain[i].source_tokens);
    for (const auto& [source, target] : found[i].candidates[0].alignment) EXPECT_LT(source, 3);
  }
  for (const std::size_t i : {0, 1})
    EXPECT_NE(found[i].text().find_first_of("cf"), std::string::npos) << found[i].text();
  expect_same(found[2], plain[2]);
}

TEST(ReadTerms, AreLeftOutWhereTheModelHasNoRoom) {
  TranslationModel model = translator_with_terms().model();
  const std::size_t plain = model.src_tokenizer.encode("the small dog eats").size() + 1,
                    of_term = model.src_tokenizer.encode("old").size() + 2;
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.positions = PositionKind::learned;
  config.max_positions = static_cast<std::int64_t>(plain + of_term);
  model.network = std::make_shared<Transformer>(config, 5);
  const TranslationEngine engine(std::move(model));
  TranslationOptions options = beam_of(2);
  options.glossary = {"dog\told", "small\told"};
  const auto read = engine.sentences(std::vector<std::string>{"the small dog eats"}, options);
  EXPECT_EQ(read[0].inline_terms.size(), 1u);
  EXPECT_EQ(read[0].ids.size(), plain + of_term);
}

TEST(ReadTerms, AreThoseOfPreparedText) {
  const TranslationEngine engine = translator_with_terms();
  TranslationOptions options = beam_of(2);
  options.glossary = {"Dog\tcat"};
  options.preparation.lowercase = true;
  const auto read = engine.sentences(std::vector<std::string>{"The Dog eats"}, options);
  ASSERT_EQ(read[0].inline_terms.size(), 1u);
  const std::size_t before = engine.model().src_tokenizer.encode("the dog").size();
  EXPECT_EQ(read[0].inline_terms[0].begin, before);
}

}  // namespace
}  // namespace attend
