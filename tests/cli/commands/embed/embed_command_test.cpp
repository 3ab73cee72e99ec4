#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/small_run.h"

namespace attend {
namespace {

class EmbedCommand : public SmallRunTest {
 protected:
  // The floats at the end of a file.
  static std::vector<float> last_floats(const std::string& file, std::size_t count) {
    std::vector<float> floats(count);
    EXPECT_GE(file.size(), 4 * count);
    if (file.size() >= 4 * count)
      std::memcpy(floats.data(), file.data() + file.size() - 4 * count, 4 * count);
    return floats;
  }
  // Those under a name in the JSON lines that were printed.
  std::vector<float> floats_of_json(const char* name) const {
    std::vector<float> floats;
    std::istringstream lines(out_);
    for (std::string line; std::getline(lines, line);)
      append(nlohmann::json::parse(line)[name], floats);
    return floats;
  }
  static void append(const nlohmann::json& numbers, std::vector<float>& floats) {
    if (numbers.is_number()) return floats.push_back(numbers.get<float>());
    for (const auto& part : numbers) append(part, floats);
  }

  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  }
};

TEST_F(EmbedCommand, PrintsAVectorForEveryLine) {
  ASSERT_EQ(run({"embed", model("run")}, "The man sleeps.\n\n"), 0) << error_;
  std::istringstream lines(out_);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(nlohmann::json::parse(line)["vector"].size(), 16u);
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(nlohmann::json::parse(line)["tokens"].size(), 0u);
}

TEST_F(EmbedCommand, PrintsAVectorForEveryToken) {
  ASSERT_EQ(run({"embed", model("run"), "--pooling", "none", "--layer", "0"}, "The man sleeps.\n"),
            0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["vectors"].size(), json["tokens"].size());
}

TEST_F(EmbedCommand, WritesNumPyFiles) {
  const std::string text = "The man sleeps.\nThe dog runs.\n";
  ASSERT_EQ(run({"embed", model("run"), "--npy", path("vectors.npy")}, text), 0) << error_;
  const std::string file = read(path("vectors.npy"));
  EXPECT_EQ(file.substr(1, 5), "NUMPY");
  EXPECT_NE(file.find("'descr': '<f4', 'fortran_order': False, 'shape': (2, 16)"),
            std::string::npos);
  EXPECT_EQ(file.size() % 64, 0u) << "two rows of 64 bytes after a padded header";
  ASSERT_EQ(run({"embed", model("run")}, text), 0) << error_;
  EXPECT_EQ(last_floats(file, 2 * 16), floats_of_json("vector"));
}

TEST_F(EmbedCommand, WritesTheTokensOfAllTextsOneTextAfterTheOther) {
  const std::string text = "The man sleeps.\n\nThe dog runs.\n";
  ASSERT_EQ(run({"embed", model("run"), "--pooling", "none"}, text), 0) << error_;
  const std::vector<float> expected = floats_of_json("vectors");
  ASSERT_EQ(run({"embed", model("run"), "--pooling", "none", "--npy", path("tokens.npy")}, text), 0)
      << error_;
  const std::string file = read(path("tokens.npy"));
  EXPECT_NE(file.find(fmt::format("'shape': ({}, 16)", expected.size() / 16)), std::string::npos);
  EXPECT_EQ(last_floats(file, expected.size()), expected);
}

TEST_F(EmbedCommand, FindsTheNearestUsesOfAWord) {
  const std::string corpus =
      write("corpus", "A dog sees the man .\nA dog runs.\nThe man sleeps.\nThe dog runs.\n");
  ASSERT_EQ(
      run({"embed", "nearest", model("run"), "--word", "the", "--corpus", corpus, "--count", "2"},
          "The man sleeps.\nnot read\n"),
      0)
      << error_;
  EXPECT_TRUE(out_.starts_with("1.0000\t3\tThe man sleeps.\n")) << out_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2) << out_;
  ASSERT_EQ(run({"embed", "nearest", model("run"), "--word", "the", "--corpus", corpus},
                "The man sleeps.\n"),
            0)
      << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 3) << "not the line without the word\n"
                                                           << out_;
}

TEST_F(EmbedCommand, NamesTheLineThatIsLongerThanTheLearnedPositions) {
  const std::vector<std::string> learned{"--max-steps",  "1",       "--valid-every",   "0",
                                         "--positions",  "learned", "--max-positions", "40",
                                         "--max-length", "40"};
  ASSERT_EQ(run(training("learned", learned)), 0) << error_;
  std::string longer = "The";
  for (int i = 0; i < 40; ++i) longer += " man";
  longer += ".\n";
  expect_error({"embed", model("learned"), "--on-error", "stop"},
               {"standard input:2: a text of", "40 positions"}, "The man sleeps.\n" + longer);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1) << "what came before is printed";
  ASSERT_EQ(run({"embed", model("learned"), "--no-context"}, longer), 0) << error_;
  const std::string corpus = write("corpus", "The dog runs.\nA cat.\n" + longer),
                    uses = write("uses", "a\tThe man.\nb\t" + longer);
  expect_error({"embed", "nearest", model("learned"), "--word", "the", "--corpus", corpus},
               {corpus + ":3: ", "40 positions"}, "The man.\n");
  expect_error({"embed", "nearest", model("learned"), "--word", "the", "--corpus", corpus},
               {"standard input:1: ", "40 positions"}, longer);
  expect_error({"embed", "senses", model("learned"), "--uses", uses, "--word", "man"},
               {uses + ":2: ", "40 positions"});
}

TEST_F(EmbedCommand, MeasuresHowFarTheSensesOfAWordAreApart) {
  write("uses.tsv",
        "one\tThe man sleeps.\none\tThe man sleeps.\nother\tA dog sees the man .\nother\tA dog "
        "sees the man .\n");
  ASSERT_EQ(run({"embed", "senses", model("run"), "--uses", path("uses.tsv"), "--word", "man",
                 "--plot", path("plot.svg")}),
            0)
      << error_;
  EXPECT_NE(out_.find("2 one, 2 other"), std::string::npos) << out_;
  EXPECT_NE(out_.find("static embedding"), std::string::npos) << out_;
  EXPECT_NE(out_.find("layer 1"), std::string::npos) << out_;
  EXPECT_NE(read(path("plot.svg")).find("<svg"), std::string::npos);
}

TEST_F(EmbedCommand, SaysWhatIsWrong) {
  expect_error({"embed", model("run"), "--layer", "5"}, {"layer"}, "The man sleeps.\n");
  expect_error({"embed", model("run"), "--no-context", "--layer", "1"},
               {"--layer", "--no-context"});
  expect_error({"embed"}, {"model is required", "attend embed --help"});

  expect_error({"embed", "nearest", "--word", "man", "--corpus", path("train.en")},
               {"model is required", "attend embed nearest --help"});
  expect_error({"embed", "--pooling", "max", "nearest", model("run"), "--word", "man", "--corpus",
                path("train.en")},
               {"nearest", "excludes", "--pooling"});
  expect_error({"embed", "nearest", model("run"), "--word", "zebra", "--corpus", path("train.en")},
               {"zebra"}, "The man sleeps.\n");
  expect_error({"embed", "nearest", model("run"), "--word", "man"}, {"--corpus"},
               "The man sleeps.\n");
  expect_error({"embed", "nearest", model("run"), "--corpus", path("train.en")}, {"--word"},
               "The man sleeps.\n");
  expect_error({"embed", "nearest", model("run"), "--word", "man", "--corpus", path("train.en")},
               {"standard input", "found none"}, "");

  write("uses.tsv", "one\tThe man sleeps.\none\tThe man sleeps.\nother\tThe man sleeps.\n");
  expect_error({"embed", "senses", model("run"), "--uses", path("uses.tsv")}, {"--word"});
  expect_error({"embed", "senses", model("run"), "--word", "man"}, {"--uses"});
  expect_error({"embed", "senses", model("run"), "--uses", path("uses.tsv"), "--word", "man"},
               {path("uses.tsv"), "other", "two uses"});
  expect_error({"embed", "senses", model("run"), "--uses", path("missing.tsv"), "--word", "man"},
               {"missing.tsv"});
}

// What is for vectors of whole texts says nothing to the commands inside, and is not passed over.
TEST_F(EmbedCommand, TakesNoFlagsBeforeAnInnerCommand) {
  const std::vector<std::string> nearest{"nearest", model("run"), "--word",
                                         "man",     "--corpus",   path("train.en")};
  const auto refuse = [&](std::vector<std::string> before, const std::string& named) {
    before.insert(before.begin(), "embed");
    before.insert(before.end(), nearest.begin(), nearest.end());
    expect_error(before, {"nearest", named}, "The man sleeps.\n");
  };
  refuse({"--pooling", "max"}, "--pooling");
  refuse({"--no-context"}, "--context");
  refuse({model("run")}, "model");
  expect_error({"embed", "nearest", model("run"), "--pooling", "max"},
               {"unknown option --pooling"});
  expect_error({"embed", "senses", model("run"), "--npy", path("v.npy")}, {"unknown option --npy"});
}

}  // namespace
}  // namespace attend
