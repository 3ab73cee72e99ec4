#include <nlohmann/json.hpp>

#include "cli/small_run.h"

namespace attend {
namespace {

class PrepareCommand : public SmallRunTest {
 protected:
  std::vector<std::string> prepare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"prepare",      "translation", "--data",      folder_,
                                 "--src-train",  "train.en",    "--tgt-train", "train.de",
                                 "--vocab-size", "300",         "--out",       path("corpus")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // training() from the prepared folder, whose vocabulary it does not name again.
  std::vector<std::string> from_disk(const std::string& run,
                                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = training(run, {"--max-steps", "6", "--valid-every", "0"});
    for (const char* option : {"--src-train", "--tgt-train", "--vocab-size"}) {
      const auto at = std::find(all.begin(), all.end(), option);
      all.erase(at, at + 2);
    }
    all.insert(all.end(), {"--prepared", "corpus"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(PrepareCommand, WritesATextThatTrainsTheSameModel) {
  ASSERT_EQ(run(prepare()), 0) << error_;
  for (const char* words : {"400 pairs: 400 kept", "learned from 400", "in 1 shard", "--prepared"})
    EXPECT_NE(out_.find(words), std::string::npos) << out_;
  ASSERT_EQ(run(from_disk("of_disk")), 0) << error_;
  for (const char* words : {"400 kept", "it stays on disk, in 1 shard"})
    EXPECT_NE(out_.find(words), std::string::npos) << out_;
  ASSERT_EQ(run(training("of_text", {"--max-steps", "6", "--valid-every", "0"})), 0) << error_;
  EXPECT_EQ(read(model("of_disk")), read(model("of_text")));
}

TEST_F(PrepareCommand, RunsCanBeResumed) {
  ASSERT_EQ(run(prepare()), 0) << error_;
  ASSERT_EQ(run(from_disk("whole", {"--save-every", "3"})), 0) << error_;
  ASSERT_EQ(run(from_disk("parts", {"--save-every", "3"})), 0) << error_;
  std::filesystem::remove(checkpoint("parts", 6));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(PrepareCommand, SaysWhatADryRunWouldTake) {
  ASSERT_EQ(run(prepare()), 0) << error_;
  ASSERT_EQ(run(from_disk("dry", {"--dry-run"})), 0) << error_;
  EXPECT_NE(out_.find("the order of an epoch takes 1 MiB of memory"), std::string::npos) << out_;
}

TEST_F(PrepareCommand, ReportsAsJson) {
  ASSERT_EQ(run(prepare({"--format", "json", "--max-length", "24"})), 0) << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["pairs"], 400);
  EXPECT_EQ(json["kept"].get<int>() + json["over_long"].get<int>(), 400);
  EXPECT_GT(json["over_long"], 0);
  EXPECT_EQ(json["task"], "translation");
  EXPECT_EQ(json["vocabulary_learned_from"], 400);
  EXPECT_EQ(json["bytes"].get<std::uintmax_t>(),
            std::filesystem::file_size(path("corpus/00000.shard")));
}

TEST_F(PrepareCommand, SettlesTheOptionsOfTheText) {
  ASSERT_EQ(run(prepare({"--max-length", "30", "--over-long", "truncate"})), 0) << error_;
  ASSERT_EQ(run(from_disk("run", {"--print-config"})), 0) << error_;
  for (const char* line : {"vocab-size = 300", "max-length = 30", "over-long = \"truncate\""})
    EXPECT_NE(out_.find(line), std::string::npos) << out_;
  expect_error(from_disk("run", {"--vocab-size", "200"}),
               {"corpus", "prepared with vocab-size 300", "--vocab-size 200"});
  expect_error(from_disk("run", {"--max-length", "20"}), {"prepared with max-length 30"});
  ASSERT_EQ(run(from_disk("run", {"--vocab-size", "300"})), 0) << error_;
}

TEST_F(PrepareCommand, SaysWhatItNeeds) {
  expect_error({"prepare", "translation", "--out", path("corpus")}, {"--src-train"});
  expect_error({"prepare", "lm", "--out", path("corpus")}, {"--train"});
  std::vector<std::string> nowhere = prepare();
  nowhere.resize(nowhere.size() - 2);
  expect_error(nowhere, {"--out"});
  expect_error(prepare({"--tokenizer-from", path("none")}), {"--tokenizer-from", "vocab-size"});
  expect_error(from_disk("run"), {"corpus", "attend prepare"});
  ASSERT_EQ(run(prepare()), 0) << error_;
  expect_error(prepare(), {"corpus", "not empty"});
  expect_error(training("run", {"--prepared", "corpus"}), {"prepared", "--src-train", "both"});
  expect_error({"train", "lm", "--prepared", path("corpus"), "--out", path("run")},
               {"corpus", "attend prepare lm", "translation"});
}

TEST_F(PrepareCommand, TakesTheVocabularyOfARun) {
  ASSERT_EQ(run(training("run", {"--max-steps", "6", "--valid-every", "0"})), 0) << error_;
  std::vector<std::string> arguments = prepare({"--tokenizer-from", path("run")});
  const auto size = std::find(arguments.begin(), arguments.end(), "--vocab-size");
  arguments.erase(size, size + 2);
  ASSERT_EQ(run(arguments), 0) << error_;
  EXPECT_EQ(out_.find("learned"), std::string::npos) << out_;
  ASSERT_EQ(run(from_disk("of_disk")), 0) << error_;
  EXPECT_EQ(read(model("of_disk")), read(model("run")));
}

// Options of a vocabulary that is learned.
TEST_F(PrepareCommand, LearnsNothingBesideAGivenVocabulary) {
  std::vector<std::string> arguments = prepare({"--tokenizer-from", path("none")});
  const auto size = std::find(arguments.begin(), arguments.end(), "--vocab-size");
  arguments.erase(size, size + 2);
  const std::vector<std::vector<std::string>> learning{{"--tokenizer", "bpe"},
                                                       {"--character-coverage", "0.99"},
                                                       {"--byte-fallback"},
                                                       {"--normalization", "identity"},
                                                       {"--no-joint-vocabulary"},
                                                       {"--sample-lines", "7"},
                                                       {"--seed", "2"}};
  for (const std::vector<std::string>& option : learning) {
    std::vector<std::string> both = arguments;
    both.insert(both.end(), option.begin(), option.end());
    const std::string name = option[0] == "--no-joint-vocabulary" ? "joint-vocabulary" : option[0];
    expect_error(both, {"--tokenizer-from", name});
  }
}

TEST_F(PrepareCommand, SaysOfATextWhatTrainingSays) {
  ASSERT_EQ(run({"prepare", "lm", "--train", path("train.en"), "--vocab-size", "300", "--out",
                 path("lines")}),
            0)
      << error_;
  const std::string summary = out_.substr(0, out_.find('\n'));
  EXPECT_NE(summary.find("400 lines"), std::string::npos) << summary;
  ASSERT_EQ(run({"train",         "lm",  "--train",     path("train.en"),
                 "--vocab-size",  "300", "--d-model",   "16",
                 "--n-heads",     "2",   "--d-ff",      "16",
                 "--n-layers",    "1",   "--max-steps", "1",
                 "--valid-every", "0",   "--out",       path("run")}),
            0)
      << error_;
  EXPECT_NE(out_.find("training text: " + summary + "\n"), std::string::npos) << summary << "\n"
                                                                              << out_;
}

}  // namespace
}  // namespace attend
