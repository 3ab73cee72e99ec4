#include "attend/tasks/translation/pair_format.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/tasks/translation/engine.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;

// As NLLB has them: the language of the source before it, that of the target behind the start.
PairFormat three_languages() {
  PairFormat format;
  format.marks = {{PairFormat::kSourceLanguage}, {3}, {3, PairFormat::kTargetLanguage}};
  format.languages = {{"deu_Latn", 10}, {"eng_Latn", 11}, {"fra_Latn", 12}};
  return format;
}

// As OPUS-MT has them: the language of the target before the source.
PairFormat into_two_languages() {
  PairFormat format;
  format.marks = {{PairFormat::kTargetLanguage}, {3}, {2}};
  format.languages = {{"fra", 7}, {"ita", 8}};
  return format;
}

TEST(PairFormat, PutsTheTokensOfTheLanguagesWhereTheModelReadsThem) {
  const PairSpecialTokens marks = three_languages().of({"eng_Latn", "fra_Latn"});
  EXPECT_EQ(marks.around({40, 41}), (Tokens{11, 40, 41, 3}));
  EXPECT_EQ(marks.before_target, (Tokens{3, 12}));
  EXPECT_EQ(marks.of_source(), 2);
  EXPECT_EQ(marks.of_target(), 2);
  EXPECT_EQ(into_two_languages().of({"", "ita"}).around({40}), (Tokens{8, 40, 3}));
}

TEST(PairFormat, TakesTheDefaultForALanguageThatIsNotNamed) {
  PairFormat format = three_languages();
  format.set_defaults({"deu_Latn", "eng_Latn"});
  EXPECT_EQ(format.of({}).before_source, (Tokens{10}));
  EXPECT_EQ(format.of({}).before_target, (Tokens{3, 11}));
  EXPECT_EQ(format.of({"fra_Latn", ""}).before_source, (Tokens{12}));
  format.set_defaults({"", "fra_Latn"});
  EXPECT_EQ(format.of({}).before_source, (Tokens{10})) << "what is not named stays";
  EXPECT_EQ(format.of({}).before_target, (Tokens{3, 12}));
}

TEST(PairFormat, AsksForALanguageThatHasNoDefault) {
  expect_error<ConfigError>(
      [] {
        three_languages().of({"eng_Latn", ""});
      },
      {"tgt_lang", "several languages", "deu_Latn, eng_Latn, fra_Latn"});
  EXPECT_EQ(three_languages().of_any().before_target, (Tokens{3, 10})) << "the first one";
}

TEST(PairFormat, NamesLanguagesNearAnUnknownOne) {
  expect_error<ConfigError>(
      [] {
        three_languages().of({"eng_Latin", "deu_Latn"});
      },
      {"src_lang", "'eng_Latin'", "did you mean eng_Latn?"});
  expect_error<ConfigError>(
      [] {
        three_languages().of({"en", "deu_Latn"});
      },
      {"src_lang", "it has eng_Latn and others"});
  expect_error<ConfigError>(
      [] {
        three_languages().of({"xx", "deu_Latn"});
      },
      {"it has deu_Latn, eng_Latn, fra_Latn"});
  expect_error<ConfigError>(
      [] {
        three_languages().set_defaults({"", "french"});
      },
      {"tgt_lang", "fra_Latn"});
}

TEST(PairFormat, RefusesALanguageWhereThereIsNoneToChoose) {
  expect_error<ConfigError>(
      [] {
        small_model().format.of({"en", ""});
      },
      {"src_lang", "one pair of languages"});
  expect_error<ConfigError>(
      [] {
        into_two_languages().of({"eng", "fra"});
      },
      {"src_lang", "by itself"});
}

TEST(PairFormat, IsTheSameWhenItIsReadAgain) {
  PairFormat format = three_languages();
  format.set_defaults({"eng_Latn", ""});
  const std::string json = pair_format_json(format);
  const PairFormat read = read_pair_format(json, {20, 20}, "here");
  EXPECT_EQ(pair_format_json(read), json);
  EXPECT_EQ(read.of({"", "fra_Latn"}).around({5}), (Tokens{11, 5, 3}));
}

TEST(PairFormat, HasTheContextOfTheTraining) {
  PairFormat format = three_languages();
  EXPECT_EQ(pair_format_json(format).find("context"), std::string::npos);
  format.context = {2, 3, 255};
  const std::string json = pair_format_json(format);
  EXPECT_EQ(pair_format_json(read_pair_format(json, {20, 20}, "here")), json);
  format.context.separator = 20;
  expect_error<DataError>(
      [&] {
        read_pair_format(pair_format_json(format), {20, 20}, "here");
      },
      {"here", "separator"});
}

TEST(PairFormat, HasTheMarksOfInlineTerms) {
  PairFormat format = three_languages();
  EXPECT_EQ(pair_format_json(format).find("terms"), std::string::npos);
  format.terms = InlineTermMarks{4, 19};
  const std::string json = pair_format_json(format);
  EXPECT_EQ(read_pair_format(json, {20, 20}, "here").terms, format.terms);
  EXPECT_EQ(pair_format_json(read_pair_format(json, {20, 20}, "here")), json);
  expect_error<DataError>([&] { read_pair_format(json, {19, 20}, "here"); }, {"here", "end"});
}

TEST(PairFormat, IsRefusedWhenItNamesTokensOutsideTheVocabulary) {
  const std::string json = pair_format_json(three_languages());
  expect_error<DataError>([&] { read_pair_format(json, {12, 20}, "here"); }, {"here", "fra_Latn"});
  expect_error<DataError>([&] { read_pair_format(json, {20, 12}, "here"); }, {"here", "fra_Latn"});
  EXPECT_NO_THROW(read_pair_format(pair_format_json(into_two_languages()), {20, 5}, "here"))
      << "only the source has them";
}

TEST(PairFormat, IsRefusedWhenItIsDamaged) {
  for (const auto& [json, fragment] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[]", "here"},
           {R"({"behind_source": [3], "before_target": [2]})", "before_source"},
           {R"({"before_source": [], "behind_source": [3], "before_target": []})", "before_target"},
           {R"({"before_source": [-1], "behind_source": [3], "before_target": [2]})",
            "before_source"},
           {R"({"before_source": ["src"], "behind_source": [3], "before_target": [2]})",
            "before_source"},
           {R"({"before_source": ["source"], "behind_source": [3], "before_target": [2]})",
            "languages"},
           {R"({"before_source": ["source"], "behind_source": [3], "before_target": [2],
                "languages": {}, "defaults": ["", ""]})",
            "languages"},
           {R"({"before_source": ["source"], "behind_source": [3], "before_target": [2],
                "languages": {"": 5}, "defaults": ["", ""]})",
            "not empty"},
           {R"({"before_source": ["source"], "behind_source": [3], "before_target": [2],
                "languages": {"en": 5}, "defaults": ["de", ""]})",
            "defaults"},
           {R"({"before_source": ["source"], "behind_source": [3], "before_target": [2],
                "languages": {"en": 5}, "defaults": [""]})",
            "defaults"},
           {R"({"before_source": [], "behind_source": [3], "before_target": [2], "more": 1})",
            "more"}})
    expect_error<DataError>(
        [json = json] {
          read_pair_format(json, {20, 20}, "here");
        },
        {fragment});
}

TEST(PairFormat, IsKeptInTheModelFileOnlyIfItIsUnusual) {
  TranslationModel model = small_model();
  EXPECT_FALSE(model.configuration().contains("attend.pair_format"));
  model.format.marks.before_source = {5, PairFormat::kTargetLanguage};
  model.format.languages = {{"de", 6}, {"en", 7}};
  const Checkpoint checkpoint = checkpoint_of(model);
  ASSERT_TRUE(checkpoint.metadata.contains("attend.pair_format"));
  EXPECT_EQ(translation_model(checkpoint).format.of({"", "en"}).before_source, (Tokens{5, 7}));
}

// The same model asked for another language reads other tokens, and says something else.
TEST(PairFormat, DecidesWhatTheEngineReads) {
  TranslationModel model = small_model();
  const TranslationEngine plain(model);
  model.format = three_languages();
  model.format.marks.after_source = {model.src_tokenizer.eos_id()};
  const TranslationEngine engine(model);
  const std::vector<std::string> text{"the old dog sees the small cat"};
  TranslationOptions options = engine.default_options();
  options.languages = {"eng_Latn", "fra_Latn"};
  const Translation french = engine.translate(text, options)[0];
  EXPECT_EQ(french.source_tokens, plain.translate(text)[0].source_tokens)
      << "without the marks around them";
  options.languages.target = "deu_Latn";
  EXPECT_NE(engine.translate(text, options)[0].candidates[0].log_probability,
            french.candidates[0].log_probability);
  const std::vector<std::string> said{french.text()};
  options.languages.target = "fra_Latn";
  EXPECT_NE(engine.score(text, said, {}, options.languages)[0].log_probability,
            engine.score(text, said, {}, {"deu_Latn", "fra_Latn"})[0].log_probability);
  EXPECT_EQ(engine.score(text, said, {}, options.languages)[0].token_scores.size(),
            model.tgt_tokenizer.encode(said[0]).size() + 1)
      << "the marks are not scored";
  EXPECT_THROW(engine.translate(text), ConfigError);
}

}  // namespace
}  // namespace attend
