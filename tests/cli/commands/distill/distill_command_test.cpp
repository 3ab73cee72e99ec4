// attend distill: teachers that are given or trained, what they write, and the student.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/quantization.h"
#include "attend/core/files/lines.h"
#include "attend/tasks/translation/model.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class DistillCommand : public SmallRunTest {
 protected:
  // attend distill with the options of training(), then `more`.
  std::vector<std::string> distilling(const std::string& run,
                                      const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = training(run, {"--max-steps", "6", "--save-every", "2"});
    arguments.erase(arguments.begin());
    arguments.front() = "distill";
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void train_teacher(const std::string& name, const std::string& seed) {
    ASSERT_EQ(run(training(name, {"--max-steps", "10", "--d-model", "32", "--seed", seed})), 0)
        << error_;
  }
  std::vector<std::string> targets(const std::string& run) const {
    return read_lines(path(run) + "/targets/tgt.txt");
  }
};

TEST_F(DistillCommand, TrainsAStudentOnWhatATeacherWrites) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("run", {path("teacher")})), 0) << error_;
  EXPECT_EQ(targets("run").size(), 400U);
  EXPECT_NE(out_.find("training text: 800 pairs"), std::string::npos) << out_;
  const TranslationModel student = translation_model(load_checkpoint(model("run")));
  EXPECT_EQ(student.network->d_model(), 16);
  EXPECT_EQ(student.text_kinds.at("tgt").language, "de");
  EXPECT_EQ(student.tgt_tokenizer.bytes(),
            translation_model(load_checkpoint(model("teacher"))).tgt_tokenizer.bytes());
}

TEST_F(DistillCommand, LearnsTheSameFromATeacherAndFromItsProbabilities) {
  train_teacher("teacher", "1");
  const auto loss = [&](const std::string& name, const std::string& k) {
    EXPECT_EQ(run(distilling(name, {path("teacher"), "--teacher-top-k", k, "--targets", "none",
                                    "--distill-weight", "1"})),
              0)
        << error_;
    return nlohmann::json::parse(read_lines(path(name) + "/log.jsonl").at(1)).at("loss");
  };
  const double computed = loss("computed", "0");
  EXPECT_NEAR(loss("kept", "300"), computed, 2e-4 * computed);
  EXPECT_NE(loss("few", "1"), computed);
  EXPECT_FALSE(std::filesystem::exists(path("computed") + "/probabilities"));
}

TEST_F(DistillCommand, TrainsTeachersOfOtherSeedsAndOptions) {
  ASSERT_EQ(run(distilling(
                "run", {"--teacher-runs", "2", "--teacher-options", "d-model=32", "max_steps=4"})),
            0)
      << error_;
  const std::string one = read(path("run") + "/teachers/1/config.toml"),
                    two = read(path("run") + "/teachers/2/config.toml");
  EXPECT_NE(one.find("d-model = 32"), std::string::npos) << one;
  EXPECT_NE(one.find("max-steps = 4"), std::string::npos) << one;
  EXPECT_NE(one.find("\nseed = 2\n"), std::string::npos) << one;
  EXPECT_NE(two.find("\nseed = 3\n"), std::string::npos) << two;
  EXPECT_NE(read(path("run") + "/config.toml").find("\nseed = 1\n"), std::string::npos);
  EXPECT_NE(read(model("run/teachers/1")), read(model("run/teachers/2")));
}

TEST_F(DistillCommand, GivesTheStudentTheVocabularyThatItsTeachersHave) {
  // Fewer characters than are asked for.
  ASSERT_EQ(run(distilling("run",
                           {"--teacher-runs", "1", "--tokenizer", "chars", "--vocab-size", "250"})),
            0)
      << error_;
  const auto vocabulary = [&](const std::string& name) {
    return translation_model(load_checkpoint(model(name))).tgt_tokenizer.bytes();
  };
  EXPECT_EQ(vocabulary("run"), vocabulary("run/teachers/1"));
  EXPECT_EQ(run(distilling("cost", {"--teacher-runs", "1", "--tokenizer", "chars", "--vocab-size",
                                    "250", "--dry-run"})),
            0)
      << error_;
}

TEST_F(DistillCommand, GoesOnWhereItWasStopped) {
  const std::vector<std::string> options{"--teacher-runs", "2", "--teacher-options", "max-steps=4"};
  ASSERT_EQ(run(distilling("whole", options)), 0) << error_;
  ASSERT_EQ(run(distilling("parts", options)), 0) << error_;
  // As if it had been stopped in the second teacher, and then in the student.
  for (const char* const left : {"checkpoints", "model.safetensors", "config.toml", "log.jsonl",
                                 "targets", "probabilities", "teachers/2/finished"})
    std::filesystem::remove_all(path("parts") + "/" + left);
  std::filesystem::remove(checkpoint("parts/teachers/2", 4));
  const auto first = std::filesystem::last_write_time(model("parts/teachers/1"));
  ASSERT_EQ(run({"distill", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(std::filesystem::last_write_time(model("parts/teachers/1")), first);
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"distill", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 2"), std::string::npos) << out_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(DistillCommand, NoticesATeacherThatWasTrainedAgain) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("run", {path("teacher")})), 0) << error_;
  std::filesystem::remove_all(path("teacher"));
  train_teacher("teacher", "2");
  EXPECT_EQ(run({"distill", "--resume", "--out", path("run")}), 2);
  EXPECT_NE(error_.find("the targets in this folder were made by other models"), std::string::npos)
      << error_;
  std::filesystem::remove_all(path("run") + "/targets");
  EXPECT_EQ(run({"distill", "--resume", "--out", path("run")}), 2);
  EXPECT_NE(error_.find("the probabilities in this folder were made"), std::string::npos) << error_;
}

TEST_F(DistillCommand, IsReadAndResumedAsATraining) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("whole", {path("teacher")})), 0) << error_;
  ASSERT_EQ(run(distilling("parts", {path("teacher")})), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(DistillCommand, TakesATextWithoutTranslations) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run({"distill", path("teacher"), "--src", path("valid.en"), "--out", path("run"),
                 "--preset", "base", "--d-model", "16", "--n-heads", "2", "--d-ff", "16",
                 "--max-steps", "2", "--warmup-steps", "1"}),
            0)
      << error_;
  EXPECT_EQ(targets("run").size(), 20U);
  EXPECT_NE(out_.find("training text: 20 pairs"), std::string::npos) << out_;
  EXPECT_EQ(translation_model(load_checkpoint(model("run"))).text_kinds.at("tgt").language, "de")
      << "the teacher's";
}

TEST_F(DistillCommand, LearnsFromATeacherWithFewPositions) {
  ASSERT_EQ(run(training("teacher", {"--max-steps", "2", "--positions", "learned",
                                     "--max-positions", "16", "--max-length", "15"})),
            0)
      << error_;
  for (const char* const k : {"0", "3"}) {
    ASSERT_EQ(run(distilling(k, {path("teacher"), "--teacher-top-k", k})), 0) << error_;
    EXPECT_NE(out_.find("max-length is 16: the teachers have positions for no more"),
              std::string::npos)
        << out_;
  }
}

TEST_F(DistillCommand, HandsOnHowTargetsAreMade) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("more", {path("teacher"), "--src", "valid.en", "--tgt", "valid.de",
                                    "--targets", "sample", "--target-samples", "2"})),
            0)
      << error_;
  EXPECT_NE(out_.find("translating the text"), std::string::npos);
  const std::string settings = read(path("more") + "/targets/settings.toml");
  EXPECT_NE(settings.find("target-samples = 2"), std::string::npos) << settings;
  EXPECT_NE(read(path("more") + "/config.toml").find(path("valid.de")), std::string::npos);
  ASSERT_EQ(run(distilling("wide", {path("teacher"), "--target-beam-size", "3"})), 0) << error_;
  EXPECT_NE(read(path("wide") + "/targets/settings.toml").find("target-beam-size = 3"),
            std::string::npos);
}

TEST_F(DistillCommand, CanLeaveOutEitherLesson) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("words", {path("teacher"), "--targets", "none"})), 0) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("words") + "/targets"));
  EXPECT_NE(out_.find("training text: 400 pairs"), std::string::npos) << out_;
  ASSERT_EQ(run(distilling("sentences",
                           {path("teacher"), "--distill-weight", "0", "--no-given-targets"})),
            0)
      << error_;
  EXPECT_FALSE(std::filesystem::exists(path("sentences") + "/probabilities"));
  EXPECT_NE(out_.find("training text: 400 pairs"), std::string::npos) << out_;
}

TEST_F(DistillCommand, GivesATrainingProbabilitiesOfItsTextAlone) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--targets", "none"})), 0) << error_;
  const std::vector<std::string> taught{"--max-steps",    "2",
                                        "--teachers",     path("teacher"),
                                        "--soft-targets", path("run") + "/probabilities"};
  const auto trained = [&](std::vector<std::string> more) {
    more.insert(more.begin(), taught.begin(), taught.end());
    return run(training("other", more));
  };
  ASSERT_EQ(trained({"--distill-weight", "0.5"}), 0) << error_;
  std::filesystem::remove_all(path("other"));
  EXPECT_EQ(trained({"--distill-weight", "0.5", "--max-length", "9", "--over-long", "truncate"}),
            1);
  EXPECT_NE(error_.find("those of another text, or of another --max-length"), std::string::npos)
      << error_;
  EXPECT_EQ(trained({"--distill-weight", "0.5", "--context", "1"}), 2);
  EXPECT_NE(error_.find("--context, which changes the text"), std::string::npos) << error_;
  EXPECT_EQ(run(training("other", {"--soft-targets", path("run") + "/probabilities"})), 2);
  EXPECT_NE(error_.find("works only with --teachers"), std::string::npos) << error_;
}

TEST_F(DistillCommand, WritesTheStudentInFewBitsWithAShortlist) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--bits", "8", "--shortlist"})), 0) << error_;
  const std::string small = path("run") + "/model-8bit.safetensors";
  EXPECT_NE(out_.find("model-8bit.safetensors: the student in 8 bits"), std::string::npos) << out_;
  const Checkpoint student = load_checkpoint(small);
  EXPECT_EQ(weight_bits(student), 8);
  EXPECT_TRUE(translation_model(student).shortlist);
  const Checkpoint whole = load_checkpoint(model("run"));
  EXPECT_EQ(weight_bits(whole), 32);
  EXPECT_FALSE(translation_model(whole).shortlist);
  const std::string bytes = read(small);
  std::filesystem::remove(small);
  ASSERT_EQ(run({"distill", "--resume", "--out", path("run")}), 0) << error_;
  EXPECT_EQ(read(small), bytes);
  // The shortlist is of what the student has read.
  ASSERT_EQ(run({"quantize", path("run"), "--out", path("quantized")}), 0) << error_;
  ASSERT_EQ(run({"shortlist", path("quantized"), "--src", path("train.en"),
                 path("run") + "/targets/src.txt", "--tgt", path("train.de"),
                 path("run") + "/targets/tgt.txt", "--out", path("by-hand")}),
            0)
      << error_;
  EXPECT_EQ(read(path("by-hand")), bytes);
}

TEST_F(DistillCommand, WritesTheStudentInFewBitsAlone) {
  train_teacher("teacher", "1");
  ASSERT_EQ(run(distilling("run", {path("teacher"), "--bits", "4"})), 0) << error_;
  const Checkpoint student = load_checkpoint(path("run") + "/model-4bit.safetensors");
  EXPECT_EQ(weight_bits(student), 4);
  EXPECT_FALSE(translation_model(student).shortlist);
}

TEST_F(DistillCommand, ReadsTheConfigurationThatItPrints) {
  train_teacher("teacher", "1");
  std::vector<std::string> printing = distilling("run", {path("teacher")});
  printing.push_back("--print-config");
  ASSERT_EQ(run(printing), 0) << error_;
  EXPECT_NE(out_.find("shortlist = false"), std::string::npos) << out_;
  write("printed.toml", out_);
  ASSERT_EQ(run({"distill", "--config", path("printed.toml")}), 0) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run") + "/model-8bit.safetensors"));
}

TEST_F(DistillCommand, TellsWhatItWouldCost) {
  const std::vector<std::string> options{"--teacher-runs", "2", "--dry-run"};
  ASSERT_EQ(run(distilling("run", options)), 0) << error_;
  EXPECT_NE(out_.find("2 teachers"), std::string::npos) << out_;
  EXPECT_NE(out_.find("targets of 400 sentences"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  std::vector<std::string> as_json = options;
  as_json.insert(as_json.end(), {"--format", "json"});
  ASSERT_EQ(run(distilling("run", as_json)), 0) << error_;
  const auto cost = nlohmann::json::parse(out_);
  double seconds = 0;
  for (const auto& stage : cost.at("stages")) seconds += stage.at("seconds").get<double>();
  EXPECT_EQ(cost.at("stages").size(), 3U);
  EXPECT_NEAR(cost.at("seconds").get<double>(), seconds, 1e-6);
}

TEST_F(DistillCommand, RefusesWhatDoesNotFit) {
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& message) {
    EXPECT_EQ(run(distilling("run", more)), 2) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    EXPECT_FALSE(std::filesystem::exists(path("run")));
  };
  refuses({}, "expected teachers");
  refuses({path("teacher"), "--teacher-options", "d-model=3"}, "--teacher-options: works only");
  refuses({"--teacher-runs", "1", "--teacher-options", "d-model"}, "expected name=value");
  refuses({"--teacher-runs", "1", "--teacher-options", "d-modl=3"}, "did you mean d-model");
  refuses({"--teacher-runs", "1", "--teacher-options", "seed=3"}, "seed cannot be set here");
  refuses({path("teacher"), "--bits", "5"}, "--bits: expected 4, 8 or 16, or 0 for no file, got 5");
  refuses({path("teacher"), "--shortlist"}, "--shortlist: works only with --bits");
  refuses({"--teacher-runs", "1", "--tgt", "train.de"}, "--tgt: works only with --src");
  EXPECT_EQ(run({"distill", "--teacher-runs", "1", "--out", path("run")}), 2);
  EXPECT_NE(error_.find("--src: expected the text"), std::string::npos) << error_;
  ASSERT_EQ(run(distilling("run", {"--teacher-runs", "1"})), 0) << error_;
  EXPECT_EQ(run(distilling("run", {"--teacher-runs", "1"})), 2) << "the folder is in use";
}

}  // namespace
}  // namespace attend
