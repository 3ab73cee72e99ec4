// Language models as their users meet them: train, generate, evaluate, info.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli/small_run.h"

namespace attend {
namespace {

class LanguageCommands : public SmallRunTest {
 protected:
  std::vector<std::string> train_lm(const std::string& name,
                                    const std::vector<std::string>& more = {}) const {
    std::istringstream words(
        "train lm --train train.en --valid valid.en --d-model 16 --n-heads 2 --d-ff 16 --n-layers "
        "1 --vocab-size 300 "
        "--sequence-length 16 --batch-tokens 256 --warmup-steps 5 --valid-every 0");
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(name)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void train(const std::string& name = "lm") {
    ASSERT_EQ(run(train_lm(name, {"--max-steps", "3"})), 0) << error_;
  }
};

TEST_F(LanguageCommands, TrainMeasureAndGenerate) {
  ASSERT_EQ(run(train_lm("lm", {"--max-steps", "3"})), 0) << error_;
  EXPECT_NE(out_.find("perplexity"), std::string::npos) << out_;
  ASSERT_EQ(run({"evaluate", model("lm"), "--text", path("valid.en")}), 0) << error_;
  std::smatch match;
  ASSERT_TRUE(std::regex_search(out_, match,
                                std::regex("^perplexity ([0-9.]+) per token \\(.* tokens, line "
                                           "ends included\\), ([0-9.]+) per word")))
      << out_;
  EXPECT_GT(std::stod(match[1]), 1.0);
  EXPECT_GT(std::stod(match[2]), std::stod(match[1]));  // pieces are shorter than words
  EXPECT_NE(out_.find("context 16, stride 8"), std::string::npos) << out_;
  ASSERT_EQ(run({"evaluate", model("lm"), "--text", path("valid.en"), "--stride", "2", "--context",
                 "8", "--format", "json"}),
            0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["stride"], 2);
  EXPECT_EQ(json["context"], 8);
  EXPECT_NEAR(std::log2(json["perplexity"].get<double>()), json["bits_per_token"].get<double>(),
              1e-6);

  ASSERT_EQ(run({"generate", model("lm"), "--prompt", "The man", "--max-tokens", "10"}), 0)
      << error_;
  EXPECT_TRUE(out_.starts_with("The man")) << out_;
  EXPECT_TRUE(out_.ends_with("\n")) << out_;
}

TEST_F(LanguageCommands, GenerateIsDeterministicForASeed) {
  train();
  const auto generate = [&](const std::string& seed) {
    EXPECT_EQ(run({"generate", model("lm"), "--prompt", "The", "--seed", seed, "--max-tokens", "20",
                   "--n-best", "2", "--temperature", "0.9", "--top-k", "50", "--top-p", "0.95",
                   "--repetition-penalty", "1.2"}),
              0)
        << error_;
    return out_;
  };
  const std::string first = generate("1");
  EXPECT_EQ(generate("1"), first);
  EXPECT_NE(generate("2"), first);
}

TEST_F(LanguageCommands, GenerateHandsItsFlagsToTheSampler) {
  train();
  const auto generate = [&](const char* flag, const char* value, const char* seed) {
    EXPECT_EQ(run({"generate", model("lm"), "--prompt", "The", "--seed", seed, "--max-tokens", "20",
                   flag, value}),
              0)
        << error_;
    return out_;
  };
  const std::string likeliest = generate("--top-k", "1", "1");
  EXPECT_EQ(generate("--top-k", "1", "2"), likeliest);
  EXPECT_EQ(generate("--top-p", "1e-6", "2"), likeliest);
  EXPECT_EQ(generate("--temperature", "1e-6", "2"), likeliest);
  EXPECT_NE(generate("--temperature", "100", "1"), likeliest);
  EXPECT_NE(generate("--temperature", "100", "1"), generate("--temperature", "100", "2"));
  EXPECT_NE(generate("--temperature", "100", "1"), generate("--temperature", "1", "1"));
}

TEST_F(LanguageCommands, AModelIsUsedWithTheCacheItWasMadeFor) {
  ASSERT_EQ(
      run(train_lm("lm", {"--max-steps", "3", "--cache-tokens", "50", "--cache-weight", "0.25"})),
      0)
      << error_;
  const auto evaluate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"evaluate",       model("lm"), "--text",
                                       path("valid.en"), "--format",  "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments), 0) << error_;
    return nlohmann::json::parse(out_);
  };
  const auto with = evaluate({}), without = evaluate({"--cache-tokens", "0"}),
             lighter = evaluate({"--cache-weight", "0.1"});
  EXPECT_EQ(with["cache_tokens"], 50);
  EXPECT_EQ(with["perplexity_without_cache"], without["perplexity"]);
  EXPECT_FALSE(without.contains("cache_tokens"));
  EXPECT_LT(with["perplexity"],
            without["perplexity"]);  // after three steps the model itself knows nothing
  EXPECT_NE(with["perplexity"], lighter["perplexity"]);

  const std::vector<std::string> generate{
      "generate",     model("lm"), "--prompt", "The man the man the",
      "--max-tokens", "20",        "--format", "json"};
  ASSERT_EQ(run(generate), 0) << error_;
  const std::string generated = out_;
  std::vector<std::string> plain = generate;
  plain.insert(plain.end(), {"--cache-tokens", "0"});
  ASSERT_EQ(run(plain), 0) << error_;
  EXPECT_NE(out_, generated);
  expect_error({"evaluate", model("lm"), "--text", path("valid.en"), "--cache-weight", "1"},
               {"cache-weight"});
  expect_error({"generate", model("lm"), "--prompt", "The", "--cache-beta", "-1"}, {"cache-beta"});
  expect_error({"evaluate", model("lm"), "--text", path("valid.en"), "--cache-tokens", "0",
                "--cache-beta", "2"},
               {"--cache-beta", "--cache-tokens"});
}

TEST_F(LanguageCommands, GenerateReadsThePromptFromStandardInput) {
  train();
  ASSERT_EQ(run({"generate", model("lm"), "--prompt", "The man sleeps.\nThe", "--max-tokens", "8"}),
            0)
      << error_;
  const std::string expected = out_;
  ASSERT_EQ(run({"generate", model("lm"), "--max-tokens", "8"}, "The man sleeps.\nThe\n"), 0)
      << error_;
  EXPECT_EQ(out_, expected);
  ASSERT_EQ(
      run({"generate", model("lm"), "--max-tokens", "8", "--no-echo"}, "The man sleeps.\nThe\n"), 0)
      << error_;
  EXPECT_EQ("The man sleeps.\nThe" + out_, expected);
  ASSERT_EQ(run({"generate", model("lm"), "--prompt", "", "--max-tokens", "8"}), 0) << error_;
  ASSERT_EQ(run({"generate", model("lm"), "--max-tokens", "8"}, ""), 0) << error_;
}

TEST_F(LanguageCommands, GenerateGivesAnObjectForEverySampleInJson) {
  train();
  ASSERT_EQ(run({"generate", model("lm"), "--prompt", "The", "--max-tokens", "5", "--n-best", "3",
                 "--format", "json"}),
            0)
      << error_;
  std::istringstream lines(out_);
  int count = 0;
  std::set<std::string> samples;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line);
    samples.insert(json["tokens"].dump());
    EXPECT_EQ(json["prompt"], "The");
    EXPECT_EQ(json["tokens"].size(), 5u);
    EXPECT_EQ(json["token_log_probabilities"].size(), 5u);
  }
  EXPECT_EQ(count, 3);
  EXPECT_EQ(samples.size(), 3u) << "each sample has a random stream of its own";
}

TEST_F(LanguageCommands, GenerateWritesSeveralSamplesOrTheBestOfASearch) {
  train();
  const auto count = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"generate",     model("lm"), "--prompt", "The",
                                       "--max-tokens", "5",         "--n-best", "3",
                                       "--format",     "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments), 0) << error_;
    return std::count(out_.begin(), out_.end(), '\n');
  };
  EXPECT_EQ(count({}), 3);
  EXPECT_EQ(out_.find("\"score\""), std::string::npos) << out_;
  EXPECT_EQ(count({"--beam-size", "4"}), 3);
  EXPECT_NE(out_.find("\"score\""), std::string::npos) << out_;
  expect_error({"generate", model("lm"), "--prompt", "The", "--beam-size", "2", "--n-best", "3"},
               {"n-best", "beam-size 2", "3"});
}

TEST_F(LanguageCommands, TrainingGoesOnWithItsOwnConfiguration) {
  ASSERT_EQ(run(train_lm("lm", {"--max-steps", "3", "--output-sample", "100"})), 0) << error_;
  ASSERT_EQ(run({"train", "lm", "--resume", "--out", path("lm"), "--max-steps", "5"}), 0) << error_;
  EXPECT_NE(read(path("lm/config.toml")).find("output-sample = 100"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(checkpoint("lm", 5)));
}

TEST_F(LanguageCommands, DryRunLeavesNothing) {
  ASSERT_EQ(run(train_lm("lm", {"--dry-run"})), 0) << error_;
  EXPECT_NE(out_.find("target tokens/s"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("lm")));
}

TEST_F(LanguageCommands, InfoAndAverageKnowALanguageModel) {
  train();
  ASSERT_EQ(run({"info", model("lm"), "--all"}), 0) << error_;
  for (const char* part :
       {"language modeling", "n_layers = 1", "sequence_length = 16",
        "decoder.layers.0.self_attn.q_proj.weight", "3 golden passages: as they were"})
    EXPECT_NE(out_.find(part), std::string::npos) << part;
  ASSERT_EQ(run({"average", path("lm"), "--out", path("mean")}), 0) << error_;
  ASSERT_EQ(run({"evaluate", path("mean"), "--text", path("valid.en")}), 0) << error_;
}

TEST_F(LanguageCommands, AModelOfAnotherKindIsNamed) {
  train();
  ASSERT_EQ(run(training("translator", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  expect_error({"generate", model("translator"), "--prompt", "The"},
               {model("translator"), "language modeling", "translation"});
  expect_error({"translate", model("lm")}, {model("lm"), "translation", "language modeling"},
               "A.\n");
  expect_error({"evaluate", model("translator"), "--text", path("valid.en")},
               {model("translator"), "translation"});
}

TEST_F(LanguageCommands, MistakesAreNamed) {
  train();
  const std::string lm = model("lm");
  std::string words;
  for (int i = 0; i < 30; ++i) words += "The man ";
  expect_error({"generate", lm, "--prompt", words}, {"the prompt has", "at most 16"});
  EXPECT_EQ(error_.find("standard input"), std::string::npos) << error_;
  expect_error({"generate", lm}, {"standard input: the prompt has", "at most 16"}, words + "\n");
  expect_error({"generate", lm}, {"standard input:2", "UTF-8"}, "The\n\xff\n");
  expect_error({"generate", lm, "--prompt", "A", "--temperature", "-1"}, {"temperature"});
  expect_error({"generate", lm, "--prompt", "A", "--n-best", "0"}, {"n-best"});
  expect_error({"generate", lm, "--prompt", "A", "--top-p", "2"}, {"top-p"});
  expect_error({"generate", lm, "--prompt", "A", "--max-token", "2"},
               {"--max-token", "--max-tokens"});
  expect_error({"generate", path("absent"), "--prompt", "A"}, {"absent"});
  expect_error({"evaluate", lm}, {"--text"});
  expect_error({"evaluate", lm, "--text", write("empty", "")}, {"empty"});
  expect_error({"evaluate", lm, "--text", write("bytes", "good\n\xff\n")}, {"bytes:2", "UTF-8"});
  expect_error({"evaluate", lm, "--text", path("valid.en"), "--stride", "17"}, {"stride", "16"});
  expect_error({"train", "lm", "--out", path("other")}, {"--train"});
  expect_error(train_lm("lm", {"--max-steps", "3"}), {"--resume"});
}

}  // namespace
}  // namespace attend
