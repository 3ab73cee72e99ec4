// What users get wrong: one clear line, a non-zero exit, nothing lost.
#include <algorithm>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class BadInput : public SmallRunTest {
 protected:
  void expect_training_error(const std::vector<std::string>& more,
                             const std::vector<std::string>& parts) {
    expect_error(training("run", more), parts);
    EXPECT_FALSE(std::filesystem::exists(path("run/checkpoints"))) << "nothing was begun";
  }
  void train() {
    ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  }
};

TEST_F(BadInput, TrainingFilesAreNamedWithWhatIsWrong) {
  expect_training_error({"--src-train", "absent.en"}, {"absent.en", "No such file"});
  expect_training_error({"--src-train", "."}, {folder_, "directory"});
  write("empty.en", "");
  expect_training_error({"--src-train", "empty.en"}, {"empty.en", "empty"});
  write("short.en", "One line.\n");
  expect_training_error({"--src-train", "short.en"}, {"short.en", "train.de", "400"});
  std::string lines = read(path("train.en"));
  write("utf8.en", lines.replace(lines.find('\n') + 1, 2, "\xff\xfe"));
  expect_training_error({"--src-train", "utf8.en"}, {"utf8.en:2", "UTF-8"});
  write("binary.en", std::string("\x00\x01\x02\x03\n", 5));
  expect_training_error({"--src-train", "binary.en"}, {"binary.en:1"});
  write("cut.en", std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b", 11));
  expect_training_error({"--src-train", "cut.en"}, {"cut.en", "gzip"});
}

TEST_F(BadInput, TextWithoutTranslationsIsNamedWithWhatIsWrong) {
  const auto expect_refused = [this](const std::vector<std::string>& more,
                                     const std::vector<std::string>& parts) {
    std::vector<std::string> arguments = training("run", more);
    arguments.erase(arguments.begin());
    arguments.front() = "backtranslate";
    expect_error(arguments, parts);
    EXPECT_FALSE(std::filesystem::exists(path("run"))) << "nothing was begun";
  };
  expect_refused({"--tgt-mono", "absent.de"}, {"absent.de", "No such file"});
  expect_refused({"--tgt-mono", "train.de", "--src-mono", "."}, {folder_, "directory"});
  write("empty.de", "");
  expect_refused({"--tgt-mono", "empty.de"}, {"empty.de", "empty"});
  write("blank.de", "\n \n");
  expect_refused({"--tgt-mono", "blank.de"}, {"blank.de", "none"});
  write("utf8.de", "\xff\xfe\n");
  expect_refused({"--tgt-mono", "utf8.de"}, {"utf8.de:1", "UTF-8"});
  write("short.en", "One line.\n");
  expect_refused({"--tgt-mono", "train.de", "--src-train", "short.en"},
                 {"short.en", "train.de", "400"});
  expect_refused({"--tgt-mono", "train.de", "--reverse", path("absent")}, {"absent"});
}

TEST_F(BadInput, OptionsAreNamedWithTheNearestOnes) {
  expect_training_error({"--d-modle", "32"}, {"--d-modle", "--d-model"});
  expect_training_error({"--n-heads", "3"}, {"n-heads", "d-model"});
  expect_training_error({"--d-model", "many"}, {"--d-model", "whole number", "many"});
  expect_training_error({"--schedule", "cosin"}, {"--schedule", "cosine"});
  expect_training_error({"--dropout", "1.5"}, {"dropout", "1.5"});
  expect_training_error({"--vocab-size", "100000"}, {"vocab-size"});
  expect_training_error({"--threads", "-1"}, {"--threads"});
  expect_training_error({"--positions", "learned", "--max-positions", "60"},
                        {"max-length", "256", "max-positions 60"});
  expect_training_error({"--precision", "fp16"}, {"--precision", "bf16"});
  expect_training_error({"--config", write("unknown.toml", "[model]\nd-modle = 16\n")},
                        {"unknown.toml:2", "d-model"});
  expect_training_error({"--config", path("absent.toml")}, {"absent.toml"});
  expect_error({"trian"}, {"trian", "train"});
  expect_error({"train", "translation"}, {"--out"});
}

TEST_F(BadInput, ARunMustBeWritable) {
  write("file", "not a folder\n");
  std::vector<std::string> arguments = training("run");
  *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = path("file") + "/run";
  expect_error(arguments, {path("file")});
  EXPECT_EQ(read(path("file")), "not a folder\n");
}

TEST_F(BadInput, ModelsAreNamedWithWhatIsWrong) {
  train();
  const std::string good = read(model("run"));
  expect_error({"translate", path("absent")}, {"absent", "No such file"}, "A.\n");
  expect_error({"translate", folder_}, {folder_, "directory"}, "A.\n");
  expect_error({"translate", write("empty", "")}, {"empty"}, "A.\n");
  expect_error({"translate", write("text", "Once upon a time there was a text file.\n")}, {"text"},
               "A.\n");
  expect_error({"translate", write("cut", good.substr(0, good.size() / 2))}, {"cut"}, "A.\n");
  std::string damaged = good;
  damaged[damaged.size() - 100] ^= 1;
  expect_error({"translate", write("damaged", damaged)}, {"damaged", "checksum"}, "A.\n");
  const std::vector<NamedTensor> foreign{{"weight", Tensor::zeros({2, 2})}};
  write_safetensors(path("foreign"), foreign, {});
  expect_error({"translate", path("foreign")}, {"foreign", "attend"}, "A.\n");
  write_safetensors(path("future"), foreign,
                    {{"attend.format", "999"}, {"attend.checksum", "none"}});
  expect_error({"translate", path("future")}, {"future", "999"}, "A.\n");
  for (const char* name : {"damaged", "foreign", "future"})
    expect_error({"info", path(name)}, {name});
  expect_error({"info", path("future"), "--format", "json"}, {"future", "999"});
}

TEST_F(BadInput, LinesBeforeABadOneAreTranslated) {
  train();
  const std::string good = "The man sleeps.\nThe woman reads.\n";
  ASSERT_EQ(run({"translate", model("run"), "--max-length", "5"}, good), 0) << error_;
  const std::string expected = out_;
  const std::vector<std::string> translate{"translate", model("run"), "--max-length",
                                           "5",         "--on-error", "stop"};
  expect_error(translate, {"standard input:3", "UTF-8"}, good + "\xff\nThe end.\n");
  EXPECT_EQ(out_, expected);
  std::string endless;
  for (int i = 0; i < 100000; ++i) endless += "word ";
  expect_error(translate, {"standard input:3", "max-source-tokens"},
               good + endless + "\nThe end.\n");
  EXPECT_EQ(out_, expected);
}

TEST_F(BadInput, AnEndlessPairIsNotScored) {
  train();
  std::string endless;
  for (int i = 0; i < 100000; ++i) endless += "word ";
  const std::string src = write("in", "The man sleeps.\n" + endless + "\n"),
                    tgt = write("out", "Der Mann.\nDer Mann.\n");
  const auto score = [&](const std::string& from, const std::string& to) {
    return std::vector<std::string>{"score", model("run"), "--src",      from,
                                    "--tgt", to,           "--on-error", "stop"};
  };
  expect_error(score(src, tgt), {"in:2", "1024", "--max-tokens"});
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1)
      << "the pair before it is scored: " << out_;
  expect_error(score(tgt, src), {"in:2", "1024"});
}

TEST_F(BadInput, LinesBeforeABadOneAreEmbedded) {
  train();
  expect_error({"embed", model("run"), "--on-error", "stop"}, {"standard input:3", "UTF-8"},
               "The man sleeps.\nThe woman reads.\n\xff\nThe end.\n");
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2) << out_;
}

// Every recipe is read as it is, up to the data, which are not there: its keys are options and its
// files lie where --data says.
TEST_F(BadInput, RecipesAreWithoutFault) {
  int recipes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ATTEND_SOURCE_DIR) / "recipes")) {
    const std::string recipe = read(entry.path()),
                      kind = recipe.substr(recipe.find("attend train ") + 13);
    expect_error({"train", kind.substr(0, kind.find(' ')), "--config", entry.path(), "--data",
                  path("nowhere"), "--out", path("run")},
                 {path("nowhere"), "No such file"});
    ++recipes;
  }
  EXPECT_GE(recipes, 6);
}

TEST_F(BadInput, ALearningRateThatIsFarTooHighIsNamed) {
  expect_error(training("run", {"--max-steps", "50", "--save-every", "1", "--valid-every", "0",
                                "--schedule", "constant", "--learning-rate", "1e30"}),
               {"not a finite number at step", "learning rate ", "learning-rate"});
}

TEST_F(BadInput, AnEmptyLineIsTranslatedToAnEmptyLine) {
  train();
  ASSERT_EQ(run({"translate", model("run"), "--max-length", "3"}, "\nThe man sleeps.\n\n   \n"), 0)
      << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 4);
  EXPECT_EQ(out_.front(), '\n');
  EXPECT_TRUE(out_.ends_with("\n\n\n")) << out_;
  ASSERT_EQ(run({"translate", model("run")}, ""), 0) << error_;
  EXPECT_EQ(out_, "");
}

}  // namespace
}  // namespace attend
