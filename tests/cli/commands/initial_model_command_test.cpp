// attend train --init-from.
#include <algorithm>
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/translation/model.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class InitialModelCommand : public SmallRunTest {
 protected:
  const std::string directory_ =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/marian";

  // attend train translation --init-from MODEL, without any option of the architecture.
  std::vector<std::string> started_from(const std::string& model, const std::string& run,
                                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",       "translation", "--init-from",    model,
                                       "--data",      folder_,       "--src-train",    "train.en",
                                       "--tgt-train", "train.de",    "--src-valid",    "valid.en",
                                       "--tgt-valid", "valid.de",    "--batch-tokens", "512",
                                       "--out",       path(run),     "--warmup-steps", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // Trains a small model, and adapts it with soft targets of its own: at once, in two parts, and
  // without the targets, with other bytes.
  void expect_lessons(const std::string& task, std::vector<std::string> first,
                      const std::vector<std::string>& adapting) {
    first.insert(first.begin(), {"train", task, "--out", path("first")});
    first.insert(first.end(), {"--d-model", "16", "--n-heads", "2", "--d-ff", "16", "--tokenizer",
                               "chars", "--vocab-size", "60", "--max-steps", "10"});
    ASSERT_EQ(run(first), 0) << error_;
    const auto adapted = [&](const std::string& folder, const std::string& weight) {
      std::vector<std::string> arguments{"train",
                                         task,
                                         "--init-from",
                                         path("first"),
                                         "--out",
                                         path(folder),
                                         "--max-steps",
                                         "6",
                                         "--save-every",
                                         "2",
                                         "--warmup-steps",
                                         "2",
                                         "--max-epochs",
                                         "0",
                                         "--batch-tokens",
                                         "60",
                                         "--distill-weight",
                                         weight};
      arguments.insert(arguments.end(), adapting.begin(), adapting.end());
      return run(arguments);
    };
    ASSERT_EQ(adapted("whole", "0.5"), 0) << error_;
    ASSERT_EQ(adapted("parts", "0.5"), 0) << error_;
    for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
    ASSERT_EQ(run({"train", task, "--resume", "--out", path("parts")}), 0) << error_;
    EXPECT_NE(out_.find("from step 2"), std::string::npos) << out_;
    EXPECT_EQ(read(model("parts")), read(model("whole")));
    ASSERT_EQ(adapted("alone", "0"), 0) << error_;
    EXPECT_NE(read(model("alone")), read(model("whole")));
  }
};

TEST_F(InitialModelCommand, TrainsADirectoryOfAnotherProgramAndResumesToTheSameBytes) {
  const std::vector<std::string> settings{"--max-steps", "6",         "--save-every",
                                          "2",           "--dropout", "0.2"};
  std::filesystem::copy(directory_, path("original"));
  ASSERT_EQ(run(started_from(path("original"), "whole", settings)), 0) << error_;
  EXPECT_NE(out_.find("d-model 16"), std::string::npos) << out_;
  ASSERT_EQ(run(started_from(path("original"), "parts", settings)), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  std::filesystem::remove_all(path("original"));  // the checkpoints have all that is needed
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 2"), std::string::npos) << out_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  const Checkpoint trained = load_checkpoint(path("whole"));
  EXPECT_NE(trained.text("attend.config").find("\"dropout\":0.2"), std::string::npos);
  EXPECT_EQ(trained.text("attend.suppressed_tokens"), "[102]");
  EXPECT_NE(read(path("whole/config.toml")).find("d-model = 16"), std::string::npos);
  for (const std::string& file : {path("parts"), path("whole")})
    for (const int step : {2, 4, 6})
      std::filesystem::remove(checkpoint(std::filesystem::path(file).filename(), step));
  // Without a checkpoint there is nothing to go on with but the model that is gone.
  EXPECT_NE(run({"train", "translation", "--resume", "--out", path("parts")}), 0);
  EXPECT_NE(error_.find("original"), std::string::npos) << error_;
}

TEST_F(InitialModelCommand, StartsFromAModelOfAttendWhereItEnded) {
  ASSERT_EQ(run(training("first", {"--max-steps", "20", "--learning-rate", "0.01"})), 0) << error_;
  ASSERT_EQ(
      run(started_from(path("first"), "second", {"--max-steps", "1", "--learning-rate", "1e-12"})),
      0)
      << error_;
  const Checkpoint first = load_checkpoint(path("first")), second = load_checkpoint(path("second"));
  EXPECT_EQ(second.text("attend.config"), first.text("attend.config"));
  for (const NamedTensor& tensor : first.tensors) {
    if (tensor.tensor.dtype() != DType::f32) continue;
    const std::vector<float> before = tensor.tensor.to_vector(),
                             after = second.tensor(tensor.name).to_vector();
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-6);
  }
}

TEST_F(InitialModelCommand, MapsAnotherVocabularyByTheNamesOfItsPieces) {
  ASSERT_EQ(run(training("first", {"--max-steps", "2"})), 0) << error_;
  ASSERT_EQ(run(training("other", {"--max-steps", "2", "--vocab-size", "200"})), 0) << error_;
  const std::vector<std::string> few{"--max-steps", "2", "--learning-rate", "1e-12"};
  const auto with_vocabulary = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return run(started_from(path("first"), "second", more));
  };
  ASSERT_EQ(with_vocabulary({"--init-vocabulary", path("other")}), 0) << error_;
  EXPECT_NE(out_.find(" of 200 pieces keep their vectors ("), std::string::npos) << out_;
  const Checkpoint first = load_checkpoint(path("first")), other = load_checkpoint(path("other")),
                   second = load_checkpoint(path("second"));
  EXPECT_EQ(tensor_bytes(second.tensor("tokenizer")), tensor_bytes(other.tensor("tokenizer")));
  EXPECT_EQ(second.tensor("embedding.weight").shape(), (Shape{200, 16}));
  const char* const above = "decoder.layers.0.feed_forward.linear1.weight";
  const auto before = first.tensor(above).to_vector(), after = second.tensor(above).to_vector();
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-6);

  ASSERT_EQ(run({"train", "translation", "--resume", "--max-steps", "3", "--out", path("second")}),
            0)
      << error_;
  std::filesystem::remove_all(path("second"));
  EXPECT_EQ(with_vocabulary({"--init-vocabulary", path("other"), "--lora-rank", "2"}), 2);
  EXPECT_NE(error_.find("init-vocabulary: expected none with adapters"), std::string::npos);
  EXPECT_EQ(with_vocabulary({"--init-vocabulary", path("other"), path("other")}), 2);
  EXPECT_NE(error_.find("has one vocabulary"), std::string::npos) << error_;
  EXPECT_EQ(run(training("third", {"--init-vocabulary", path("other")})), 2);
  EXPECT_NE(error_.find("--init-from"), std::string::npos) << error_;
}

// The teacher is the model of --init-from, which a resumed run needs, too.
TEST_F(InitialModelCommand, LearnsFromTheOldModelAndResumesToTheSameBytes) {
  ASSERT_EQ(run(training("first", {"--max-steps", "10"})), 0) << error_;
  const std::vector<std::string> settings{
      "--distill-weight",   "0.5",     "--src-replay", "valid.en", "--tgt-replay",       "valid.de",
      "--max-steps",        "6",       "--save-every", "2",        "--src-replay-valid", "valid.en",
      "--tgt-replay-valid", "valid.de"};
  ASSERT_EQ(run(started_from(path("first"), "whole", settings)), 0) << error_;
  EXPECT_NE(out_.find("old text before training: perplexity "), std::string::npos) << out_;
  EXPECT_NE(out_.find("old_bleu"), std::string::npos) << out_;
  ASSERT_EQ(run(started_from(path("first"), "parts", settings)), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

// A smaller model learns from two, whose vocabulary it gets.
TEST_F(InitialModelCommand, LearnsFromTeachersAndResumesToTheSameBytes) {
  ASSERT_EQ(run(training("one", {"--max-steps", "10"})), 0) << error_;
  ASSERT_EQ(run(training("two", {"--max-steps", "10", "--seed", "2", "--teachers", path("one"),
                                 "--distill-weight", "0.5"})),
            0)
      << error_;
  const auto taught = [&](const char* folder, std::vector<std::string> more = {}) {
    std::vector<std::string> options{"--max-steps",      "6",   "--save-every", "2",
                                     "--distill-weight", "0.5", "--teachers",   path("one"),
                                     path("two")};
    options.insert(options.end(), more.begin(), more.end());
    return run(training(folder, options));
  };
  ASSERT_EQ(taught("whole", {"--n-encoder-layers", "1"}), 0) << error_;
  const auto vocabulary = [&](const char* folder) {
    return translation_model(load_checkpoint(path(folder))).tgt_tokenizer.bytes();
  };
  EXPECT_EQ(vocabulary("whole"), vocabulary("one"));
  ASSERT_EQ(taught("parts", {"--n-encoder-layers", "1"}), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  EXPECT_EQ(taught("other", {"--vocab-size", "77"}), 2);
  EXPECT_NE(error_.find("a model keeps its vocabulary"), std::string::npos) << error_;
  EXPECT_EQ(run(training("other", {"--teachers", path("one")})), 2);
  EXPECT_NE(error_.find("--distill-weight above 0"), std::string::npos) << error_;
  EXPECT_EQ(run({"train", "embedding", "--pairs", path("train.en"), "--out", path("other"),
                 "--teachers", path("one"), "--distill-weight", "0.5"}),
            2);
}

TEST_F(InitialModelCommand, LearnsFromAnOldLanguageModelAndResumesToTheSameBytes) {
  expect_lessons("lm", {"--train", path("train.en"), "--n-layers", "1"},
                 {"--train", path("valid.en"), "--replay", path("train.en"), "--replay-valid",
                  path("train.en")});
  EXPECT_NE(out_.find("old text before training: perplexity "), std::string::npos) << out_;
}

TEST_F(InitialModelCommand, LearnsFromAnOldClassifierAndResumesToTheSameBytes) {
  write("old.tsv", "good\tThe old dog sleeps.\nbad\tThe man sees a cat.\ngood\tThe dog sleeps.\n");
  write("new.tsv", "bad\tThe old cat sleeps.\ngood\tThe man sees a dog.\nbad\tThe cat sleeps.\n");
  expect_lessons(
      "classification", {"--train", path("old.tsv"), "--n-encoder-layers", "1"},
      {"--train", path("new.tsv"), "--replay", path("old.tsv"), "--replay-valid", path("old.tsv")});
  EXPECT_NE(out_.find("old texts before training: accuracy "), std::string::npos) << out_;
}

// The languages are an option of the text; the model then translates between them by itself.
TEST_F(InitialModelCommand, TrainsAModelOfSeveralLanguagesOnTwoOfThem) {
  const std::string nllb = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/nllb";
  const auto trained = [&](const std::string& target, const char* folder) {
    return run(started_from(
        nllb, folder,
        {"--src-lang", "deu_Latn", "--tgt-lang", target, "--max-steps", "4", "--save-every", "2"}));
  };
  ASSERT_EQ(trained("fra_Latn", "french"), 0) << error_;
  const Checkpoint french = load_checkpoint(path("french"));
  EXPECT_NE(french.text("attend.pair_format").find(R"("defaults":["deu_Latn","fra_Latn"])"),
            std::string::npos);
  ASSERT_EQ(trained("eng_Latn", "english"), 0) << error_;
  EXPECT_NE(load_checkpoint(path("english")).tensor("embedding.weight").to_vector(),
            french.tensor("embedding.weight").to_vector())
      << "the decoder begins with another token";
  const std::string whole = read(model("french"));
  std::filesystem::remove(checkpoint("french", 4));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("french")}), 0) << error_;
  EXPECT_EQ(read(model("french")), whole);
  EXPECT_NE(trained("fra_Latin", "other"), 0);
  EXPECT_NE(error_.find("did you mean fra_Latn?"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("other")));
  EXPECT_NE(run(training("plain", {"--src-lang", "en"})), 0);
  EXPECT_NE(error_.find("one pair of languages"), std::string::npos) << error_;
}

TEST_F(InitialModelCommand, RefusesAnOptionOfAnotherArchitecture) {
  EXPECT_NE(run(started_from(directory_, "run", {"--d-model", "32"})), 0);
  EXPECT_NE(error_.find("d-model is 16; leave --d-model 32 out"), std::string::npos) << error_;
  EXPECT_NE(run(started_from(directory_, "run", {"--tokenizer", "word"})), 0);
  EXPECT_NE(error_.find("leave --tokenizer word out"), std::string::npos) << error_;
  EXPECT_NE(run(started_from(directory_, "run", {"--normalization", "identity"})), 0);
  EXPECT_NE(error_.find("leave --normalization identity out"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  EXPECT_EQ(run(started_from(directory_, "run", {"--d-model", "16", "--max-steps", "1"})), 0)
      << error_;
}

TEST_F(InitialModelCommand, RefusesAnotherTaskAndAMissingModel) {
  EXPECT_NE(run({"train", "lm", "--init-from", directory_, "--train", path("train.en"), "--out",
                 path("run")}),
            0);
  EXPECT_NE(error_.find("language modeling"), std::string::npos) << error_;
  EXPECT_NE(run(started_from(path("nowhere"), "run")), 0);
  EXPECT_NE(error_.find("nowhere"), std::string::npos) << error_;
}

TEST_F(InitialModelCommand, ShortensWindowsToThePositionsOfTheModel) {
  const std::string gpt2 = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/gpt2";
  const std::vector<std::string> command{
      "train", "lm",        "--init-from", gpt2, "--train",        path("train.en"),
      "--out", path("run"), "--max-steps", "1",  "--batch-tokens", "200"};
  ASSERT_EQ(run(command), 0) << error_;
  EXPECT_NE(read(path("run/config.toml")).find("sequence-length = 96"), std::string::npos);
}

}  // namespace
}  // namespace attend
