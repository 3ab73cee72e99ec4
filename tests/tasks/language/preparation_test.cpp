#include "attend/tasks/language/preparation.h"

#include <fmt/format.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/run_folder.h"
#include "attend/data/language.h"
#include "attend/data/stored/token_stream.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "tasks/made_up_corpus.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class LanguagePreparations : public FolderTest {
 protected:
  LanguagePreparations() {
    write(path("one.en"), MadeUpCorpus(150).src + "\n");
    write(path("two.en"), MadeUpCorpus(40).tgt);
    preparation_.data.data = training_.data.data = folder_.string();
    preparation_.data.train = training_.data.train = {"one.en", "two.en"};
    preparation_.vocabulary.vocab_size = training_.vocabulary.vocab_size = 40;
    preparation_.preparation.out = path("prepared").string();
    preparation_.preparation.shard_samples = 1;
    training_.model.d_model = training_.model.d_ff = 16;
    training_.model.n_heads = 2;
    training_.model.n_layers = 1;
    training_.data.windows.sequence_length = 20;
    training_.data.batch.batch_tokens = 100;
    training_.trainer.max_steps = 30;  // more than an epoch
    training_.trainer.max_epochs = 0;
    training_.trainer.valid_every = 0;
  }

  LanguageTraining from_disk() const {
    LanguageTraining training = training_;
    training.data.train = {};
    training.data.prepared = {"prepared"};
    return training;
  }
  std::string trained(const LanguageTraining& training, const std::string& out) const {
    TrainingTask task = prepare_training(training, nullptr);
    Trainer(*task.objective, training.trainer, run_of(task, RunFolder(path(out)), false)).train();
    return read(path(out) / "model.safetensors");
  }

  LanguagePreparation preparation_;
  LanguageTraining training_;
};

TEST_F(LanguagePreparations, LeadToTheSameBytesAsTheTextItself) {
  const PreparationResult result = prepare_text(preparation_);
  EXPECT_EQ(result.learned_from, 191);
  EXPECT_EQ(result.manifest.lines.lines, 191);
  EXPECT_EQ(result.manifest.lines.empty_lines, 1);
  EXPECT_GT(result.manifest.shards.size(), 1u);
  const TrainingTask of_text = prepare_training(training_, nullptr),
                     of_disk = prepare_training(from_disk(), nullptr);
  EXPECT_EQ(of_disk.notes.at(2), of_text.notes.at(2)) << "lines, words and tokens";
  EXPECT_EQ(trained(from_disk(), "of_disk"), trained(training_, "of_text"));
}

TEST_F(LanguagePreparations, LeadToTheSameBytesForDocuments) {
  const std::string corpus = MadeUpCorpus(150).src;
  for (DocumentOptions* units : {&preparation_.data.units, &training_.data.units}) {
    units->documents = true;
    units->document_end = corpus.substr(0, corpus.find('\n'));
  }
  preparation_.vocabulary =
      training_.vocabulary = {.type = TokenizerType::byte_bpe, .vocab_size = 280};
  for (TokenizerOptions* vocabulary : {&preparation_.vocabulary, &training_.vocabulary})
    vocabulary->normalization = Normalization::identity;
  const PreparationResult result = prepare_text(preparation_);
  EXPECT_GE(result.manifest.lines.documents, 2);
  const TrainingTask of_text = prepare_training(training_, nullptr),
                     of_disk = prepare_training(from_disk(), nullptr);
  EXPECT_EQ(of_disk.notes.at(2), of_text.notes.at(2));
  EXPECT_EQ(trained(from_disk(), "of_disk"), trained(training_, "of_text"));
  LanguageTraining adopted = from_disk();
  adopted.data.units = {};
  adopt_prepared(adopted);
  EXPECT_TRUE(adopted.data.units.documents);
}

TEST_F(LanguagePreparations, EndALineOnceWhereverAPartOfTheTextEnds) {
  std::string text;
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < kPreparedAtOnce + 1000; ++i) {
    lines.push_back(i % 7 == 0 ? "" : i % 2 == 0 ? "a" : "b a");
    text += lines.back() + "\n";
  }
  write(path("one.en"), text);
  preparation_.data.train = {"one.en"};
  preparation_.vocabulary.type = TokenizerType::chars;
  preparation_.preparation.shard_samples = 1000;
  prepare_text(preparation_);
  const PreparedText prepared = open_prepared({path("prepared").string()}, "lm");
  const StoredTokens stored(prepared.shards);
  const LanguageText whole = encode_language(lines, prepared.vocabularies.src);
  ASSERT_EQ(stored.size(), std::ssize(whole.stream));
  std::vector<std::int32_t> all(whole.stream.size());
  stored.read(0, all);
  EXPECT_EQ(all, whole.stream);
  EXPECT_EQ(prepared.manifest.lines.words, whole.words);
  EXPECT_EQ(prepared.manifest.lines.characters, whole.characters);
  EXPECT_EQ(prepared.manifest.lines.empty_lines, whole.empty_lines);
  EXPECT_EQ(prepared.manifest.lines.lines, std::ssize(lines));
}

TEST_F(LanguagePreparations, OfSeveralTextsAreJoinedOrMixedLikeTheTexts) {
  prepare_text(preparation_);  // of both: the vocabulary
  for (const char* const name : {"one", "two"}) {
    LanguagePreparation part = preparation_;
    part.data.train = {std::string(name) + ".en"};
    part.preparation.tokenizer_from = path("prepared").string();
    part.preparation.out = path(name).string();
    prepare_text(part);
  }
  LanguageTraining parts = from_disk(), text = training_;
  parts.data.prepared = {"one", "two"};
  const TrainingTask joined = prepare_training(parts, nullptr);
  EXPECT_EQ(joined.notes.at(2), prepare_training(text, nullptr).notes.at(2));
  EXPECT_EQ(trained(parts, "joined"), trained(text, "of_text"));
  parts.data.mixture.weights = text.data.mixture.weights = {"1", "3"};
  const TrainingTask mixed = prepare_training(parts, nullptr);
  EXPECT_NE(mixed.notes.at(4).find("one: 2"), std::string::npos) << mixed.notes.at(4);
  EXPECT_NE(mixed.notes.at(5).find("two: 7"), std::string::npos) << mixed.notes.at(5);
  EXPECT_EQ(trained(parts, "mixed"), trained(text, "mixed_text"));
  EXPECT_NE(read(path("mixed") / "model.safetensors"), read(path("joined") / "model.safetensors"));
}

TEST_F(LanguagePreparations, LearnTheVocabularyFromASample) {
  const auto vocabulary = [&](const std::string& out, std::uint64_t seed) {
    preparation_.preparation.out = path(out).string();
    preparation_.preparation.seed = seed;
    EXPECT_EQ(prepare_text(preparation_).learned_from, 20);
    return read(path(out) / "tokenizer");
  };
  preparation_.preparation.sample_lines = 20;
  const std::string first = vocabulary("first", 1);
  EXPECT_EQ(vocabulary("again", 1), first);
  EXPECT_NE(vocabulary("another", 2), first);
}

TEST_F(LanguagePreparations, CountTheLinesOfBothReadings) {
  std::int64_t lines = 0;
  prepare_text(preparation_, [&lines](std::int64_t more) { lines += more; });
  EXPECT_EQ(lines, 2 * 191);
}

TEST_F(LanguagePreparations, NeedOneVocabulary) {
  save_checkpoint(path("translator.safetensors"), checkpoint_of(small_model()));
  preparation_.preparation.tokenizer_from = path("translator.safetensors").string();
  expect_error<ConfigError>([&] { prepare_text(preparation_); },
                            {"tokenizer_from", "found two", "translator"});
}

TEST_F(LanguagePreparations, TakeTheLanguageThatTrainingNames) {
  preparation_.data.language = "de";
  prepare_text(preparation_);
  LanguageTraining training = from_disk();
  EXPECT_EQ(prepare_training(training, nullptr).model->text_kinds.at("text").language, "de");
  training.data.language = "fr";
  EXPECT_EQ(prepare_training(training, nullptr).model->text_kinds.at("text").language, "fr");
}

TEST_F(LanguagePreparations, RefuseWhatNeedsTheText) {
  prepare_text(preparation_);
  LanguageTraining training = from_disk();
  training.loss.output_sample = 10;
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); }, {"output_sample"});
  training = from_disk();
  training.data.train = {"one.en"};
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); }, {"train", "both"});
}

TEST_F(LanguagePreparations, NameADamagedShardAndAMissingText) {
  prepare_text(preparation_);
  std::string bytes = read(path("prepared/00000.shard"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write(path("prepared/00000.shard"), bytes);
  expect_error<DataError>([&] { prepare_training(from_disk(), nullptr); }, {"00000.shard"});
  write(path("one.en"), "\n");
  write(path("two.en"), " \n");
  preparation_.preparation.out = path("nothing").string();
  expect_error<DataError>([&] { prepare_text(preparation_); }, {"one.en", "blank lines"});
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

}  // namespace
}  // namespace attend
