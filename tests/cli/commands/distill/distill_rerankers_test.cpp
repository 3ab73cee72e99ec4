// attend distill reranking: scores of passages by teachers, and the student.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/training/taught_texts.h"
#include "cli/program_test.h"

namespace attend {
namespace {

// A passage answers a query if it has its color.
const std::vector<std::string> kColors{"red", "blue", "green"},
    kThings{"dog", "house", "book", "tree"};

class DistillRerankers : public ProgramTest {
 protected:
  DistillRerankers() {
    const std::vector<std::string>&colors = kColors, &things = kThings;
    std::string scored, triples;
    for (std::size_t c = 0; c < colors.size(); ++c)
      for (const std::string& thing : things)
        for (std::size_t other = 0; other < colors.size(); ++other) {
          scored += fmt::format("{}\t{} one\ta {} {}\n", c == other ? 2 : -2, colors[c],
                                colors[other], thing);
          if (c != other)
            triples += fmt::format("{} one\ta {} {}\ta {} {}\n", colors[c], colors[c], thing,
                                   colors[other], thing);
        }
    write("scored.tsv", scored);
    write("triples.tsv", triples);
  }

  static std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
  }
  int command(const std::string& start, const std::string& out, const std::string& more) {
    std::vector<std::string> arguments = words(
        start +
        " --n-heads 2 --d-ff 32 --n-encoder-layers 1 --dropout 0 --batch-tokens 400 --max-epochs "
        "0 --learning-rate 0.01 --warmup-steps 5 --save-every 10 --tokenizer word --vocab-size 12");
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(out)});
    for (const std::string& word : words(more)) arguments.push_back(word);
    return run(arguments);
  }
  void train_teacher() {
    ASSERT_EQ(command("train classification", "teacher",
                      "--problem-type regression --second-column 3 --train scored.tsv --d-model 32 "
                      "--max-steps 150"),
              0)
        << error_;
  }
  int distill(const std::string& out, const std::string& more = "") {
    return command("distill reranking", out,
                   path("teacher") + " --d-model 16 --max-steps 30 --triples triples.tsv " + more);
  }
  // The share of passages with a query's color that are above one of another color.
  double order(const std::string& name) const {
    const ClassificationEngine reranker = ClassificationEngine::load(path(name));
    double right = 0, all = 0;
    for (const std::string& color : kColors)
      for (const std::string& thing : kThings)
        for (const std::string& other : kColors) {
          if (other == color) continue;
          const std::vector<std::string> pairs{fmt::format("{} one\ta {} {}", color, color, thing),
                                               fmt::format("{} one\ta {} {}", color, other, thing)};
          const std::vector<Classification> scores = reranker.classify(pairs);
          right += scores[0].value > scores[1].value ? 1 : 0;
          all += 1;
        }
    return right / all;
  }
  std::string model(const std::string& run) const { return path(run) + "/model.safetensors"; }
};

TEST_F(DistillRerankers, OrderPassagesAsTheirTeacherDoes) {
  train_teacher();
  ASSERT_EQ(distill("run", "--max-steps 200"), 0) << error_;
  EXPECT_NE(out_.find("scoring the passages of 24 triples with 1 teacher"), std::string::npos);
  const ClassificationModel student = classification_model(load_checkpoint(model("run")));
  EXPECT_EQ(student.problem_type(), ProblemType::regression);
  EXPECT_TRUE(student.pairs);
  ASSERT_GT(order("teacher"), 0.9);
  EXPECT_GT(order("run"), 0.9);
  ASSERT_EQ(distill("short", "--max-steps 1"), 0) << error_;
  EXPECT_LT(order("short"), order("run"));
}

TEST_F(DistillRerankers, GoOnWhereTheyWereStopped) {
  train_teacher();
  ASSERT_EQ(distill("whole"), 0) << error_;
  ASSERT_EQ(distill("parts"), 0) << error_;
  for (const char* const left :
       {"checkpoints", "model.safetensors", "config.toml", "log.jsonl", "scores"})
    std::filesystem::remove_all(path("parts") + "/" + left);
  ASSERT_EQ(run({"distill", "reranking", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  for (const int step : {20, 30})
    std::filesystem::remove(
        fmt::format("{}/checkpoints/step-{:08}.safetensors", path("parts"), step));
  ASSERT_EQ(run({"train", "classification", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 10"), std::string::npos) << out_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(DistillRerankers, MayHaveTeachersThatAreTrainedFirst) {
  const std::string of_teachers = " --train scored.tsv --problem-type regression --second-column 3";
  ASSERT_EQ(
      command("distill reranking", "run",
              "--teacher-runs 2 --d-model 16 --max-steps 20 --triples triples.tsv" + of_teachers),
      0)
      << error_;
  EXPECT_EQ(TaughtTexts(path("run") + "/scores").width(), 2);
  EXPECT_TRUE(std::filesystem::exists(model("run/teachers/2")));
}

TEST_F(DistillRerankers, TellWhatTheyWouldCost) {
  train_teacher();
  ASSERT_EQ(distill("run", "--dry-run"), 0) << error_;
  EXPECT_NE(out_.find("answers to 24 texts"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(DistillRerankers, RefuseWhatDoesNotFit) {
  train_teacher();
  const auto refuses = [&](const std::string& more, const std::string& message) {
    EXPECT_NE(distill("run", more), 0) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    std::filesystem::remove_all(path("run"));
  };
  refuses("--distill-weight 0.3", "--distill-weight: expected none");
  refuses("--problem-type multi_label", "--problem-type: expected regression");
  refuses("--triples nothing.tsv", "nothing.tsv");
  EXPECT_EQ(command("distill reranking", "run", path("teacher") + " --d-model 16"), 2);
  EXPECT_NE(error_.find("--triples: expected queries"), std::string::npos) << error_;
  EXPECT_EQ(
      command("distill reranking", "run", "--teacher-runs 1 --d-model 16 --triples triples.tsv"),
      2);
  EXPECT_NE(error_.find("--train: expected scored pairs"), std::string::npos) << error_;
  const std::string training = "--d-model 16 --margins " + path("teacher");
  EXPECT_EQ(command("train classification", "run", training), 2);
  EXPECT_NE(error_.find("margins: expected --problem-type regression"), std::string::npos)
      << error_;
  EXPECT_EQ(command("train classification", "run", training + " --train scored.tsv"), 2);
  EXPECT_NE(error_.find("margins: does not work with --train"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
