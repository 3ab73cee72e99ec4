#include "attend/tasks/preparation/prepared_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/language/preparation.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/translation/preparation.h"
#include "attend/tasks/translation/training/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/made_up_corpus.h"
#include "tasks/model_checkpoint.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class PreparedTexts : public FolderTest {
 protected:
  PreparedTexts() {
    const MadeUpCorpus corpus(40);
    write(path("train.en"), corpus.src);
    write(path("train.de"), corpus.tgt);
    options_.data.src_train = {path("train.en").string()};
    options_.data.tgt_train = {path("train.de").string()};
    options_.data.length.max_length = 40;
    options_.vocabulary.tokenizer.vocab_size = 40;
  }

  // The folder of the text, prepared with these options.
  std::string prepared(const std::string& name, const TranslationPreparation& options) const {
    TranslationPreparation into = options;
    into.preparation.out = path(name).string();
    prepare_text(into);
    return into.preparation.out;
  }
  // Those of another text, in the vocabulary of a folder.
  TranslationPreparation of_text(const std::string& src, const std::string& tgt,
                                 const std::string& vocabulary) const {
    write(path("other.en"), src);
    write(path("other.de"), tgt);
    TranslationPreparation options = options_;
    options.data.src_train = {path("other.en").string()};
    options.data.tgt_train = {path("other.de").string()};
    options.preparation.tokenizer_from = vocabulary;
    return options;
  }
  static PreparedText opened(const std::vector<std::string>& folders) {
    return open_prepared(folders, "translation");
  }
  void change_manifest(const std::string& folder, const char* group, const char* name, int value) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(read(manifest_file(folder)));
    json[group][name] = value;
    write(manifest_file(folder), json.dump());
  }

  TranslationPreparation options_;
};

TEST_F(PreparedTexts, OfSeveralFoldersHaveTheSumsOfTheirCounts) {
  const std::string first = prepared("first", options_);
  const std::string second =
      prepared("second", of_text("old\n\ndogs\nsee\n", "the\nthe\n\n\n", first));
  const PreparedText both = opened({first, second});
  const ReadReport& all = both.manifest.pairs;
  EXPECT_EQ(all.pairs, 44);
  EXPECT_EQ(all.kept, 41);
  EXPECT_EQ(all.empty_src, 1);
  EXPECT_EQ(all.empty_tgt, 2);
  EXPECT_EQ(both.samples, (std::vector<std::int64_t>{40, 1}));
  EXPECT_EQ(both.manifest.samples(), 41);
  EXPECT_EQ(both.shards.size(), 2u);
}

TEST_F(PreparedTexts, NameTheFirstPairOfAllThatWasTooLong) {
  const std::string vocabulary = prepared("vocabulary", options_);
  std::string longest = "old";
  for (int i = 0; i < 60; ++i) longest += " old";
  const auto of_long_line = [&](const std::string& name, const std::string& before) {
    return prepared(name, of_text(before + longest + "\n", before + "the\n", vocabulary));
  };
  const std::string first = of_long_line("first", "old\n"),
                    second = of_long_line("second", "old\nold\n");
  const ReadReport& report = opened({vocabulary, first, second}).manifest.pairs;
  EXPECT_EQ(report.over_long, 2);
  EXPECT_EQ(report.first_over_long, path("other.en").string() + ":2");
  options_.data.length.over_long = OverLong::truncate;
  const std::string cut = of_long_line("cut", "old\n");
  EXPECT_EQ(opened({cut, of_long_line("cut_too", "old\n")}).manifest.pairs.truncated, 2);
}

TEST_F(PreparedTexts, OfSeveralFoldersHaveThePropertiesOfAllOfThem) {
  const std::string small = prepared("small", options_);
  EXPECT_TRUE(load_manifest(small).text_kinds.at("src").lowercased);
  // Ten lines with capitals, half of whose characters are unknown.
  std::string src, tgt;
  for (int i = 0; i < 10; ++i) {
    src += "Old Dogs \u4e00\u4e01\u4e02\u4e03\n";
    tgt += "the old dogs\n";
  }
  const std::string capitals = prepared("capitals", of_text(src, tgt, small));
  const auto kind = [](const PreparedManifest& manifest) { return manifest.text_kinds.at("src"); };
  const TextKind one = kind(load_manifest(small)), other = kind(load_manifest(capitals));
  ASSERT_FALSE(other.lowercased);
  ASSERT_GT(other.unknown, one.unknown + 0.1);
  for (const auto& folders : {std::vector{small, capitals}, std::vector{capitals, small}}) {
    const TextKind all = kind(opened(folders).manifest);
    EXPECT_FALSE(all.lowercased);
    EXPECT_NEAR(all.unknown, (40 * one.unknown + 10 * other.unknown) / 50, 1e-9);
  }
  EXPECT_TRUE(kind(opened({small, prepared("again", options_)}).manifest).lowercased);
}

TEST_F(PreparedTexts, AreTokenizedIfAllOfThemAre) {
  const std::string vocabulary = prepared("vocabulary", options_);
  std::string apart, beside;
  for (int i = 0; i < 10; ++i) {
    apart += "old dogs , small cats .\n";
    beside += "old dogs, small cats.\n";
  }
  const std::string tokenized = prepared("tokenized", of_text(apart, apart, vocabulary)),
                    plain = prepared("plain", of_text(beside, beside, vocabulary));
  const auto is_tokenized = [](const std::vector<std::string>& folders) {
    return opened(folders).manifest.text_kinds.at("src").tokenized;
  };
  EXPECT_TRUE(is_tokenized({tokenized}));
  EXPECT_FALSE(is_tokenized({tokenized, plain}));
  EXPECT_FALSE(is_tokenized({plain, tokenized}));
}

TEST_F(PreparedTexts, BelongTogetherOnlyWithTheSameSettings) {
  const std::string first = prepared("first", options_);
  options_.preparation.tokenizer_from = first;
  const auto expect_refused = [&](const TranslationPreparation& options, const std::string& name,
                                  std::initializer_list<std::string_view> why) {
    const std::string folder = prepared(name, options);
    expect_error<ConfigError>([&] { opened({first, folder}); }, why);
  };
  TranslationPreparation other = options_;
  other.data.length.max_length = 41;
  expect_refused(other, "longer", {"longer", "max_length"});
  other = options_;
  other.data.length.over_long = OverLong::truncate;
  expect_refused(other, "truncated", {"truncated", "over_long"});
  other = options_;
  other.vocabulary.tokenizer.pretokenized = true;
  expect_refused(other, "pretokenized", {"pretokenized", "the same vocabularies"});
  EXPECT_EQ(opened({first, prepared("same", options_)}).shards.size(), 2u);
}

// The sources are the same, and so is their vocabulary.
TEST_F(PreparedTexts, BelongTogetherOnlyWithTheSameTargetVocabulary) {
  options_.vocabulary.joint_vocabulary = false;
  const std::string first = prepared("first", options_);
  write(path("third.de"), MadeUpCorpus(40).labeled);
  TranslationPreparation other = options_;
  other.data.tgt_train = {path("third.de").string()};
  const std::string second = prepared("second", other);
  const PreparedText text = opened({first}), turned = opened({second});
  ASSERT_EQ(text.vocabularies.src.bytes(), turned.vocabularies.src.bytes());
  ASSERT_NE(text.vocabularies.tgt.bytes(), turned.vocabularies.tgt.bytes());
  expect_error<ConfigError>([&] { opened({first, second}); }, {"the same vocabularies"});
  const auto [src, tgt] = turned.vocabularies;
  expect_error<ConfigError>([&] { require_vocabularies(text, src, tgt, "model"); },
                            {"first", "model"});
  EXPECT_NO_THROW(require_vocabularies(turned, src, tgt, "model"));
}

TEST_F(PreparedTexts, AreForTheirTask) {
  const std::string folder = prepared("pairs", options_);
  expect_error<ConfigError>([&] { open_prepared({folder}, "lm"); },
                            {"attend prepare lm", "translation"});
  change_manifest(folder, "format", "sequences", 1);
  expect_error<DataError>([&] { opened({folder}); }, {"manifest.json", "samples of 2"});
}

TEST_F(PreparedTexts, TakeBothVocabulariesOfAModel) {
  const TranslationModel model = small_model();
  save_checkpoint(path("model.safetensors"), checkpoint_of(model));
  const Vocabularies both = vocabularies_from(path("model.safetensors"));
  EXPECT_EQ(both.src.bytes(), model.src_tokenizer.bytes());
  EXPECT_EQ(both.tgt.bytes(), model.tgt_tokenizer.bytes());
}

// A target vocabulary whose ids need more than two bytes, beside a small one of the source.
TEST_F(PreparedTexts, KeepTheIdsOfTheLargerVocabulary) {
  options_.vocabulary.joint_vocabulary = false;
  const std::string given = prepared("given", options_);
  PreparedManifest manifest = load_manifest(given);
  Vocabularies vocabularies = load_vocabularies(given, manifest);
  std::vector<std::string> lines;
  for (int i = 0; i < 70'000; ++i) lines.push_back(fmt::format("w{}", i));
  TokenizerOptions of_words;
  of_words.type = TokenizerType::word;
  of_words.vocab_size = 70'004;
  vocabularies.tgt = Tokenizer::train(lines, of_words);
  save_vocabularies(vocabularies, given, manifest);
  write(manifest_file(given), manifest_json(manifest));
  const std::int32_t last = vocabularies.tgt.vocab_size() - 1;
  const std::string word = vocabularies.tgt.decode(std::span(&last, 1));
  const PreparedText text = opened({prepared("words", of_text("old\n", word + "\n", given))});
  ShardReader::Sample sample;
  text.shards[0]->read(0, sample);
  EXPECT_EQ(sample.sequence(1)[0], last) << word;
}

TEST_F(PreparedTexts, SettleTheOptionsOfATraining) {
  options_.vocabulary.joint_vocabulary = false;
  options_.vocabulary.tokenizer.type = TokenizerType::chars;
  options_.vocabulary.tokenizer.pretokenized = true;
  options_.data.length.over_long = OverLong::truncate;
  TranslationTraining training;
  training.data.prepared = {prepared("pairs", options_)};
  EXPECT_EQ(adopt_prepared(training), training.data.prepared.front());
  EXPECT_FALSE(training.vocabulary.joint_vocabulary);
  EXPECT_EQ(training.vocabulary.tokenizer.type, TokenizerType::chars);
  EXPECT_EQ(training.vocabulary.tokenizer.vocab_size,
            opened(training.data.prepared).vocabularies.tgt.vocab_size());
  EXPECT_TRUE(training.vocabulary.tokenizer.pretokenized);
  EXPECT_EQ(training.data.length.max_length, 40);
  EXPECT_EQ(training.data.length.over_long, OverLong::truncate);

  LanguagePreparation lines;
  lines.data.train = options_.data.src_train;
  lines.vocabulary = options_.vocabulary.tokenizer;
  lines.preparation.out = path("lines").string();
  EXPECT_TRUE(prepare_text(lines).manifest.vocabulary.pretokenized);
  LanguageTraining of_lines;
  of_lines.data.prepared = {lines.preparation.out};
  adopt_prepared(of_lines);
  EXPECT_EQ(of_lines.vocabulary.type, TokenizerType::chars);
  EXPECT_TRUE(of_lines.vocabulary.pretokenized);
}

}  // namespace
}  // namespace attend
