// Encoder-decoders of several languages and for summaries as transformers writes them
// (tools/make_translation_fixtures.py): what families_test does not compare with transformers.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

ImportedModel imported_fixture(const std::string& name, const LanguagePair& languages = {}) {
  return import_model(ModelDirectory(fixture("models") / name), {languages});
}

TEST(ImportedLanguages, AreThoseOfTheTokenizer) {
  const TranslationModel nllb = translation_model(imported_fixture("nllb").checkpoint);
  ASSERT_EQ(nllb.format.languages.size(), 3u);
  EXPECT_EQ(nllb.format.languages[0].name, "deu_Latn");
  EXPECT_EQ(nllb.format.defaults.source, "eng_Latn");
  EXPECT_EQ(nllb.format.defaults.target, "deu_Latn");
  EXPECT_EQ(translation_model(imported_fixture("m2m_100").checkpoint).format.languages.size(),
            100u);
  EXPECT_EQ(translation_model(imported_fixture("mbart").checkpoint).format.languages.size(), 25u);
  EXPECT_EQ(translation_model(imported_fixture("mbart50").checkpoint).format.languages.size(), 52u);
  EXPECT_TRUE(translation_model(imported_fixture("bart").checkpoint).format.languages.empty());
}

TEST(ImportedLanguages, CanBeGivenAsDefaults) {
  const TranslationEngine engine(
      translation_model(imported_fixture("nllb", {"deu_Latn", "fra_Latn"}).checkpoint));
  const std::vector<std::string> text{"A man is walking."};
  TranslationOptions options = engine.default_options();
  const float of_defaults = engine.translate(text, options)[0].candidates[0].log_probability;
  options.languages = {"deu_Latn", "fra_Latn"};
  EXPECT_EQ(engine.translate(text, options)[0].candidates[0].log_probability, of_defaults);
  options.languages = {"eng_Latn", "fra_Latn"};
  EXPECT_NE(engine.translate(text, options)[0].candidates[0].log_probability, of_defaults);
  expect_error<ConfigError>(
      [] {
        imported_fixture("nllb", {"eng_Latn", "fra_Latin"});
      },
      {"tgt_lang", "did you mean fra_Latn?"});
  expect_error<ConfigError>(
      [] {
        imported_fixture("gpt2", {"en", ""});
      },
      {"expected a translation model"});
}

TEST(ImportedLanguages, OfAModelOfOnePairAreKept) {
  const auto languages = [](const ImportedModel& imported) {
    const auto kinds = load_model(imported.checkpoint)->text_kinds;
    return kinds.empty() ? "" : kinds.at("src").language + " to " + kinds.at("tgt").language;
  };
  EXPECT_EQ(languages(imported_fixture("marian")), "en to de");
  EXPECT_EQ(languages(imported_fixture("marian", {"en-GB", ""})), "en-GB to de");
  EXPECT_EQ(languages(imported_fixture("bart")), "");
  EXPECT_EQ(languages(imported_fixture("bart", {"ro", "en"})), "ro to en");
}

TEST(ImportedTokenizers, AreFilledUpToTheEmbeddingsAndTheRestIsNeverWritten) {
  const ImportedModel imported = imported_fixture("m2m_100");
  ASSERT_EQ(imported.remarks.size(), 1u);
  EXPECT_NE(imported.remarks[0].find("8 of the 173 embeddings"), std::string::npos);
  const TranslationModel model = translation_model(imported.checkpoint);
  EXPECT_EQ(model.tgt_tokenizer.vocab_size(), 173);
  EXPECT_EQ(model.suppressed.size(), 8u);
  EXPECT_TRUE(imported_fixture("mbart").remarks.empty());
}

TEST(ImportedSummarizers, SearchAsTheModelWasMadeTo) {
  const TranslationEngine engine(translation_model(imported_fixture("bart").checkpoint));
  const BeamSearchOptions beam = engine.default_options().beam;
  EXPECT_EQ(beam.beam_size, 4);
  EXPECT_FLOAT_EQ(beam.length_penalty, 2.0f);
  EXPECT_EQ(beam.no_repeat_ngram, 2);
  EXPECT_EQ(beam.min_length, 3) << "without the start and the forced first token";
  const Translation found = engine.translate(std::vector<std::string>{"A man is walking."})[0];
  EXPECT_GE(found.candidates[0].tokens.size(), 3u);
}

// A piece of the target half of a joint vocabulary that is one character, which transformers looks
// up although the source's model does not have it.
TEST(ImportedMarianVocabulary, KnowsTheCharactersOfBothLanguages) {
  const TranslationModel model = translation_model(imported_fixture("marian").checkpoint);
  const std::int32_t sharp = model.src_tokenizer.id("ß");
  ASSERT_NE(sharp, model.src_tokenizer.unk_id());
  const std::vector<std::int32_t> ids = model.src_tokenizer.encode("ß");
  EXPECT_EQ(ids.back(), sharp);
  EXPECT_EQ(model.src_tokenizer.encode("the Ω").back(), model.src_tokenizer.unk_id());
}

using DamagedTranslationFamily = DamagedDirectory;

// OPUS-MT models of several target languages name them before the source.
TEST_F(DamagedTranslationFamily, OfMarianWithTargetLanguagesReadsThemBeforeASource) {
  copy("marian");
  replace("vocab.json", "\"▁weiß\"", "\">>ita<<\"");
  replace("vocab.json", "\"▁Hund\"", "\">>fra<<\"");
  const TranslationModel model = translation_model(imported().checkpoint);
  ASSERT_EQ(model.format.languages.size(), 2u);
  EXPECT_EQ(model.format.languages[0].name, "fra");
  EXPECT_EQ(model.format.of({"", "ita"}).before_source,
            std::vector{model.src_tokenizer.id(">>ita<<")});
  const TranslationEngine engine(model);
  const std::vector<std::string> text{"A man is walking."};
  TranslationOptions options = engine.default_options();
  options.languages.target = "fra";
  const float french = engine.translate(text, options)[0].candidates[0].log_probability;
  options.languages.target = "ita";
  EXPECT_NE(engine.translate(text, options)[0].candidates[0].log_probability, french);
  EXPECT_THROW(engine.translate(text), ConfigError);
  const std::filesystem::path written = scratch("marian_languages");
  write_model_directory(export_model(imported().checkpoint), written);
  const Checkpoint again = import_model(ModelDirectory(written)).checkpoint;
  EXPECT_EQ(again.metadata, imported().checkpoint.metadata);
  std::filesystem::remove_all(written);
}

TEST_F(DamagedTranslationFamily, IsRefusedWithoutItsVocabulary) {
  copy("m2m_100");
  std::filesystem::remove(folder_ / "vocab.json");
  expect_refused({"vocab.json"});
  copy("mbart50");
  std::filesystem::remove(folder_ / "tokenizer.json");
  std::filesystem::remove(folder_ / "tokenizer_config.json");
  expect_refused({"tokenizer.json", "sentencepiece.bpe.model"});
}

// transformers splits the text at such tokens.
TEST_F(DamagedTranslationFamily, IsRefusedForAddedTokensThatItsClassDoesNotRead) {
  const auto add = [&](const char* name, const char* content) {
    std::ofstream(folder_ / name) << content;
  };
  copy("marian");
  add("added_tokens.json", R"({"<tool>": 103})");
  expect_refused({"the token '<tool>'", "not supported"});
  copy("marian");
  add("special_tokens_map.json", R"({"eos_token": "</s>", "additional_special_tokens": ["<x>"]})");
  expect_refused({"the token '<x>'", "not supported"});
  copy("m2m_100");
  replace("tokenizer_config.json", "\"extra_special_tokens\": []",
          "\"extra_special_tokens\": [\"__de__\", {\"content\": \"<new>\"}]");
  expect_refused({"the token '<new>'", "not supported"});
}

TEST_F(DamagedTranslationFamily, IsRefusedForPositionsThatDoNotFit) {
  copy("bart");
  replace("config.json", "\"max_position_embeddings\": 48", "\"max_position_embeddings\": 50");
  expect_refused({"embed_positions.weight", "[52, 16]", "[50, 16]"});
}

TEST_F(DamagedTranslationFamily, IsRefusedForFewerEmbeddingsThanPieces) {
  copy("m2m_100");
  replace("config.json", "\"vocab_size\": 173", "\"vocab_size\": 120");
  expect_refused({"120 embeddings", "165 pieces"});
}

TEST_F(DamagedTranslationFamily, IsRefusedForDecodingThatWouldWriteSomethingElse) {
  copy("bart");
  replace("generation_config.json", "\"min_length\": 5", "\"repetition_penalty\": 1.5");
  expect_refused({"generation_config.json", "repetition_penalty", "1.5"});
  copy("bart");
  replace("generation_config.json", "\"min_length\": 5", "\"bad_words_ids\": [[4, 5]]");
  expect_refused({"generation_config.json", "bad_words_ids", "single tokens"});
  copy("bart");
  replace("generation_config.json", "\"min_length\": 5", "\"newest_trick\": 5");
  expect_refused({"generation_config.json", "newest_trick"});
}

TEST_F(DamagedTranslationFamily, IsRefusedWithoutATokenThatTheDecoderBeginsWith) {
  copy("pegasus");
  replace("config.json", "\"decoder_start_token_id\": 0", "\"decoder_start_token_id\": null");
  replace("generation_config.json", "\"decoder_start_token_id\": 0",
          "\"decoder_start_token_id\": null");
  expect_refused({"decoder_start_token_id"});
}

}  // namespace
}  // namespace attend
