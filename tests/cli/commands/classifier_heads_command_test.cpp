// Classifiers that give several labels, numbers or tags, from the command line.
#include <nlohmann/json.hpp>

#include "cli/commands/classifier_commands.h"

namespace attend {
namespace {

class ClassifierHeads : public ClassifierCommands {
 protected:
  ClassifierHeads() {
    std::istringstream lines(reviews(200, 3));
    std::string several, numbers, pairs, tagged;
    for (std::string line; std::getline(lines, line);) {
      const std::string label = line.substr(0, 3), text = line.substr(4);
      const bool cats = text.find("cats") != std::string::npos;
      several +=
          (label == "pos" ? "pos" : "") + std::string(cats ? ",cats" : "") + "\t" + text + "\n";
      numbers += std::string(label == "pos" ? "1.5" : "-0.5") + "\t" + text + "\n";
      pairs += label + "\tthe film\t" + text + "\n";
      std::istringstream words(text);
      for (std::string word; words >> word;)
        tagged += word + (word == "good" || word == "bad" ? " B-MOOD\n" : " O\n");
      tagged += "\n";
    }
    write("several.tsv", several);
    write("numbers.tsv", numbers);
    write("pairs.tsv", pairs);
    write("tagged.conll", tagged);
  }

  void train_head(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> options{"--train", file, "--valid", file, "--max-steps", "60"};
    options.insert(options.end(), more.begin(), more.end());
    ASSERT_EQ(run(training("run", options)), 0) << error_;
  }
  nlohmann::json json_of(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--format", "json"});
    EXPECT_EQ(run(all, input), 0) << error_;
    return nlohmann::json::parse(out_);
  }
};

TEST_F(ClassifierHeads, PrintTheLabelsOfAText) {
  train_head("several.tsv", {"--problem-type", "multi_label"});
  EXPECT_NE(out_.find("2 labels, any number per text"), std::string::npos) << out_;
  EXPECT_NE(out_.find("micro_f1"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run")}, "the story was good\na bad film\ngood cats\n"), 0)
      << error_;
  EXPECT_TRUE(out_.starts_with("pos\t0.")) << out_;
  EXPECT_NE(out_.find("\n\n"), std::string::npos) << "no label at all: " << out_;
  EXPECT_NE(out_.substr(out_.find("\n\n")).find("cats\t"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run"), "--threshold", "0"}, "a bad film\n"), 0);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\t'), 3) << out_;
  const auto json = json_of({"classify", model("run")}, "the good film\n");
  EXPECT_EQ(json["labels"], nlohmann::json::array({"pos"}));
  EXPECT_GT(json["probabilities"]["pos"], 0.5);
  const auto scores = json_of({"evaluate", model("run"), "--labeled", path("several.tsv")});
  EXPECT_EQ(scores["texts"], 200);
  EXPECT_GT(scores["micro"]["f1"], 0.9);
  EXPECT_EQ(scores["labels"][0]["label"], "cats");
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("several.tsv")}), 0);
  EXPECT_NE(out_.find("all labels of a text right"), std::string::npos) << out_;
  expect_error({"evaluate", model("run"), "--labeled", path("several.tsv"), "--errors", path("e")},
               {"--errors", "single label"});
}

TEST_F(ClassifierHeads, PrintNumbers) {
  train_head("numbers.tsv", {"--problem-type", "regression"});
  EXPECT_NE(out_.find("spearman"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run")}, "the story was good\na bad film\n"), 0) << error_;
  std::istringstream numbers(out_);
  double good = 0, bad = 0;
  numbers >> good >> bad;
  EXPECT_NEAR(good, 1.5, 0.3);
  EXPECT_NEAR(bad, -0.5, 0.3);
  const auto json = json_of({"classify", model("run")}, "the good film\n");
  EXPECT_NEAR(json["value"], 1.5, 0.3);
  const auto scores = json_of({"evaluate", model("run"), "--labeled", path("numbers.tsv")});
  EXPECT_GT(scores["pearson"], 0.9);
  EXPECT_LT(scores["mse"], 0.2);
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("numbers.tsv")}), 0);
  EXPECT_NE(out_.find("mean squared error"), std::string::npos) << out_;
  expect_error({"classify", model("run"), "--threshold", "0.4"}, {"--threshold"});
  expect_error({"evaluate", model("run"), "--labeled", path("several.tsv")},
               {"several.tsv:1: expected a number"});
  expect_error({"attention", model("run"), "a text", "--out", path("page.html")},
               {"expected a classifier of single texts"});
}

TEST_F(ClassifierHeads, ReadPairs) {
  train_head("pairs.tsv", {"--second-column", "3"});
  EXPECT_NE(out_.find("pairs of texts"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run")}, "the film\tthe story was good\n"), 0) << error_;
  EXPECT_TRUE(out_.starts_with("pos\t")) << out_;
  EXPECT_NE(run({"classify", model("run"), "--on-error", "stop"}, "the story was good\n"), 0);
  EXPECT_NE(error_.find("expected a pair of texts with a tab between, found 0 tabs"),
            std::string::npos)
      << error_;
  expect_error({"evaluate", model("run"), "--labeled", path("pairs.tsv")}, {"--second-column"});
  const auto scores =
      json_of({"evaluate", model("run"), "--labeled", path("pairs.tsv"), "--second-column", "3"});
  EXPECT_GT(scores["accuracy"], 0.9);
}

TEST_F(ClassifierHeads, TagWords) {
  std::vector<std::string> arguments =
      training("run", {"--train", "tagged.conll", "--valid", "tagged.conll", "--max-steps", "60"});
  arguments[1] = "tagging";
  ASSERT_EQ(run(arguments), 0) << error_;
  EXPECT_NE(out_.find("training: 200 texts with"), std::string::npos) << out_;
  EXPECT_NE(out_.find("entity_f1"), std::string::npos) << out_;
  ASSERT_EQ(run({"classify", model("run")}, "a good film\n\nbad\n"), 0) << error_;
  EXPECT_EQ(out_, "a\tO\tgood\tB-MOOD\tfilm\tO\n\nbad\tB-MOOD\n");
  const auto json = json_of({"classify", model("run")}, "a good film\n");
  EXPECT_EQ(json["words"], nlohmann::json::array({"a", "good", "film"}));
  EXPECT_EQ(json["tags"][1], "B-MOOD");
  EXPECT_EQ(json["probabilities"].size(), 3u);
  ASSERT_EQ(json["entities"].size(), 1u);
  nlohmann::json entity = json["entities"][0];
  EXPECT_GT(entity["score"], 0.5);
  entity.erase("score");
  EXPECT_EQ(entity, nlohmann::json::parse(R"({"type": "MOOD", "text": "good", "begin": 1, "end": 2,
                                              "start_char": 2, "end_char": 6})"));
  const auto scores = json_of({"evaluate", model("run"), "--labeled", path("tagged.conll")});
  EXPECT_GT(scores["micro"]["f1"], 0.95);
  EXPECT_EQ(scores["entities"][0]["type"], "MOOD");
  ASSERT_EQ(run({"info", model("run")}), 0) << error_;
  EXPECT_NE(out_.find("token classification"), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", model("run"), "--out", path("small.safetensors")}), 0) << error_;
  ASSERT_EQ(run({"classify", path("small.safetensors")}, "a good film\n"), 0) << error_;
  ASSERT_EQ(run({"embed", model("run")}, "a good film\n"), 0) << error_;
  expect_error({"classify", model("run"), "--pairs"}, {"--pairs", "tags words"});
  expect_error({"evaluate", model("run"), "--labeled", path("tagged.conll"), "--errors", path("e")},
               {"--errors", "tags words"});
  write("bad.conll", "good B-MOOD\nfilm\n");
  expect_error({"evaluate", model("run"), "--labeled", path("bad.conll")},
               {"bad.conll:2: expected a word and its tag"});
}

}  // namespace
}  // namespace attend
