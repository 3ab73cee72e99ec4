// attend distill embedding: the vectors of a teacher, and the student.
#include <cmath>
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/training/taught_texts.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class DistillEmbedders : public SmallRunTest {
 protected:
  DistillEmbedders() {
    std::istringstream src(read(path("train.en"))), tgt(read(path("train.de")));
    std::string pairs, one, two;
    while (std::getline(src, one) && std::getline(tgt, two)) pairs += one + "\t" + two + "\n";
    write("pairs.tsv", pairs);
  }

  static std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
  }
  std::vector<std::string> with_folders(const std::string& command, const std::string& run,
                                        const std::vector<std::string>& more) const {
    std::vector<std::string> arguments =
        words(command +
              " --n-heads 2 --d-ff 16 --n-encoder-layers 1 --dropout 0 --batch-tokens 400 "
              "--learning-rate 0.01 --warmup-steps 5 --max-epochs 0 --save-every 10");
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(run)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void train_teacher(const std::string& more = "") {
    std::vector<std::string> options =
        words("--train pairs.tsv --max-steps 20 --d-model 16 --vocab-size 300 " + more);
    ASSERT_EQ(run(with_folders("train embedding", "teacher", options)), 0) << error_;
  }
  std::vector<std::string> distilling(const std::string& run, const std::string& more,
                                      const std::string& texts = "--unlabeled train.en") const {
    std::vector<std::string> options{path("teacher")};
    for (const std::string& word :
         words("--max-steps 30 --d-model 8 --vocab-size 200 " + more + " " + texts))
      options.push_back(word);
    return with_folders("distill embedding", run, options);
  }
  // The mean cosine of the vectors of both models.
  double agreement(const std::string& one, const std::string& two) const {
    const std::vector<std::string> texts{"a dog sleeps", "the old man sees the house"};
    const auto a = EmbeddingEngine::load(path(one)).embed(texts, {}),
               b = EmbeddingEngine::load(path(two)).embed(texts, {});
    double sum = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::vector<float> x = a[i].vectors.to_vector(), y = b[i].vectors.to_vector();
      double xy = 0, xx = 0, yy = 0;
      for (std::size_t e = 0; e < x.size(); ++e) {
        xy += x[e] * y[e];
        xx += x[e] * x[e];
        yy += y[e] * y[e];
      }
      sum += xy / std::sqrt(xx * yy) / static_cast<double>(texts.size());
    }
    return sum;
  }
  EmbedderConfig config(const std::string& run) const {
    return embedding_model(load_checkpoint(path(run))).network->config();
  }
};

TEST_F(DistillEmbedders, GiveTheVectorsOfTheirTeacher) {
  train_teacher();
  ASSERT_EQ(run(distilling("short", "--max-steps 1")), 0) << error_;
  ASSERT_EQ(run(distilling("run", "--max-steps 150")), 0) << error_;
  EXPECT_NE(out_.find("training: the vectors of 400 texts"), std::string::npos) << out_;
  const EmbedderConfig student = config("run");
  EXPECT_EQ(student.d_model, 8);
  EXPECT_EQ(student.dense_width, 16) << "a layer to the width of the teacher's vectors";
  EXPECT_EQ(student.dense_activation, Activation::none);
  EXPECT_GT(agreement("run", "teacher"), 0.7);
  EXPECT_GT(agreement("run", "teacher"), agreement("short", "teacher"));
}

TEST_F(DistillEmbedders, HaveNoLayerForVectorsOfTheirWidth) {
  train_teacher("--no-normalize");
  ASSERT_EQ(run(distilling("run", "--d-model 16")), 0) << error_;
  EXPECT_EQ(config("run").dense_width, 0);
  EXPECT_FALSE(config("run").normalize) << "as its teacher's";
  EXPECT_EQ(run(distilling("other", "--dense-width 12")), 2);
  EXPECT_NE(error_.find("expected vectors of the model's width, 12, found 16"), std::string::npos)
      << error_;
}

TEST_F(DistillEmbedders, ReadTheTextsOfPairsToo) {
  train_teacher();
  ASSERT_EQ(run(distilling("run", "", "--train pairs.tsv")), 0) << error_;
  EXPECT_GT(TaughtTexts(path("run") + "/vectors").texts().size(), 500U) << "of both sides";
}

TEST_F(DistillEmbedders, LearnByTheLossThatIsAsked) {
  train_teacher();
  ASSERT_EQ(run(distilling("squares", "")), 0) << error_;
  ASSERT_EQ(run(distilling("cosines", "--vector-loss cosine")), 0) << error_;
  EXPECT_NE(read(model("squares")), read(model("cosines")));
}

TEST_F(DistillEmbedders, GoOnWhereTheyWereStopped) {
  train_teacher();
  ASSERT_EQ(run(distilling("whole", "")), 0) << error_;
  ASSERT_EQ(run(distilling("parts", "")), 0) << error_;
  for (const char* const left :
       {"checkpoints", "model.safetensors", "config.toml", "log.jsonl", "vectors"})
    std::filesystem::remove_all(path("parts") + "/" + left);
  ASSERT_EQ(run({"distill", "embedding", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  for (const int step : {20, 30}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "embedding", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 10"), std::string::npos) << out_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(DistillEmbedders, TellWhatTheyWouldCost) {
  train_teacher();
  ASSERT_EQ(run(distilling("run", "--dry-run")), 0) << error_;
  EXPECT_NE(out_.find("answers to 400 texts"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  ASSERT_EQ(run(with_folders("distill embedding", "run",
                             words("--teacher-runs 1 --train pairs.tsv --d-model 8 --vocab-size "
                                   "200 --max-steps 5 --dry-run"))),
            0)
      << error_;
  EXPECT_NE(out_.find("1 teacher"), std::string::npos) << out_;
}

TEST_F(DistillEmbedders, RefuseWhatDoesNotFit) {
  train_teacher();
  const auto refuses = [&](const std::string& more, const std::string& texts,
                           const std::string& message) {
    EXPECT_NE(run(distilling("run", more, texts)), 0) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    std::filesystem::remove_all(path("run"));
  };
  const std::string text = "--unlabeled train.en";
  refuses("", "", "--unlabeled: expected the texts");
  refuses("--vectors x", text, "--vectors: expected none");
  refuses("--matryoshka 4", text, "matryoshka: does not work with --vectors");
  refuses(path("teacher"), text, "expected at most 1 teacher");
  EXPECT_EQ(run(with_folders("train embedding", "other",
                             words("--train pairs.tsv --vectors " + path("teacher")))),
            2);
  EXPECT_NE(error_.find("vectors: expected no --train beside it"), std::string::npos) << error_;
  EXPECT_EQ(run(with_folders("train embedding", "other",
                             words("--train pairs.tsv --vector-loss cosine"))),
            2);
  EXPECT_NE(error_.find("vector-loss: works only with --vectors"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
