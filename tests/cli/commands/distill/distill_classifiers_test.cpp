// attend distill classification: labels that teachers give, and the student.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/quantization.h"
#include "attend/core/files/lines.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/training/taught_texts.h"
#include "cli/commands/classifier_commands.h"

namespace attend {
namespace {

class DistillClassifiers : public ClassifierCommands {
 protected:
  DistillClassifiers() {
    std::string texts;
    std::istringstream lines(reviews(200, 3));
    for (std::string line; std::getline(lines, line);) texts += line.substr(4) + "\n";
    write("more.txt", texts);
    write("few.tsv", reviews(6, 4));
  }

  // attend distill classification of few labeled and many other texts, or of `texts`, then `more`.
  std::vector<std::string> distilling(const std::string& run, const std::vector<std::string>& more,
                                      const std::vector<std::string>& texts = {
                                          "--train", "few.tsv", "--unlabeled", "more.txt"}) const {
    std::istringstream words(
        "distill classification --d-model 8 --n-heads 2 --d-ff 16 --n-encoder-layers 1 --dropout 0 "
        "--tokenizer chars --vocab-size 18 --batch-tokens 400 --learning-rate 0.01 --warmup-steps "
        "5 --valid-every 10 --max-steps 30 --save-every 10");
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(run)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--valid") == more.end())
      arguments.insert(arguments.end(), {"--valid", "valid.tsv"});
    arguments.insert(arguments.end(), texts.begin(), texts.end());
    return arguments;
  }
  void train_teacher(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> steps{"--max-steps", "60"};
    steps.insert(steps.end(), more.begin(), more.end());
    ASSERT_EQ(run(training(name, steps)), 0) << error_;
  }
  std::string checkpoint(const std::string& run, int step) const {
    return fmt::format("{}/checkpoints/step-{:08}.safetensors", path(run), step);
  }
  ClassificationModel student(const std::string& run) const {
    return classification_model(load_checkpoint(model(run)));
  }
};

TEST_F(DistillClassifiers, TrainAStudentOfAnySizeAndVocabulary) {
  train_teacher("teacher");
  ASSERT_EQ(run(distilling("run", {path("teacher")})), 0) << error_;
  EXPECT_NE(out_.find("labels: 6 texts from texts, 200 from teachers"), std::string::npos) << out_;
  const ClassificationModel own = student("run"), its = student("teacher");
  EXPECT_EQ(own.network->config().d_model, 8);
  EXPECT_EQ(own.labels, its.labels);
  EXPECT_NE(own.tokenizer.bytes(), its.tokenizer.bytes());
  EXPECT_EQ(TaughtTexts(path("run") + "/labels").texts().size(), 206U);
  EXPECT_EQ(run({"evaluate", path("run"), "--labeled", path("valid.tsv")}), 0) << error_;
}

TEST_F(DistillClassifiers, AreWrittenInFewBits) {
  train_teacher("teacher");
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--bits", "8"})), 0) << error_;
  const Checkpoint small = load_checkpoint(path("run") + "/model-8bit.safetensors");
  EXPECT_EQ(weight_bits(small), 8);
  EXPECT_EQ(classification_model(small).labels, student("run").labels);
  EXPECT_EQ(run(distilling("other", {path("teacher"), "--shortlist"})), 2);
  EXPECT_NE(error_.find("--shortlist"), std::string::npos) << error_;
}

TEST_F(DistillClassifiers, LearnFromUnlabeledTextWhatItsTeachersKnow) {
  train_teacher("teacher");
  const auto accuracy = [&](const std::string& name) {
    EXPECT_EQ(run({"evaluate", path(name), "--labeled", path("valid.tsv"), "--format", "json"}), 0)
        << error_;
    return nlohmann::json::parse(out_).at("accuracy").get<double>();
  };
  const std::vector<std::string> words{"--tokenizer", "word", "--vocab-size", "17",
                                       "--max-steps", "60",   "--d-model",    "16"};
  std::vector<std::string> taught{path("teacher")};
  taught.insert(taught.end(), words.begin(), words.end());
  ASSERT_EQ(run(distilling("taught", taught, {"--unlabeled", "more.txt"})), 0) << error_;
  std::vector<std::string> alone{"--train", "few.tsv"};
  alone.insert(alone.end(), words.begin(), words.end());
  ASSERT_EQ(run(training("alone", alone)), 0) << error_;
  EXPECT_GT(accuracy("taught"), 0.95);
  EXPECT_GT(accuracy("taught"), accuracy("alone"));
}

TEST_F(DistillClassifiers, WeighTheirTeachers) {
  train_teacher("teacher");
  std::set<std::string> models;
  for (const char* const weight : {"0", "0.5", "1"}) {
    ASSERT_EQ(run(distilling(weight, {path("teacher"), "--distill-weight", weight})), 0) << error_;
    models.insert(read(model(weight)));
  }
  ASSERT_EQ(run(distilling("usual", {path("teacher")})), 0) << error_;
  EXPECT_EQ(models.size(), 3U);
  EXPECT_EQ(read(model("usual")), read(model("0.5")));
  EXPECT_EQ(TaughtTexts(path("0") + "/labels").texts().size(), 200U)
      << "labeled texts are not read in vain";
}

TEST_F(DistillClassifiers, MayHaveSeveralTeachersThatAreTrainedFirst) {
  ASSERT_EQ(run(distilling("run", {"--teacher-runs", "2", "--teacher-options", "d-model=16"})), 0)
      << error_;
  EXPECT_NE(read(path("run") + "/teachers/1/config.toml").find("d-model = 16"), std::string::npos);
  ASSERT_EQ(run(distilling("one", {path("run/teachers/1")})), 0) << error_;
  EXPECT_NE(read(model("one")), read(model("run")));
  ASSERT_EQ(run(distilling("both", {path("run/teachers/1"), path("run/teachers/2")})), 0) << error_;
  EXPECT_EQ(read(model("both")), read(model("run")));
}

TEST_F(DistillClassifiers, GoOnWhereTheyWereStopped) {
  train_teacher("teacher");
  ASSERT_EQ(run(distilling("whole", {path("teacher")})), 0) << error_;
  ASSERT_EQ(run(distilling("parts", {path("teacher")})), 0) << error_;
  for (const char* const left :
       {"checkpoints", "model.safetensors", "config.toml", "log.jsonl", "labels"})
    std::filesystem::remove_all(path("parts") + "/" + left);
  ASSERT_EQ(run({"distill", "classification", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"distill", "classification"}, {"train", "classification"}}) {
    for (const int step : {20, 30}) std::filesystem::remove(checkpoint("parts", step));
    std::vector<std::string> resuming = command;
    resuming.insert(resuming.end(), {"--resume", "--out", path("parts")});
    ASSERT_EQ(run(resuming), 0) << error_;
    EXPECT_NE(out_.find("from step 10"), std::string::npos) << out_;
    EXPECT_EQ(read(model("parts")), read(model("whole")));
  }
}

TEST_F(DistillClassifiers, NoticeATeacherThatWasTrainedAgain) {
  train_teacher("teacher");
  ASSERT_EQ(run(distilling("run", {path("teacher")})), 0) << error_;
  std::filesystem::remove_all(path("teacher"));
  train_teacher("teacher", {"--seed", "2"});
  EXPECT_EQ(run({"distill", "classification", "--resume", "--out", path("run")}), 2);
  EXPECT_NE(error_.find("labels: the answers in this folder were made by other models"),
            std::string::npos)
      << error_;
}

TEST_F(DistillClassifiers, AnswerTheProblemOfTheirTeachers) {
  write("numbers.tsv", "1\tgood film\n-1\tbad film\n0.5\tthe good house\n-0.5\ta bad story\n");
  const std::vector<std::string> numbers{
      "--train",        "numbers.tsv", "--valid",      "numbers.tsv",
      "--problem-type", "regression",  "--vocab-size", "11"};
  train_teacher("teacher", numbers);
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--valid", "numbers.tsv"},
                           {"--train", "numbers.tsv", "--unlabeled", "more.txt"})),
            0)
      << error_;
  EXPECT_EQ(student("run").problem_type(), ProblemType::regression);
  EXPECT_EQ(run(distilling("other", {path("teacher"), "--problem-type", "multi_label"})), 2);
  EXPECT_NE(error_.find("--problem-type: expected regression"), std::string::npos) << error_;
}

TEST_F(DistillClassifiers, ReadPairsAsTheirTeachersDo) {
  write("pairs.tsv", "pos\tgood film\tgood story\nneg\tgood film\tbad story\n");
  write("pairs.txt", "bad film\tbad story\nbad film\tgood story\n");
  const std::vector<std::string> of_pairs{
      "--train", "pairs.tsv", "--valid", "pairs.tsv", "--second-column", "3", "--vocab-size", "8"};
  train_teacher("teacher", of_pairs);
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--valid", "pairs.tsv", "--vocab-size", "16"},
                           {"--unlabeled", "pairs.txt"})),
            0)
      << error_;
  EXPECT_TRUE(student("run").pairs);
  EXPECT_EQ(run(distilling("single", {path("teacher")}, {"--unlabeled", "more.txt"})), 1);
  EXPECT_NE(error_.find("more.txt:1: expected a pair of texts"), std::string::npos) << error_;
  train_teacher("singles");
  EXPECT_EQ(run(distilling("pairs", {path("singles"), "--second-column", "3"})), 2);
  EXPECT_NE(error_.find("the teachers read single texts"), std::string::npos) << error_;
}

TEST_F(DistillClassifiers, TellWhatTheyWouldCost) {
  train_teacher("teacher");
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--dry-run"})), 0) << error_;
  EXPECT_NE(out_.find("answers to 206 texts"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  ASSERT_EQ(run(distilling("run", {"--teacher-runs", "2", "--dry-run", "--format", "json"})), 0)
      << error_;
  EXPECT_EQ(nlohmann::json::parse(out_).at("stages").size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(DistillClassifiers, RefuseWhatDoesNotFit) {
  train_teacher("teacher");
  const std::vector<std::string> usual{"--train", "few.tsv", "--unlabeled", "more.txt"};
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& message,
                           const std::vector<std::string>& texts) {
    EXPECT_NE(run(distilling("run", more, texts)), 0) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    std::filesystem::remove_all(path("run"));
  };
  const std::string teacher = path("teacher");
  refuses({}, "expected teachers", usual);
  refuses({teacher}, "--unlabeled: expected the texts", {});
  refuses({"--teacher-runs", "1"}, "--train: expected labeled texts", {"--unlabeled", "more.txt"});
  refuses({teacher, "--soft-labels", "x"}, "--soft-labels: expected none", usual);
  refuses({teacher, "--r-drop", "1"}, "does not work with --r-drop", usual);
  refuses({teacher, "--class-weights", "balanced"}, "does not work with --class-weights", usual);
  refuses({teacher}, "nothing.txt", {"--unlabeled", "nothing.txt"});
  write("others.tsv", "great\ta film\nneg\tthe film\n");
  refuses({teacher}, "unknown label \"great\"", {"--train", "others.tsv"});
  EXPECT_EQ(run({"distill", teacher, "--src", path("more.txt"), "--out", path("run")}), 2);
  EXPECT_NE(error_.find("is a model for classification, whose student is trained by `attend "
                        "distill classification`"),
            std::string::npos)
      << error_;
}

}  // namespace
}  // namespace attend
