// attend train embedding, from scratch and from other models; what it leaves works in the commands
// that use embedding models.
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class EmbeddingTrainingCommand : public SmallRunTest {
 protected:
  EmbeddingTrainingCommand() {
    write("pairs.csv",
          "anchor,positive\n\"A man is walking, with his dog.\",A dog walks.\n"
          "She reads a book.,She is reading.\nThe dog runs away.,A dog flees.\n"
          "Two old books.,Books of old times.\n");
    write("triplets.tsv",
          "A man walks his dog.\tA dog walks.\tShe reads.\nShe reads a book.\tA book is read.\tA "
          "dog.\n");
    write(
        "labeled.jsonl",
        "{\"label\": \"dog\", \"text\": \"A dog walks.\"}\n{\"label\": \"book\", \"text\": "
        "\"She reads.\"}\n{\"label\": \"dog\", \"text\": \"The dog runs.\"}\n{\"label\": \"book\", "
        "\"text\": \"A book is read.\"}\n");
  }

  static std::string directory(const std::string& name) {
    return std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name;
  }
  int train(const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train",        "embedding", "--out",           path(out),
                                       "--max-steps",  "4",         "--warmup-steps",  "1",
                                       "--save-every", "2",         "--learning-rate", "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::vector<std::string> pairs(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--train", path("pairs.csv"), "--valid", path("pairs.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string vectors(const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"embed", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments, "A dog walks.\nShe reads.\n"), 0) << error_;
    return out_;
  }
};

TEST_F(EmbeddingTrainingCommand, TrainsFromScratch) {
  ASSERT_EQ(train("run", pairs({"--d-model", "16", "--n-heads", "2", "--d-ff", "16", "--vocab-size",
                                "60"})),
            0)
      << error_;
  EXPECT_NE(out_.find("training: 4 pairs of 8 texts"), std::string::npos) << out_;
  EXPECT_NE(out_.find("mrr"), std::string::npos) << out_;
  EXPECT_EQ(load_checkpoint(path("run")).text("attend.task"), "embedding");
  EXPECT_FALSE(vectors(path("run")).empty());
  ASSERT_EQ(run({"evaluate", path("run"), "--pairs", path("pairs.csv")}), 0) << error_;
  EXPECT_NE(out_.find("queries    4\n"), std::string::npos) << out_;
  ASSERT_EQ(run({"info", path("run")}), 0) << error_;
  EXPECT_NE(out_.find("embedding, BPE 60, text as it is written, step "), std::string::npos)
      << out_;
  EXPECT_NE(out_.find(", nDCG "), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", path("run"), "--out", path("small")}), 0) << error_;
}

TEST_F(EmbeddingTrainingCommand, StartsFromImportedModels) {
  for (const char* model : {"bert_sentences", "xlm_roberta_sentences", "bert_classifier"}) {
    ASSERT_EQ(run({"import", directory(model), "--out", path("base")}), 0) << error_;
    ASSERT_EQ(train(model, pairs({"--init-from", directory(model)})), 0) << model << error_;
    ASSERT_EQ(train(std::string(model) + "_file", pairs({"--init-from", path("base")})), 0);
    EXPECT_EQ(read(path(model) + "/model.safetensors"),
              read(path(std::string(model) + "_file") + "/model.safetensors"));
  }
  ASSERT_EQ(run({"export", path("bert_sentences"), "--out", path("exported")}), 0) << error_;
  EXPECT_NE(train("run", pairs({"--init-from", directory("marian")})), 0);
  EXPECT_NE(error_.find("expected a model for embedding or classification, found one for "
                        "translation"),
            std::string::npos)
      << error_;
}

TEST_F(EmbeddingTrainingCommand, TakesPoolingAndNormalizationOfItsOwn) {
  ASSERT_EQ(train("run", pairs({"--init-from", directory("bert_sentences"), "--pooling", "max",
                                "--no-normalize"})),
            0)
      << error_;
  const std::string config = load_checkpoint(path("run")).text("attend.config");
  EXPECT_NE(config.find("\"pooling\":\"max\""), std::string::npos) << config;
  EXPECT_NE(config.find("\"normalize\":false"), std::string::npos) << config;
  EXPECT_NE(train("other", pairs({"--init-from", directory("bert_sentences"), "--d-model", "32"})),
            0);
  EXPECT_NE(error_.find("leave --d-model 32 out"), std::string::npos) << error_;
}

TEST_F(EmbeddingTrainingCommand, ResumesToTheSameBytes) {
  const std::string init = directory("bert_sentences");
  const std::vector<std::vector<std::string>> kinds{
      pairs({"--init-from", init, "--symmetric", "--matryoshka", "8"}),
      {"--init-from", init, "--texts", "triplets", "--train", path("triplets.tsv")},
      {"--init-from", init, "--texts", "labeled", "--train", path("labeled.jsonl"), "--valid",
       path("labeled.jsonl")},
      pairs({"--init-from", init, "--lora-rank", "2"})};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string whole = fmt::format("whole{}", i), parts = fmt::format("parts{}", i);
    ASSERT_EQ(train(whole, kinds[i]), 0) << error_;
    ASSERT_EQ(train(parts, kinds[i]), 0) << error_;
    std::filesystem::remove(checkpoint(parts, 4));
    std::filesystem::remove(path(parts) + "/model.safetensors");
    ASSERT_EQ(run({"train", "embedding", "--resume", "--out", path(parts)}), 0) << error_;
    EXPECT_EQ(read(checkpoint(parts, 4)), read(checkpoint(whole, 4))) << i;
  }
}

TEST_F(EmbeddingTrainingCommand, MergesAdapters) {
  ASSERT_EQ(train("adapter", pairs({"--init-from", directory("bert_sentences"), "--lora-rank", "2",
                                    "--lora-targets", "*_proj.weight"})),
            0)
      << error_;
  ASSERT_EQ(run({"merge", directory("bert_sentences"), path("adapter"), "--out", path("merged")}),
            0)
      << error_;
  EXPECT_EQ(out_, path("merged") + ": a model for embedding\n");
  ASSERT_EQ(run({"import", directory("bert_sentences"), "--out", path("base")}), 0) << error_;
  EXPECT_NE(vectors(path("merged")), vectors(path("base")));
}

TEST_F(EmbeddingTrainingCommand, NamesTheLineOfBadData) {
  const std::string bad = write("bad.tsv", "one\ttwo\nthree\n");
  EXPECT_NE(train("run", {"--train", bad}), 0);
  EXPECT_NE(error_.find("bad.tsv:2: expected at least 2 columns"), std::string::npos) << error_;
  EXPECT_NE(train("run", {"--train", path("triplets.tsv"), "--valid-scored", path("triplets.tsv")}),
            0);
  EXPECT_NE(error_.find("triplets.tsv:1: expected a number as the score"), std::string::npos)
      << error_;
  EXPECT_NE(train("run", pairs({"--anchor-column", "first"})), 0);
  EXPECT_NE(error_.find("a column called 'first' (anchor-column)"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

}  // namespace
}  // namespace attend
