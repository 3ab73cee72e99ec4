#include <nlohmann/json.hpp>
#include <regex>

#include "cli/commands/classifier_commands.h"
#include "cli/small_run.h"

namespace attend {
namespace {

TEST_F(ClassifierCommands, LearnToTellGoodFromBad) {
  train();
  EXPECT_NE(out_.find("training: 300 texts"), std::string::npos) << out_;
  EXPECT_NE(out_.find("2 classes"), std::string::npos) << out_;
  EXPECT_NE(out_.find("accuracy"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run")}, "the story was good\nthe story was bad\n"), 0)
      << error_;
  EXPECT_TRUE(out_.starts_with("pos\t")) << out_;
  EXPECT_NE(out_.find("\nneg\t"), std::string::npos) << out_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
}

TEST_F(ClassifierCommands, PrintTheLabelsWithTheirProbabilitiesTheMostProbableFirst) {
  train();
  ASSERT_EQ(run({"classify", model("run")}, "the story was good\n"), 0) << error_;
  const std::string text = out_;
  ASSERT_EQ(run({"classify", model("run"), "--format", "json"}, "the story was good\n"), 0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["label"], "pos");
  const double pos = json["probabilities"]["pos"], neg = json["probabilities"]["neg"];
  EXPECT_NEAR(pos + neg, 1.0, 1e-6);
  EXPECT_EQ(json["probability"], json["probabilities"]["pos"]);
  EXPECT_GT(pos, neg);
  EXPECT_EQ(text, fmt::format("pos\t{:.4f}\tneg\t{:.4f}\n", pos, neg));
}

TEST_F(ClassifierCommands, MeasureAClassifier) {
  train();
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("valid.tsv")}), 0) << error_;
  for (const char* part : {"precision", "recall", "F1", "accuracy", "gold \\ predicted"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("valid.tsv"), "--format", "json"}), 0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["texts"], 40);
  EXPECT_GT(json["accuracy"], 0.9);
  int counted = 0;
  for (const auto& row : json["confusion"]) {
    for (const auto& cell : row) counted += cell.get<int>();
  }
  EXPECT_EQ(counted, 40);
  EXPECT_EQ(json["classes"][1]["label"], "pos");
}

TEST_F(ClassifierCommands, TakeOtherColumnsHeadersAndGzip) {
  write_gzip(path("train.gz"), "label\tid\ttext\n" + reviews(300, 1, "17\t"));
  write("valid3.tsv", "label\tid\ttext\n" + reviews(40, 2, "18\t"));
  train({"--train", "train.gz", "--valid", "valid3.tsv", "--text-column", "3", "--header"});
  for (const char* part : {"training: 300 texts", "validation: 40 texts", "2 classes"})
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("valid3.tsv"), "--text-column", "3",
                 "--header", "--format", "json"}),
            0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["texts"], 40);
  EXPECT_GT(json["accuracy"], 0.9);
  const std::vector<std::string> without_header{"evaluate",         model("run"),    "--labeled",
                                                path("valid3.tsv"), "--text-column", "3"};
  expect_error(without_header, {"valid3.tsv:1", "names of columns (label, id, text)", "--header"});
}

TEST_F(ClassifierCommands, TakeDataAsPeopleHaveThem) {
  const auto rewritten = [&](const std::string& name, bool json) {
    std::istringstream lines(read(path(name)));
    std::string out = json ? "" : "id,review,\"tone\"\r\n";
    for (std::string line; std::getline(lines, line);) {
      const std::string label = line.substr(0, 3), text = line.substr(4);
      out += json
                 ? fmt::format("{{\"id\": 7, \"review\": \"{}\", \"tone\": \"{}\"}}\n", text, label)
                 : fmt::format("7,\"{}\",{}\r\n", text, label);
    }
    return out;
  };
  train();
  const std::string expected = read(model("run"));
  const std::vector<std::string> columns{"--max-steps",    "40",  "--text-column", "review",
                                         "--label-column", "tone"};
  for (const bool json : {false, true}) {
    const std::string train_file = json ? "train.jsonl" : "train.csv",
                      valid_file = json ? "valid.jsonl" : "valid.csv";
    write(train_file, rewritten("train.tsv", json));
    write(valid_file, rewritten("valid.tsv", json));
    std::vector<std::string> more{"--train", train_file, "--valid", valid_file};
    more.insert(more.end(), columns.begin(), columns.end());
    std::filesystem::remove_all(path("run"));
    ASSERT_EQ(run(training("run", more)), 0) << error_;
    EXPECT_TRUE(read(model("run")) == expected)
        << train_file << ": another model than of tab-separated text";
    ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path(valid_file), "--text-column",
                   "review", "--label-column", "tone"}),
              0)
        << error_;
    EXPECT_NE(out_.find("accuracy"), std::string::npos);
  }
  expect_error({"evaluate", model("run"), "--labeled", path("valid.csv"), "--text-column", "text"},
               {"valid.csv:1", "expected a column called 'text'", "id, review, tone"});
}

TEST_F(ClassifierCommands, ReadColumnNumbersOfOlderFilesOfOptions) {
  write_gzip(path("train.gz"), reviews(300, 1, "17\t"));
  const std::string options = write("options.toml", "text-column = 3\nlabel-column = 1\n");
  ASSERT_EQ(run(training("run", {"--train", "train.gz", "--valid", "train.gz", "--max-steps", "1",
                                 "--config", options})),
            0)
      << error_;
  EXPECT_NE(out_.find("2 classes"), std::string::npos) << out_;
}

TEST_F(ClassifierCommands, CompareWithTheMajority) {
  train();
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("valid.tsv")}), 0) << error_;
  EXPECT_TRUE(std::regex_search(
      out_,
      std::regex(
          R"re(accuracy  [01]\.\d{4} \(95 % 0\.\d{4} \.\. [01]\.\d{4}; always "(pos|neg)": 0\.\d{4}\))re")))
      << out_;
  EXPECT_EQ(out_.find("better than always"), std::string::npos) << out_;
  write("one-sided.tsv", "neg\tgood good\nneg\tbad bad\nneg\tgood film\n");
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("one-sided.tsv"), "--format", "json"}),
            0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["majority_class"], "neg");
  EXPECT_EQ(json["majority_share"], 1.0);
  EXPECT_LT(json["accuracy_95"][0], json["accuracy"]);
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("one-sided.tsv")}), 0) << error_;
  EXPECT_NE(out_.find("The model is no better than always answering \"neg\"."), std::string::npos)
      << out_;
}

TEST_F(ClassifierCommands, WriteDownTheirErrors) {
  train();
  write("wrong.csv", "neg,\"a good\tfilm\"\nneg,a bad film\npos,\"bad, bad, bad\"\npos,good\n");
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("wrong.csv"), "--errors",
                 path("errors.tsv")}),
            0)
      << error_;
  const std::string errors = read(path("errors.tsv"));
  EXPECT_TRUE(errors.starts_with("label\tprediction\tprobability\ttext\n")) << errors;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 3) << errors;
  EXPECT_TRUE(std::regex_search(errors, std::regex("\nneg\tpos\t[01]\\.\\d{4}\ta good film\n")))
      << errors;
  EXPECT_TRUE(std::regex_search(errors, std::regex("\npos\tneg\t[01]\\.\\d{4}\tbad, bad, bad\n")))
      << errors;
  EXPECT_EQ(run({"evaluate", model("run"), "--labeled", path("errors.tsv"), "--text-column", "text",
                 "--label-column", "label"}),
            0)
      << error_;
  expect_error({"evaluate", model("run"), "--labeled", path("wrong.csv"), "--errors",
                path("none/errors.tsv")},
               {"none"});
}

TEST_F(ClassifierCommands, ResumeToTheSameBytes) {
  const std::vector<std::string> settings{"--max-steps",   "9",   "--save-every",   "2",
                                          "--valid-every", "4",   "--ema-decay",    "0.9",
                                          "--dropout",     "0.1", "--word-dropout", "0.2"};
  ASSERT_EQ(run(training("whole", settings)), 0) << error_;
  ASSERT_EQ(run(training("parts", settings)), 0) << error_;
  for (const int step : {6, 8, 9})
    std::filesystem::remove(
        fmt::format("{}/checkpoints/step-{:08}.safetensors", path("parts"), step));
  ASSERT_EQ(run({"train", "classification", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 4"), std::string::npos) << out_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  expect_error(training("parts", {"--dropout", "0.1", "--resume", "--n-heads", "4"}),
               {"--resume", "n-heads was", "is 4"});
  expect_error(training("parts", {"--dropout", "0.1", "--resume", "--max-length", "99"}),
               {"--resume", "max-length was", "is 99"});
}

TEST_F(ClassifierCommands, TryARunOut) {
  ASSERT_EQ(run(training("run", {"--dry-run"})), 0) << error_;
  for (const char* part : {"time per epoch", "target texts/s"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(ClassifierCommands, LookIntoAClassifier) {
  train();
  ASSERT_EQ(run({"info", model("run"), "--all"}), 0) << error_;
  for (const char* part : {"attend.task = classification", "pooling = \"max\"",
                           "3 golden classified texts: as they were", "attend.labels"})
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
  ASSERT_EQ(run({"attention", model("run"), "the story was good", "--out", path("page.html")}), 0)
      << error_;
  EXPECT_TRUE(std::regex_match(
      out_, std::regex("pos 0\\.\\d{4}, neg 0\\.\\d{4}\n.*attention.*\npage: .*page.html\n",
                       std::regex::icase)))
      << out_;
  EXPECT_NE(read(path("page.html")).find("\"/explore\":{\"classes\":[{\"label\":\"pos\""),
            std::string::npos);
  ASSERT_EQ(run({"embed", model("run")}, "the story was good\n"), 0) << error_;
  EXPECT_EQ(nlohmann::json::parse(out_)["vector"].size(), 16u);
}

TEST_F(ClassifierCommands, AverageCheckpoints) {
  train({"--save-every", "20"});
  ASSERT_EQ(run({"average", path("run"), "--out", path("mean.safetensors")}), 0) << error_;
  ASSERT_EQ(run({"info", path("mean.safetensors"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find("as they were"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", path("mean.safetensors")}, "good\n"), 0) << error_;
}

TEST_F(ClassifierCommands, NameTheLineThatIsWrong) {
  write("unknown.tsv", "pos\tgood film\nneutral\ta film\n");
  expect_error(training("run", {"--valid", "unknown.tsv"}),
               {"unknown.tsv:2", "unknown label \"neutral\"", "neg, pos"});
  write("one.tsv", "pos\tgood film\npos\tgood cats\n");
  expect_error(training("run", {"--train", "one.tsv"}), {"one.tsv", "at least two classes"});
  write("short.tsv", "pos\tgood film\nneg bad film\n");
  expect_error(training("run", {"--train", "short.tsv"}),
               {"short.tsv:2", "expected at least 2 columns", "--label-column"});
  expect_error(training("run", {"--text-column", "5"}),
               {"train.tsv:1", "expected at least 5 columns"});
  write("empty.tsv", "pos\tgood film\nneg\t\n");
  expect_error(training("run", {"--train", "empty.tsv"}), {"empty.tsv:2", "the text is empty"});
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(ClassifierCommands, NameTheOptionThatIsWrong) {
  expect_error({"train", "classification", "--out", path("run")}, {"--train"});
  expect_error(training("run", {"--class-weights", "good=2"}),
               {"class-weights", "good", "neg, pos"});
  expect_error(training("run", {"--positions", "learned", "--max-positions", "50"}),
               {"max-length", "max-positions 50"});
  expect_error(training("run", {"--word-dropout", "1"}), {"word-dropout"});
  expect_error(training("run", {"--r-drop", "-1"}), {"r-drop"});
  expect_error(training("run", {"--r-drop", "1", "--class-weights", "balanced"}),
               {"r-drop", "got class-weights"});
  expect_error(training("run", {"--r-drop", "1", "--problem-type", "multi_label"}),
               {"r-drop", "single label", "got multi_label"});
  expect_error(training("run", {"--pooling", "maximum"}), {"pooling", "max, mean, first"});
  expect_error(training("run", {"--train", "none.tsv"}), {"none.tsv"});
}

TEST_F(ClassifierCommands, KeepKindsOfModelsApart) {
  train();
  expect_error({"translate", model("run")},
               {"expected a model for translation, found one for classification"}, "good\n");
  expect_error({"attention", model("run"), "good", "--target", "gut"}, {"--target"});
  expect_error({"classify", path("none")}, {path("none")});
  expect_error({"evaluate", model("run")}, {"--labeled"});
  write("other.tsv", "pos\tgood\nmaybe\tbad\n");
  expect_error({"evaluate", model("run"), "--labeled", path("other.tsv")},
               {"other.tsv:2", "unknown label \"maybe\""});
}

class TranslatorAndClassify : public SmallRunTest {};

TEST_F(TranslatorAndClassify, AreNotMixedUp) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  expect_error({"classify", model("run")},
               {"expected a model for classification, found one for translation"}, "good\n");
}

}  // namespace
}  // namespace attend
