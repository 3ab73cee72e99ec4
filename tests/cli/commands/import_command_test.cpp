#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "cli/program_test.h"

namespace attend {
namespace {

class ImportCommand : public ProgramTest {
 protected:
  const std::string models_ = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/",
                    directory_ = models_ + "marian";
  const std::string golden_ = directory_ + "/golden.safetensors";
};

TEST_F(ImportCommand, WritesAModelThatTranslatesAndProvesWhatItComputes) {
  ASSERT_EQ(run({"import", directory_, "--out", path("model"), "--golden", golden_}), 0) << error_;
  EXPECT_NE(out_.find("tokens     9 of 9 texts equal"), std::string::npos) << out_;
  EXPECT_NE(out_.find("greedy     9 of 9 texts equal"), std::string::npos) << out_;
  EXPECT_NE(out_.find("logits"), std::string::npos) << out_;
  EXPECT_NE(out_.find("a marian model, 8,751 parameters"), std::string::npos) << out_;
  ASSERT_EQ(run({"translate", path("model")}, "A man is walking with his dog.\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1);
}

TEST_F(ImportCommand, TellsProgramsHowItComparesWithItsOriginal) {
  ASSERT_EQ(
      run({"import", directory_, "--out", path("model"), "--golden", golden_, "--format", "json"}),
      0)
      << error_;
  const nlohmann::json json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["family"], "marian");
  EXPECT_EQ(json["parameters"], 8751);
  EXPECT_EQ(json["comparison"]["equal_tokens"], json["comparison"]["texts"]);
  EXPECT_EQ(json["comparison"]["equal_greedy"], 9);
  EXPECT_LT(json["comparison"]["largest_differences"]["logits"], 1e-5);
  ASSERT_EQ(run({"import", directory_, "--out", path("model"), "--format", "json"}), 0) << error_;
  EXPECT_FALSE(nlohmann::json::parse(out_).contains("comparison"));
}

TEST_F(ImportCommand, NamesTheFirstLayerThatDiffersAndWritesNothing) {
  const std::string other = std::string(ATTEND_SOURCE_DIR) +
                            "/tests/interchange/data/models/marian_separate/golden.safetensors";
  EXPECT_EQ(run({"import", directory_, "--out", path("model"), "--golden", other}), 1);
  EXPECT_FALSE(std::filesystem::exists(path("model")));
  std::filesystem::copy(directory_, path("changed"));
  Checkpoint weights;
  const SafetensorsFile file = SafetensorsFile::open(path("changed/model.safetensors"));
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    tensors.push_back({name, file.tensor(name).clone()});
    if (name == "model.encoder.layers.1.fc1.bias") tensors.back().tensor.data()[3] += 0.01f;
  }
  write_safetensors(path("changed/model.safetensors"), tensors, {});
  EXPECT_EQ(run({"import", path("changed"), "--out", path("model"), "--golden", golden_}), 1);
  EXPECT_NE(error_.find("encoder layer 2"), std::string::npos) << error_;
  EXPECT_NE(error_.find("nothing was written"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

TEST_F(ImportCommand, WritesAnEmbeddingModelForAllCommandsThatTakeOne) {
  const std::string sentences = models_ + "bert_sentences";
  ASSERT_EQ(run({"import", sentences, "--out", path("model"), "--golden",
                 sentences + "/golden.safetensors"}),
            0)
      << error_;
  EXPECT_NE(out_.find("tokens     9 of 9 texts equal"), std::string::npos) << out_;
  EXPECT_NE(out_.find("vectors "), std::string::npos) << out_;
  EXPECT_EQ(out_.find("greedy"), std::string::npos) << out_;
  EXPECT_NE(out_.find("a bert model, "), std::string::npos) << out_;
  const std::string text = "A man is walking.\n";
  ASSERT_EQ(run({"embed", path("model")}, text), 0) << error_;
  const std::string plain = out_;
  EXPECT_EQ(nlohmann::json::parse(plain)["vector"].size(), 16u);
  ASSERT_EQ(run({"embed", path("model"), "--prompt", "query"}, text), 0) << error_;
  EXPECT_NE(out_, plain);
  expect_error({"embed", path("model"), "--prompt", "search"},
               {"prompt: expected one of the model's, passage, query; got 'search'"}, text);
  run({"embed", path("model"), "--npy", path("vectors.npy")}, text + "\xff\n");
  EXPECT_NE(error_.find("standard input:2"), std::string::npos) << error_;
  const std::string vectors = read(path("vectors.npy"));
  EXPECT_NE(vectors.find("'shape': (2, 16)"), std::string::npos);
  EXPECT_EQ(vectors.substr(vectors.size() - 64), std::string(64, '\0'));
  ASSERT_EQ(run({"info", path("model")}), 0) << error_;
  EXPECT_NE(out_.find("embedding, WordPiece 140"), std::string::npos) << out_;
  EXPECT_NE(out_.find("3 golden embedded texts"), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", path("model"), "--out", path("small")}), 0) << error_;
  ASSERT_EQ(run({"embed", path("small")}, text), 0) << error_;
  EXPECT_NE(out_, plain);
  write("corpus", "Two children play.\nA man plays.\n");
  ASSERT_EQ(
      run({"embed", "nearest", path("model"), "--word", "man", "--corpus", path("corpus")}, text),
      0)
      << error_;
  EXPECT_NE(out_.find("\t2\tA man plays."), std::string::npos) << out_;
  ASSERT_EQ(run({"attention", path("model"), "A man is walking.", "--out", path("page.html")}), 0)
      << error_;
  EXPECT_NE(out_.find("entropy"), std::string::npos) << out_;
  EXPECT_NE(read(path("page.html")).find("\"encoder\""), std::string::npos);
  ASSERT_EQ(run({"attention", path("model"), "A man is walking.", "--out", path("page.html"),
                 "--format", "json"}),
            0)
      << error_;
  EXPECT_EQ(nlohmann::json::parse(out_)["attention"]["heads"].size(), 2u);
  expect_error({"attention", path("model"), "A man.", "--why", "--out", path("page.html")},
               {"--why: expected a classifier, got a model for embedding"});
  expect_error({"attention", path("model"), "A man.", "--target", "x", "--out", path("page.html")},
               {"--target: expected a model for translation, got one for embedding"});
  expect_error({"translate", path("model")}, {"expected a model for translation", "embedding"},
               text);
  expect_error({"evaluate", path("model")},
               {"--pairs: expected a file to measure the embedding model on"});
}

TEST_F(ImportCommand, WritesAClassifierForAllCommandsThatTakeOne) {
  const std::string classifier = models_ + "distilbert_classifier";
  ASSERT_EQ(run({"import", classifier, "--out", path("model"), "--golden",
                 classifier + "/golden.safetensors"}),
            0)
      << error_;
  EXPECT_NE(out_.find("labels     9 of 9 texts equal"), std::string::npos) << out_;
  const std::string text = "A man is walking.\n";
  ASSERT_EQ(run({"classify", path("model")}, text), 0) << error_;
  for (const char* label : {"negative", "neutral", "positive"})
    EXPECT_NE(out_.find(label), std::string::npos) << out_;
  write("labeled.tsv", "positive\tA man.\nnegative\tTwo children.\n");
  ASSERT_EQ(run({"evaluate", path("model"), "--labeled", path("labeled.tsv")}), 0) << error_;
  EXPECT_NE(out_.find("accuracy"), std::string::npos) << out_;
  ASSERT_EQ(run({"embed", path("model")}, text), 0) << error_;
  ASSERT_EQ(run({"quantize", path("model"), "--out", path("small")}), 0) << error_;
  ASSERT_EQ(run({"classify", path("small")}, text), 0) << error_;
  ASSERT_EQ(run({"attention", path("model"), "A man.", "--why", "--out", path("page.html")}), 0)
      << error_;
  ASSERT_EQ(run({"info", path("model")}), 0) << error_;
  EXPECT_NE(out_.find("classification, WordPiece 140"), std::string::npos) << out_;
}

TEST_F(ImportCommand, TellsWhatItHadToGuess) {
  ASSERT_EQ(run({"import", models_ + "bert_older", "--out", path("model")}), 0) << error_;
  EXPECT_NE(out_.find("no modules.json"), std::string::npos) << out_;
}

TEST_F(ImportCommand, SaysWhatIsMissing) {
  EXPECT_EQ(run({"import", path("nowhere"), "--out", path("model")}), 1);
  EXPECT_NE(error_.find("nowhere"), std::string::npos) << error_;
  EXPECT_EQ(run({"import", directory_, "--out", path("model"), "--golden",
                 directory_ + "/model.safetensors"}),
            1);
  EXPECT_NE(error_.find("kind"), std::string::npos) << error_;
}

TEST_F(ImportCommand, MakesAModelOfSeveralLanguages) {
  const std::string nllb = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/nllb";
  ASSERT_EQ(run({"import", nllb, "--out", path("model"), "--tgt-lang", "fra_Latn"}), 0) << error_;
  ASSERT_EQ(run({"info", path("model")}), 0) << error_;
  EXPECT_NE(out_.find("3 languages: deu_Latn, eng_Latn, fra_Latn; from eng_Latn; into fra_Latn"),
            std::string::npos)
      << out_;
  const std::string text = "A man is walking with his dog.\n";
  ASSERT_EQ(run({"translate", path("model"), "--format", "json"}, text), 0) << error_;
  const std::string french = out_;
  ASSERT_EQ(run({"translate", path("model"), "--format", "json", "--tgt-lang", "deu_Latn"}, text),
            0)
      << error_;
  EXPECT_NE(out_, french);
  EXPECT_NE(run({"translate", path("model"), "--tgt-lang", "deu_Latin"}, text), 0);
  EXPECT_NE(
      error_.find("--tgt-lang: the model has no language 'deu_Latin'; did you mean deu_Latn?"),
      std::string::npos)
      << error_;
  EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
}

TEST_F(ImportCommand, ReadsWhatMarianWrites) {
  const std::string native =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/native_joint";
  ASSERT_EQ(run({"import", native, "--out", path("model")}), 0) << error_;
  EXPECT_NE(out_.find("a marian model"), std::string::npos) << out_;
  ASSERT_EQ(run({"translate", path("model")}, "the old cat\n"), 0) << error_;
  EXPECT_NE(out_, "\n");
}

}  // namespace
}  // namespace attend
