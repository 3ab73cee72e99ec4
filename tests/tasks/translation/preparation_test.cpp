#include "attend/tasks/translation/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attend/checkpoint/run_folder.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "core/gzip.h"
#include "core/zstd.h"
#include "tasks/made_up_corpus.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class TranslationPreparations : public FolderTest {
 protected:
  TranslationPreparations() {
    const MadeUpCorpus corpus(150);
    // An empty line on either side, and one that is too long.
    const std::string more_src = "\nold dogs\n" + long_line() + "\n",
                      more_tgt = "the old dogs\n\n" + long_line() + "\n";
    write(path("train.en"), corpus.src + more_src);
    write(path("train.de"), corpus.tgt + more_tgt);
    preparation_.data.data = training_.data.data = folder_.string();
    preparation_.data.src_train = training_.data.src_train = {"train.en"};
    preparation_.data.tgt_train = training_.data.tgt_train = {"train.de"};
    preparation_.data.length.max_length = training_.data.length.max_length = 40;
    preparation_.vocabulary.tokenizer.vocab_size = training_.vocabulary.tokenizer.vocab_size = 40;
    preparation_.preparation.out = path("prepared").string();
    preparation_.preparation.shard_samples = 60;
    TransformerConfig& model = training_.model.transformer;
    model.d_model = model.d_ff = 16;
    model.n_heads = 2;
    model.n_encoder_layers = model.n_decoder_layers = 1;
    training_.data.batch.batch_tokens = 100;
    training_.trainer.max_steps = 60;  // more than an epoch
    training_.trainer.max_epochs = 0;
    training_.trainer.valid_every = 0;
    training_.trainer.save_every = 20;
    training_.trainer.keep_checkpoints = 0;
  }

  static std::string long_line() {
    std::string line = "dogs";
    for (int i = 0; i < 60; ++i) line += " dogs";
    return line;
  }
  TranslationTraining from_disk(const std::vector<std::string>& folders = {"prepared"}) const {
    TranslationTraining training = training_;
    training.data.src_train = training.data.tgt_train = {};
    training.data.prepared = folders;
    return training;
  }
  void train(const TranslationTraining& training, const std::string& out,
             const std::string& resumed_step = "") const {
    std::optional<Checkpoint> resumed;
    if (!resumed_step.empty()) resumed = load_checkpoint(checkpoint(out, resumed_step));
    TrainingTask task = prepare_training(training, resumed ? &*resumed : nullptr);
    Trainer(*task.objective, training.trainer,
            run_of(task, RunFolder(path(out)), !resumed_step.empty()))
        .train();
  }
  std::filesystem::path checkpoint(const std::string& out, const std::string& step) const {
    return path(out) / "checkpoints" / fmt::format("step-{:0>8}.safetensors", step);
  }
  void expect_same_run(const std::string& a, const std::string& b) const {
    for (const char* step : {"20", "40", "60"})
      EXPECT_EQ(read(checkpoint(a, step)), read(checkpoint(b, step))) << step;
    EXPECT_EQ(read(path(a) / "model.safetensors"), read(path(b) / "model.safetensors"));
  }

  TranslationPreparation preparation_;
  TranslationTraining training_;
};

TEST_F(TranslationPreparations, LeadToTheSameBytesAsTheTextItself) {
  train(training_, "of_text");
  for (const bool joint : {true, false}) {
    if (!joint) {
      training_.vocabulary.joint_vocabulary = preparation_.vocabulary.joint_vocabulary = false;
      training_.model.transformer.tie_embeddings = TiedEmbeddings::target;
      preparation_.preparation.out = path("two").string();
      train(training_, "of_text_two");
    }
    const PreparationResult result = prepare_text(preparation_);
    EXPECT_EQ(result.manifest.pairs.summary(),
              "153 pairs: 150 kept; skipped: 1 with an empty source, 1 with an empty target, 1 "
              "over-long (the first: " +
                  path("train.en").string() + ":153)");
    EXPECT_EQ(result.manifest.shards.size(), 3u);
    EXPECT_EQ(result.learned_from, 153);
    train(from_disk({joint ? "prepared" : "two"}), joint ? "of_disk" : "of_disk_two");
    expect_same_run(joint ? "of_text" : "of_text_two", joint ? "of_disk" : "of_disk_two");
  }
}

TEST_F(TranslationPreparations, TruncateLongPairsAsTrainingDoes) {
  training_.data.length.over_long = preparation_.data.length.over_long = OverLong::truncate;
  const PreparationResult result = prepare_text(preparation_);
  EXPECT_EQ(result.manifest.pairs.truncated, 1);
  EXPECT_EQ(result.manifest.samples(), 151);
  train(training_, "of_text");
  train(from_disk(), "of_disk");
  expect_same_run("of_text", "of_disk");
}

TEST_F(TranslationPreparations, GoOnFromACheckpoint) {
  prepare_text(preparation_);
  train(from_disk(), "whole");
  train(from_disk(), "parts");
  for (const char* step : {"40", "60"}) std::filesystem::remove(checkpoint("parts", step));
  train(from_disk(), "parts", "20");
  expect_same_run("whole", "parts");
}

TEST_F(TranslationPreparations, ReadPackedText) {
  prepare_text(preparation_);
  write(path("train.en.gz"), gzip(read(path("train.en"))));
  write(path("train.de.zst"), zstd(read(path("train.de"))));
  preparation_.data.src_train = {"train.en.gz"};
  preparation_.data.tgt_train = {"train.de.zst"};
  preparation_.preparation.out = path("of_packed").string();
  prepare_text(preparation_);
  for (const char* file : {"00000.shard", "00001.shard", "00002.shard", "tokenizer"})
    EXPECT_EQ(read(path("of_packed") / file), read(path("prepared") / file)) << file;
}

TEST_F(TranslationPreparations, LearnTheVocabularyFromASample) {
  preparation_.preparation.sample_lines = 30;
  EXPECT_EQ(prepare_text(preparation_).learned_from, 30);
  preparation_.preparation.out = path("another").string();
  preparation_.preparation.seed = 2;
  prepare_text(preparation_);
  EXPECT_NE(read(path("prepared/tokenizer")), read(path("another/tokenizer")));
}

TEST_F(TranslationPreparations, TakeTheVocabularyOfAModelOrAFolder) {
  train(training_, "run");
  preparation_.preparation.tokenizer_from = path("run").string();
  EXPECT_EQ(prepare_text(preparation_).learned_from, 0);
  train(from_disk(), "of_disk");
  expect_same_run("run", "of_disk");
  preparation_.preparation.tokenizer_from = path("prepared").string();
  preparation_.preparation.out = path("again").string();
  prepare_text(preparation_);
  EXPECT_EQ(read(path("again/tokenizer")), read(path("prepared/tokenizer")));
}

TEST_F(TranslationPreparations, MixSeveralFoldersAsTheyMixFiles) {
  const MadeUpCorpus second(50);
  write(path("second.en"), second.tgt);
  write(path("second.de"), second.src);
  training_.data.src_train.push_back("second.en");
  training_.data.tgt_train.push_back("second.de");
  training_.data.mixture.weights = {"1", "3"};
  train(training_, "of_text");

  preparation_.preparation.tokenizer_from = path("of_text").string();
  prepare_text(preparation_);
  preparation_.data.src_train = {"second.en"};
  preparation_.data.tgt_train = {"second.de"};
  preparation_.preparation.out = path("second").string();
  prepare_text(preparation_);
  TranslationTraining both = from_disk({"prepared", "second"});
  TrainingTask of_disk = prepare_training(both, nullptr),
               of_text = prepare_training(training_, nullptr);
  for (const std::int64_t epoch : {0, 1, 4}) {
    ASSERT_EQ(of_disk.objective->batches(epoch), of_text.objective->batches(epoch));
    for (std::int64_t i = 0; i < of_text.objective->batches(epoch); ++i) {
      EXPECT_EQ(of_disk.objective->size(epoch, i).targets,
                of_text.objective->size(epoch, i).targets);
      EXPECT_EQ(of_disk.objective->size(epoch, i).sources,
                of_text.objective->size(epoch, i).sources);
    }
  }
  const auto has = [](const TrainingTask& task, const std::string& part) {
    return std::any_of(task.notes.begin(), task.notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(has(of_text, "second.en: 75.0 % of an epoch, 150 pairs, each 3 times"));
  EXPECT_TRUE(has(of_disk, "second: 75.0 % of an epoch, 150 pairs, each 3 times"));
  EXPECT_TRUE(has(of_disk, "in 4 shards"));
}

TEST_F(TranslationPreparations, LeaveNoFolderWhenTheTextIsBad) {
  write(path("train.de"), read(path("train.de")) + "\xff\n");
  EXPECT_THROW(prepare_text(preparation_), DataError);
  write(path("train.de"), std::string(153, '\n'));
  expect_error<DataError>([&] { prepare_text(preparation_); }, {"train.de", "blank lines"});
  preparation_.data.data = "";
  preparation_.data.src_train = {"-"};
  expect_error<ConfigError>([&] { prepare_text(preparation_); }, {"standard input"});
  preparation_.data.src_train = {};
  expect_error<ConfigError>([&] { prepare_text(preparation_); }, {"src_train"});
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_TRUE(entry.path().filename().string().starts_with("train.")) << entry.path();
}

TEST_F(TranslationPreparations, NeedAPairThatIsShortEnough) {
  preparation_.data.length.max_length = 2;
  expect_error<DataError>([&] { prepare_text(preparation_); }, {"train.en", "found none"});
  EXPECT_FALSE(std::filesystem::exists(path("prepared")));
}

TEST_F(TranslationPreparations, CountThePairsOfBothReadings) {
  std::int64_t pairs = 0;
  prepare_text(preparation_, [&pairs](std::int64_t more) { pairs += more; });
  EXPECT_EQ(pairs, 2 * 153);
}

TEST_F(TranslationPreparations, KnowTheLanguagesOfBothSides) {
  const auto languages = [&](const std::string& out) {
    preparation_.preparation.out = path(out).string();
    const auto kinds = prepare_text(preparation_).manifest.text_kinds;
    return kinds.at("src").language + " " + kinds.at("tgt").language;
  };
  EXPECT_EQ(languages("of_names"), "en de");
  preparation_.data.src_language = "fr";
  preparation_.data.tgt_language = "it";
  EXPECT_EQ(languages("of_options"), "fr it");
  TranslationTraining training = from_disk({"of_options"});
  const auto language = [&](const char* side) {
    return prepare_training(training, nullptr).model->text_kinds.at(side).language;
  };
  EXPECT_EQ(language("tgt"), "it");
  training.data.src_language = "es";
  training.data.tgt_language = "pt";
  EXPECT_EQ(language("src"), "es");
  EXPECT_EQ(language("tgt"), "pt");
}

TEST_F(TranslationPreparations, TakeTwoVocabulariesOfAModel) {
  training_.vocabulary.joint_vocabulary = preparation_.vocabulary.joint_vocabulary = false;
  training_.model.transformer.tie_embeddings = TiedEmbeddings::target;
  train(training_, "run");
  preparation_.preparation.tokenizer_from = path("run").string();
  prepare_text(preparation_);
  train(from_disk(), "of_disk");
  expect_same_run("run", "of_disk");
}

TEST_F(TranslationPreparations, DoNotWriteOverAFolder) {
  prepare_text(preparation_);
  write(path("train.de"), "\xff\n");  // which would be an error, too, but is not read yet
  expect_error<IoError>([&] { prepare_text(preparation_); }, {"prepared", "not empty"});
}

TEST_F(TranslationPreparations, NameADamagedShard) {
  prepare_text(preparation_);
  const auto damaged = [&](const char* file, std::size_t at) {
    const std::string whole = read(path("prepared") / file);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write(path("prepared") / file, bytes);
    expect_error<DataError>([&] { train(from_disk(), fmt::format("of_{}_{}", file, at)); },
                            {std::string("prepared/") + file, "attend prepare"});
    write(path("prepared") / file, whole);
  };
  damaged("00001.shard", 100);
  damaged("00001.shard", read(path("prepared/00001.shard")).size() - 1);
  damaged("tokenizer", 30);
  std::filesystem::resize_file(path("prepared/00002.shard"), 50);
  expect_error<DataError>([&] { prepare_training(from_disk(), nullptr); },
                          {"00002.shard", "truncated"});
  std::filesystem::remove(path("prepared/00002.shard"));
  expect_error<IoError>([&] { prepare_training(from_disk(), nullptr); }, {"00002.shard"});
}

TEST_F(TranslationPreparations, AreNotForOtherOptions) {
  prepare_text(preparation_);
  TranslationTraining training = from_disk();
  training.data.length.max_length = 41;
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); },
                            {"max_length 40", "max_length 41"});
  training = from_disk();
  training.vocabulary.bpe_dropout = 0.1f;
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); }, {"bpe_dropout"});
  training = from_disk();
  training.data.src_train = {"train.en"};
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); }, {"prepared", "both"});
}

TEST_F(TranslationPreparations, AreNotForAModelWithAnotherVocabulary) {
  train(training_, "run");
  preparation_.vocabulary.tokenizer.vocab_size = 30;
  prepare_text(preparation_);
  TranslationTraining training = from_disk();
  training.initial = std::make_shared<const Checkpoint>(load_checkpoint(path("run")));
  expect_error<ConfigError>([&] { prepare_training(training, nullptr); },
                            {"vocabulary", "tokenizer_from"});
}

TEST_F(TranslationPreparations, BelongTogetherOnlyWithOneVocabulary) {
  prepare_text(preparation_);
  preparation_.vocabulary.tokenizer.vocab_size = 30;
  preparation_.preparation.out = path("other").string();
  prepare_text(preparation_);
  expect_error<ConfigError>(
      [&] {
        prepare_training(from_disk({"prepared", "other"}), nullptr);
      },
      {"other", "tokenizer_from"});
}

}  // namespace
}  // namespace attend
