#include <filesystem>
#include <fstream>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class ExportCommand : public SmallRunTest {
 protected:
  // A model of attend, exported and imported again.
  void round_trip(const std::string& model, const std::string& family) {
    ASSERT_EQ(run({"export", model, "--out", path("exported")}), 0) << error_;
    EXPECT_NE(out_.find("a " + family + " model"), std::string::npos) << out_;
    ASSERT_EQ(run({"import", path("exported"), "--out", path("again")}), 0) << error_;
  }
  std::string answer_of(std::vector<std::string> command, const std::string& input) {
    EXPECT_EQ(run(command, input), 0) << error_;
    return out_;
  }
};

TEST_F(ExportCommand, OfATranslatorKeepsItsTranslations) {
  struct Trained {
    const char* family;
    std::vector<std::string> options;
  };
  for (const Trained& trained : {
           Trained{"marian", {}},
           Trained{
               "marian",
               {"--no-joint-vocabulary", "--tie-embeddings", "target", "--activation", "swish"}},
           Trained{"marian",
                   {"--tie-embeddings", "none", "--tokenizer", "unigram", "--vocab-size", "100",
                    "--embedding-scale", "1"}},
           Trained{"marian", {"--positions", "learned", "--max-positions", "300"}},
           Trained{"pegasus", {"--norm-first"}},
           Trained{"pegasus",
                   {"--norm-first", "--tokenizer", "wordpiece", "--normalization", "nfkc"}},
           Trained{
               "t5",
               {"--norm-first", "--norm", "rms", "--norm-epsilon", "1e-6", "--positions",
                "relative", "--no-ffn-bias", "--attention-biases", "none", "--embedding-scale", "1",
                "--inverse-temperature", "1", "--tokenizer", "unigram", "--vocab-size", "100"}},
       }) {
    std::vector<std::string> more{"--max-steps", "30", "--learning-rate", "0.01"};
    more.insert(more.end(), trained.options.begin(), trained.options.end());
    ASSERT_EQ(run(training("run", more)), 0) << error_;
    round_trip(path("run"), trained.family);
    const std::string text = "the man sees a dog .\nthe woman reads the book .\n";
    // Tokenizers of other programs keep the mark of a word that goes on, even if none has begun,
    // and the spaces around a text.
    const auto translations = [&](const char* model) {
      const std::string answer = answer_of({"translate", path(model), "--beam-size", "3"}, text);
      return std::regex_replace(std::regex_replace(answer, std::regex("(^|\n)##"), "$1"),
                                std::regex(" +(\n|$)"), "$1");
    };
    EXPECT_EQ(translations("again"), translations("run")) << trained.family;
    for (const char* folder : {"run", "exported"}) std::filesystem::remove_all(path(folder));
  }
}

TEST_F(ExportCommand, WritesADirectoryOfCtranslate2) {
  ASSERT_EQ(run(training("run", {"--max-steps", "20"})), 0) << error_;
  ASSERT_EQ(run({"export", path("run"), "--format", "ctranslate2", "--out", path("exported")}), 0)
      << error_;
  EXPECT_NE(out_.find("a model of CTranslate2"), std::string::npos) << out_;
  EXPECT_TRUE(std::filesystem::exists(path("exported") + "/model.bin"));
  ASSERT_EQ(run({"import", path("exported"), "--out", path("again")}), 0) << error_;
  const std::string text = "the dog sleeps\nthe cat\n";
  EXPECT_EQ(answer_of({"translate", path("again"), "--beam-size", "1"}, text),
            answer_of({"translate", path("run"), "--beam-size", "1"}, text));
}

TEST_F(ExportCommand, OfALanguageModelKeepsItsTexts) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"--positions", "none"},
        std::vector<std::string>{"--positions", "learned", "--max-positions", "64", "--no-tied"},
        std::vector<std::string>{"--positions", "rotary", "--norm", "rms", "--gated-ffn",
                                 "--no-ffn-bias", "--attention-biases", "none"}}) {
    std::vector<std::string> command{"train",
                                     "lm",
                                     "--train",
                                     path("train.en"),
                                     "--out",
                                     path("run"),
                                     "--d-model",
                                     "16",
                                     "--n-heads",
                                     "2",
                                     "--d-ff",
                                     "16",
                                     "--n-layers",
                                     "1",
                                     "--vocab-size",
                                     "300",
                                     "--max-steps",
                                     "30",
                                     "--batch-tokens",
                                     "512",
                                     "--sequence-length",
                                     "48",
                                     "--learning-rate",
                                     "0.01"};
    command.insert(command.end(), options.begin(), options.end());
    ASSERT_EQ(run(command), 0) << error_;
    const bool is_llama = !options.empty() && options[1] == "rotary";
    round_trip(path("run"), is_llama ? "llama" : "gpt2");
    const std::string text = "the man sees a dog .\nthe woman reads the book .\n";
    EXPECT_EQ(answer_of({"generate", path("again"), "--max-tokens", "9", "--beam-size", "2"}, text),
              answer_of({"generate", path("run"), "--max-tokens", "9", "--beam-size", "2"}, text));
    for (const char* folder : {"run", "exported"}) std::filesystem::remove_all(path(folder));
  }
}

TEST_F(ExportCommand, NamesWhatCannotBeExportedAndWritesNothing) {
  const auto expect_refused = [&](const std::vector<std::string>& options,
                                  std::initializer_list<const char*> fragments) {
    std::vector<std::string> more{"--max-steps", "1"};
    more.insert(more.end(), options.begin(), options.end());
    ASSERT_EQ(run(training("run", more)), 0) << error_;
    EXPECT_NE(run({"export", path("run"), "--out", path("exported")}), 0);
    for (const char* fragment : fragments)
      EXPECT_NE(error_.find(fragment), std::string::npos) << error_;
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
    EXPECT_FALSE(std::filesystem::exists(path("exported")));
    std::filesystem::remove_all(path("run"));
  };
  expect_refused({"--norm", "rms"}, {"MarianMT", "norm is rms instead of layer"});
  expect_refused({"--positions", "rotary"},
                 {"MarianMT", "positions is rotary instead of sinusoidal_halves"});
  expect_refused({"--norm-first", "--tie-embeddings", "target"},
                 {"Pegasus", "tie-embeddings is target instead of all"});
  expect_refused({"--norm-first", "--no-joint-vocabulary", "--tie-embeddings", "target"},
                 {"MarianMT", "norm-first is true instead of false"});
  expect_refused({"--arch", "rnn"}, {"arch is rnn"});
  expect_refused({"--tokenizer", "wordpiece"}, {"wordpiece", "SentencePiece"});
}

TEST_F(ExportCommand, KeepsWhatIsInTheWay) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1"})), 0) << error_;
  std::filesystem::create_directory(path("exported"));
  std::ofstream(path("exported/mine")) << "text";
  EXPECT_NE(run({"export", path("run"), "--out", path("exported")}), 0);
  EXPECT_NE(error_.find("not empty"), std::string::npos) << error_;
  EXPECT_TRUE(std::filesystem::exists(path("exported/mine")));
  EXPECT_FALSE(std::filesystem::exists(path("exported/config.json")));
  EXPECT_NE(run({"export", path("run")}), 0);
  EXPECT_NE(error_.find("--out"), std::string::npos) << error_;
  ASSERT_EQ(run({"quantize", path("run"), "--out", path("small")}), 0) << error_;
  EXPECT_NE(run({"export", path("small"), "--out", path("new")}), 0);
  EXPECT_NE(error_.find("8 bits"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
