// Translations with phrases that they must or must not contain.
#include "attend/tasks/translation/phrases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kWithPhrases{"the old dog", "a cat", "dogs catch the small fish"};

TranslationOptions phrase_options(std::vector<std::string> must_contain,
                                  std::vector<std::string> must_not_contain, int beam_size = 8) {
  TranslationOptions options = beam_of(beam_size, beam_size);
  options.beam.max_length = 20;
  options.must_contain = std::move(must_contain);
  options.must_not_contain = std::move(must_not_contain);
  return options;
}

bool contains(const std::string& text, const std::string& phrase) {
  return (" " + text).find(" " + phrase) != std::string::npos;
}

TEST(Phrases, AreInEveryTranslation) {
  const std::vector<std::string> phrases{"kleine katze", "fisch"};
  for (const int beam : {1, 3, 8}) {
    for (const Translation& found :
         translator().translate(kWithPhrases, phrase_options(phrases, {}, beam))) {
      for (const TranslationCandidate& candidate : found.candidates)
        for (const std::string& phrase : phrases)
          EXPECT_TRUE(contains(candidate.text, phrase)) << candidate.text;
    }
  }
}

// Pieces other than the tokenizer's spell it, too.
TEST(Phrases, AreForbiddenHoweverTheyAreSpelled) {
  const TranslationModel& model = translator().model();
  const auto rules = phrase_rules(phrase_options({}, {"hund"}), model);
  const auto violated = [&](const std::vector<std::string>& pieces) {
    PhraseRules::Progress progress = rules->begin();
    for (const std::string& piece : pieces) {
      const std::int32_t id = model.tgt_tokenizer.id(piece);
      EXPECT_EQ(model.tgt_tokenizer.piece(id), piece);
      rules->read(progress, id);
    }
    return progress.violated;
  };
  EXPECT_TRUE(violated({"▁", "h", "u", "n", "d"}));
  EXPECT_FALSE(violated({"h", "u", "n", "d"})) << "within a word";
  EXPECT_FALSE(violated({"▁", "h", "u", "d"}));
  PhraseRules::Progress usual = rules->begin();
  for (const std::int32_t id : model.tgt_tokenizer.encode("der hund")) rules->read(usual, id);
  EXPECT_TRUE(usual.violated);
}

TEST(Phrases, AreThoseOfTheCall) {
  const auto expected = translator().translate(kWithPhrases, beam_of(4, 4));
  TranslationOptions options = beam_of(4, 4);
  options.must_contain = {"katze"};
  translator().translate(kWithPhrases, options);
  expect_same(translator().translate(kWithPhrases, beam_of(4, 4)), expected);
}

TEST(Phrases, GoWithAPrefix) {
  TranslationOptions options = phrase_options({"katze"}, {"alte"});
  options.prefixes = {"der hund"};
  for (const Translation& found : translator().translate(kWithPhrases, options)) {
    EXPECT_TRUE(found.text().starts_with("der hund")) << found.text();
    EXPECT_TRUE(contains(found.text(), "katze")) << found.text();
  }
  options.must_contain = {"der hund"};
  const auto found = translator().translate(kWithPhrases, options);
  options.must_contain.clear();
  expect_same(found, translator().translate(kWithPhrases, options));
  options.prefixes = {"der alte"};
  expect_error<DataError>([&] { translator().translate(kWithPhrases, options); },
                          {"the prefix contains a forbidden phrase"});
}

TEST(Phrases, ThatDoNotFitAreErrorsOfTheirLines) {
  std::istringstream stream("a cat\n");
  LineReader lines(stream, "in");
  TranslationOptions options = phrase_options({"der hund sieht die kleine katze"}, {});
  options.beam.max_length = 3;
  std::vector<std::string> errors;
  AnswerSink<Translation> sink{[](const Translation&) { ADD_FAILURE(); }};
  sink.reject = [&](const LineError& error) { errors.push_back(error.what()); };
  translator().translate(lines, sink, options);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].starts_with("in:1: phrases: expected room for the")) << errors[0];
}

TEST(Phrases, RefuseWhatCannotBe) {
  const auto refused = [](TranslationOptions options, std::string_view why) {
    expect_error<ConfigError>([&] { translator().translate(kWithPhrases, options); }, {why});
  };
  refused(phrase_options({"hund", " "}, {}), "must_contain: expected phrases, got an empty one");
  refused(phrase_options({}, {""}), "must_not_contain: expected phrases, got an empty one");
  refused(phrase_options({"Ж"}, {}), "no tokens for all characters of 'Ж'");
  refused(phrase_options({}, {"Ж"}), "must_not_contain: the model has no tokens");
  refused(phrase_options({"der hund"}, {"hund"}),
          "must_contain: 'der hund' contains a phrase of must_not_contain");
  refused(phrase_options(std::vector<std::string>(257, "hund"), {}), "at most 256 phrases");
  std::string endless;
  for (int i = 0; i < 101; ++i) endless += "hund ";
  refused(phrase_options({endless}, {}), "at most 100 tokens");
  TranslationOptions sampled = phrase_options({"hund"}, {});
  sampled.sampling = SamplingOptions{};
  refused(sampled, "expected beam search");
  TranslationModel silent = small_model();
  silent.suppressed = {silent.tgt_tokenizer.encode("hund").back()};
  expect_error<ConfigError>([&] { phrase_rules(phrase_options({"hund"}, {}), silent); },
                            {"the model never writes", "which is part of 'hund'"});
  TranslationOptions listed = phrase_options({"hund"}, {});
  listed.shortlist = true;
  expect_error<ConfigError>([&] { phrase_rules(listed, silent); }, {"shortlist leaves only some"});
  listed = phrase_options({}, {"hund"});
  listed.shortlist = true;
  EXPECT_NE(phrase_rules(listed, silent), nullptr);
  EXPECT_EQ(phrase_rules(phrase_options({}, {}), silent), nullptr);
}

}  // namespace
}  // namespace attend
