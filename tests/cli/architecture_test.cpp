// Every command that knows the Transformer's model files knows those of the recurrent
// encoder-decoder, and those of other attentions.
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class ArchitectureOption : public SmallRunTest {
 protected:
  std::vector<std::string> recurrent(const std::string& run_name,
                                     std::vector<std::string> more) const {
    more.insert(more.end(), {"--arch", "rnn", "--d-hidden", "12"});
    return training(run_name, more);
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(ArchitectureOption, MakesAModelFileThatEveryCommandTakes) {
  ASSERT_EQ(run(recurrent("run", {"--max-steps", "4", "--save-every", "2", "--valid-every", "4"})),
            0)
      << error_;
  EXPECT_NE(read(path("run/config.toml")).find("arch = \"rnn\"\n"), std::string::npos);
  const Checkpoint file = load_checkpoint(model("run"));
  EXPECT_EQ(file.text("attend.arch"), "rnn");
  const auto config = nlohmann::json::parse(file.text("attend.config"));
  EXPECT_EQ(config["d_hidden"], 12);
  EXPECT_FALSE(config.contains("n_heads"))
      << "what the architecture does not have is not in its file";

  const std::string sentences = "The man sleeps.\n\nA dog sees the cat.\n";
  ASSERT_EQ(run({"translate", model("run"), "--beam-size", "3"}, sentences), 0) << error_;
  EXPECT_EQ(lines(out_), 3u);
  const std::string text = out_;
  ASSERT_EQ(
      run({"translate", model("run"), "--beam-size", "3", "--batch-size", "1", "--threads", "1"},
          sentences),
      0)
      << error_;
  EXPECT_EQ(out_, text);
  ASSERT_EQ(run({"translate", model("run"), "--sample", "--max-length", "8"}, sentences), 0)
      << error_;
  ASSERT_EQ(
      run({"translate", model("run"), "--format", "json", "--alignment"}, "A dog sees the cat.\n"),
      0)
      << error_;
  EXPECT_TRUE(nlohmann::json::parse(out_)["translations"][0].contains("alignment"));

  ASSERT_EQ(run({"score", model("run"), "--src", path("valid.en"), "--tgt", path("valid.de")}), 0)
      << error_;
  EXPECT_EQ(lines(out_), 20u);
  ASSERT_EQ(run({"attention", model("run"), "A dog sees the cat.", "--target",
                 "Ein Hund sieht die Katze.", "--out", path("page.html")}),
            0)
      << error_;
  EXPECT_NE(read(path("page.html")).find("\"cross\":{\"modules\":[],\"words\":[[\""),
            std::string::npos);
  EXPECT_NE(read(path("page.html")).find("\"encoder\":{\"modules\":[]"), std::string::npos)
      << "no self-attention, no maps of it";
  ASSERT_EQ(run({"embed", model("run")}, sentences), 0) << error_;
  EXPECT_EQ(lines(out_), 3u);
  ASSERT_EQ(run({"embed", model("run"), "--npy", path("vectors.npy")}, sentences), 0) << error_;
  EXPECT_NE(read(path("vectors.npy")).find("'shape': (3, 24)"), std::string::npos)
      << "two states of 12";
  ASSERT_EQ(run({"info", model("run"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find("attend.arch = rnn"), std::string::npos) << out_;
  EXPECT_NE(out_.find("golden translations: as they were"), std::string::npos) << out_;
  ASSERT_EQ(run({"average", path("run"), "--out", path("mean.safetensors")}), 0) << error_;
  ASSERT_EQ(run({"translate", path("mean.safetensors")}, sentences), 0) << error_;
}

TEST_F(ArchitectureOption, ResumesARecurrentModelToTheSameBytes) {
  const std::vector<std::string> settings{"--max-steps",   "6", "--save-every", "2",
                                          "--valid-every", "3", "--ema-decay",  "0.9"};
  ASSERT_EQ(run(recurrent("whole", settings)), 0) << error_;
  ASSERT_EQ(run(recurrent("parts", settings)), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_NE(out_.find("from step 2"), std::string::npos) << out_;
  EXPECT_EQ(read(checkpoint("parts", 6)), read(checkpoint("whole", 6)));
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(ArchitectureOption, MakesEqualBytesWithAnyNumberOfThreads) {
  ASSERT_EQ(run(recurrent("one", {"--max-steps", "3", "--threads", "1"})), 0) << error_;
  ASSERT_EQ(run(recurrent("two", {"--max-steps", "3", "--threads", "2"})), 0) << error_;
  EXPECT_EQ(read(checkpoint("one", 3)), read(checkpoint("two", 3)));
}

TEST_F(ArchitectureOption, MayNotChangeWhenARunIsResumed) {
  ASSERT_EQ(run(recurrent("run", {"--max-steps", "2"})), 0) << error_;
  expect_error({"train", "translation", "--resume", "--out", path("run"), "--arch", "transformer"},
               {"--resume", "--arch rnn"});
  expect_error({"train", "translation", "--resume", "--out", path("run"), "--d-hidden", "20"},
               {"--resume", "d-hidden was 12, is 20"});
}

TEST_F(ArchitectureOption, NamesWhatThereIs) {
  expect_error(training("run", {"--arch", "cnn"}), {"--arch", "transformer", "rnn", "cnn"});
  expect_error(recurrent("run", {"--attention-scores", "plain"}),
               {"--attention-scores", "standard, dot, additive", "plain"});
}

TEST_F(ArchitectureOption, OfAttentionGoesIntoTheModelFile) {
  const std::vector<std::vector<std::string>> variants{
      {"--attention-choice", "hard"},
      {"--attention-choice", "straight_through", "--attention-scores", "additive", "--positions",
       "learned"},
      {"--attention-scores", "additive", "--inverse-temperature", "0.5", "--positions", "none"},
      {"--arch", "rnn", "--attention-scores", "dot", "--attention-choice", "hard"},
  };
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::string name = fmt::format("run{}", i);
    std::vector<std::string> flags = variants[i];
    flags.insert(flags.end(), {"--max-steps", "2"});
    ASSERT_EQ(run(training(name, flags)), 0) << error_;
    const auto config = nlohmann::json::parse(load_checkpoint(model(name)).text("attend.config"));
    for (std::size_t f = 0; f < variants[i].size(); f += 2) {
      std::string key = variants[i][f].substr(2);
      std::replace(key.begin(), key.end(), '-', '_');
      if (key == "arch") continue;
      const std::string found =
          config[key].is_string() ? config[key].get<std::string>() : config[key].dump();
      EXPECT_EQ(found, variants[i][f + 1]) << key;
    }
    ASSERT_EQ(run({"translate", model(name), "--max-length", "8"}, "The man sleeps.\n"), 0)
        << error_;
    ASSERT_EQ(run({"info", model(name), "--all"}), 0) << error_;
    EXPECT_NE(out_.find("golden translations: as they were"), std::string::npos) << out_;
  }
}

}  // namespace
}  // namespace attend
