// attend train classification --init-from, with an encoder of another program; attend embed with
// texts that are longer than it reads.
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class InitialClassifierCommand : public SmallRunTest {
 protected:
  InitialClassifierCommand() {
    write("texts.tsv",
          "dog\tA man is walking with his dog.\nbook\tShe reads a book.\n"
          "dog\tThe dog runs away.\nbook\tTwo old books.\n");
  }

  static std::string directory(const std::string& name) {
    return std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name;
  }
  std::vector<std::string> started_from(const std::string& model, const std::string& run,
                                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",          "classification",
                                       "--init-from",    model,
                                       "--train",        path("texts.tsv"),
                                       "--out",          path(run),
                                       "--max-steps",    "4",
                                       "--warmup-steps", "2",
                                       "--save-every",   "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(InitialClassifierCommand, GivesAnEncoderANewHeadAndResumesToTheSameBytes) {
  const std::string encoder = directory("bert_sentences");
  ASSERT_EQ(run(started_from(encoder, "whole")), 0) << error_;
  EXPECT_NE(out_.find("a new head on the encoder, with pooling mean"), std::string::npos) << out_;
  ASSERT_EQ(run(started_from(encoder, "parts")), 0) << error_;
  std::filesystem::remove(checkpoint("parts", 4));
  ASSERT_EQ(run({"train", "classification", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  const Checkpoint trained = load_checkpoint(path("whole"));
  EXPECT_EQ(trained.text("attend.task"), "classification");
  EXPECT_EQ(trained.text("attend.labels"), R"(["book","dog"])");
  EXPECT_NE(trained.text("attend.config").find(R"("bos":true)"), std::string::npos);
  EXPECT_NE(trained.text("attend.text").find(R"("max_length":10)"), std::string::npos);
}

TEST_F(InitialClassifierCommand, LeavesPoolingAndHeadToTheUserAndKeepsTheArchitecture) {
  const std::string encoder = directory("bert_sentences");
  ASSERT_EQ(run(started_from(encoder, "run", {"--pooling", "first", "--head", "tanh"})), 0)
      << error_;
  const Checkpoint trained = load_checkpoint(path("run"));
  EXPECT_TRUE(trained.find("head.weight") != nullptr);
  EXPECT_NE(trained.text("attend.config").find(R"("pooling":"first")"), std::string::npos);
  EXPECT_NE(run(started_from(encoder, "other", {"--d-ff", "99"})), 0);
  EXPECT_NE(error_.find("leave --d-ff 99 out"), std::string::npos) << error_;
  EXPECT_NE(run(started_from(encoder, "other", {"--max-length", "5000"})), 0);
  EXPECT_NE(error_.find("max-length"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

// The new classifier is a BERT as transformers knows it.
TEST_F(InitialClassifierCommand, TrainsWhatCanBeExported) {
  const std::vector<std::string> head{"--pooling", "first", "--head", "tanh"};
  ASSERT_EQ(run(started_from(directory("bert_sentences"), "run", head)), 0) << error_;
  ASSERT_EQ(run({"export", path("run"), "--out", path("bert")}), 0) << error_;
  EXPECT_NE(read(path("bert/config.json")).find("BertForSequenceClassification"),
            std::string::npos);
  ASSERT_EQ(run(started_from(path("bert"), "again")), 0) << error_;
  EXPECT_EQ(out_.find("new"), std::string::npos) << "its labels are the same: " << out_;
}

TEST_F(InitialClassifierCommand, RefusesAnotherModelBesideResume) {
  const std::string encoder = directory("bert_sentences");
  ASSERT_EQ(run(started_from(encoder, "run")), 0) << error_;
  EXPECT_EQ(run(started_from(encoder, "run", {"--resume"})), 0) << error_;
  EXPECT_NE(run(started_from(directory("bert_classifier"), "run", {"--resume"})), 0);
  EXPECT_NE(error_.find("--init-from"), std::string::npos) << error_;
  EXPECT_NE(error_.find("bert_sentences"), std::string::npos) << error_;
}

TEST_F(InitialClassifierCommand, EmbedSaysHowManyTextsWereTruncated) {
  ASSERT_EQ(run({"import", directory("bert_sentences"), "--out", path("e.safetensors")}), 0)
      << error_;
  const std::string texts = "A dog.\nA man is walking with his dog in the garden of the house.\n";
  ASSERT_EQ(run({"embed", path("e.safetensors")}, texts), 0) << error_;
  EXPECT_NE(error_.find("1 of 2 texts had more tokens than the 8 that the model reads and was "
                        "truncated"),
            std::string::npos)
      << error_;
  ASSERT_EQ(run({"embed", path("e.safetensors"), "--npy", path("v.npy")}, texts), 0) << error_;
  EXPECT_NE(error_.find("1 of 2 texts"), std::string::npos) << error_;
  ASSERT_EQ(run({"embed", path("e.safetensors")}, "A dog.\n"), 0) << error_;
  EXPECT_EQ(error_, "");
}

}  // namespace
}  // namespace attend
