#include <nlohmann/json.hpp>

#include "cli/small_run.h"

namespace attend {
namespace {

class EmbedCommand : public SmallRunTest {
 protected:
  void SetUp() override { ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_; }
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
  ASSERT_EQ(run({"embed", model("run"), "--pooling", "none", "--layer", "0"}, "The man sleeps.\n"), 0) << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["vectors"].size(), json["tokens"].size());
}

TEST_F(EmbedCommand, WritesNumPyFiles) {
  ASSERT_EQ(run({"embed", model("run"), "--npy", path("vectors.npy")}, "The man sleeps.\nThe dog runs.\n"), 0) << error_;
  const std::string file = read(path("vectors.npy"));
  EXPECT_EQ(file.substr(1, 5), "NUMPY");
  EXPECT_NE(file.find("'descr': '<f4', 'fortran_order': False, 'shape': (2, 16)"), std::string::npos);
  EXPECT_EQ(file.size() % 64, 0u) << "two rows of 64 bytes after a padded header";
}

TEST_F(EmbedCommand, FindsTheNearestUsesOfAWord) {
  ASSERT_EQ(run({"embed", model("run"), "--nearest", "the", "--corpus", path("train.en"), "--count", "3"}, "The man sleeps.\n"), 0)
      << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 3);
}

TEST_F(EmbedCommand, MeasuresHowFarTheSensesOfAWordAreApart) {
  write("uses.tsv", "one\tThe man sleeps.\none\tThe man sleeps.\nother\tA dog sees the man .\nother\tA dog sees the man .\n");
  ASSERT_EQ(run({"embed", model("run"), "--senses", path("uses.tsv"), "--word", "man", "--plot", path("plot.svg")}), 0) << error_;
  EXPECT_NE(out_.find("2 one, 2 other"), std::string::npos) << out_;
  EXPECT_NE(out_.find("static embedding"), std::string::npos) << out_;
  EXPECT_NE(out_.find("layer 1"), std::string::npos) << out_;
  EXPECT_NE(read(path("plot.svg")).find("<svg"), std::string::npos);
}

TEST_F(EmbedCommand, SaysWhatIsWrong) {
  expect_error({"embed", model("run"), "--nearest", "zebra", "--corpus", path("train.en")}, {"zebra"}, "The man sleeps.\n");
  expect_error({"embed", model("run"), "--nearest", "man"}, {"--corpus"}, "The man sleeps.\n");
  expect_error({"embed", model("run"), "--layer", "5"}, {"layer"}, "The man sleeps.\n");
  write("uses.tsv", "one\tThe man sleeps.\none\tThe man sleeps.\nother\tThe man sleeps.\n");
  expect_error({"embed", model("run"), "--senses", path("uses.tsv")}, {"--word"});
  expect_error({"embed", model("run"), "--senses", path("uses.tsv"), "--word", "man"}, {"other", "two uses"});
  expect_error({"embed", model("run"), "--senses", path("missing.tsv"), "--word", "man"}, {"missing.tsv"});
}

}  // namespace
}  // namespace attend
