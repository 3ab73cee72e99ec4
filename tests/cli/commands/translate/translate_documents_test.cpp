// attend translate --text, --html and --file.
#include "cli/small_run.h"

namespace attend {
namespace {

class TranslateDocuments : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "10", "--valid-every", "0"})), 0) << error_;
  }

  std::string of_lines(const std::string& lines) {
    EXPECT_EQ(run({"translate", model("run")}, lines), 0) << error_;
    return out_;
  }
};

TEST_F(TranslateDocuments, TextKeepsItsLineBreaksAndSpaces) {
  const std::string first = of_lines("A dog sleeps.\n"), second = of_lines("The man sees a cat.\n");
  ASSERT_EQ(run({"translate", model("run"), "--text"},
                "  A dog sleeps.  The man sees a cat.\r\n\n\tA dog sleeps."),
            0)
      << error_;
  const auto line = [](std::string text) { return text.substr(0, text.size() - 1); };
  EXPECT_EQ(out_, "  " + line(first) + "  " + line(second) + "\r\n\n\t" + line(first));
}

TEST_F(TranslateDocuments, PageKeepsItsTags) {
  ASSERT_EQ(run({"translate", model("run"), "--html"}, "<p id=x>A dog sleeps.<br>"), 0) << error_;
  EXPECT_TRUE(out_.starts_with("<p id=x>")) << out_;
  EXPECT_TRUE(out_.ends_with("<br>")) << out_;
}

TEST_F(TranslateDocuments, FileIsWrittenBesideIt) {
  write("in.txt", "A dog sleeps.\n\nA dog sleeps.\n");
  ASSERT_EQ(
      run({"translate", model("run"), "--file", path("in.txt"), "--out-file", path("out.txt")}), 0)
      << error_;
  EXPECT_EQ(out_, path("in.txt") + ": 2 sentences -> " + path("out.txt") + "\n");
  const std::string line = of_lines("A dog sleeps.\n");
  EXPECT_EQ(read(path("out.txt")), line + "\n" + line);
}

TEST_F(TranslateDocuments, OptionsWithoutEffectAreRefused) {
  const std::string translator = model("run");
  write("in.txt", "A dog sleeps.");
  expect_usage_error({"translate", translator, "--text", "--html"}, {"--text", "--html"});
  expect_usage_error({"translate", translator, "--out-file", "x.txt"}, {"--out-file", "--file"});
  expect_usage_error({"translate", translator, "--file", path("in.txt")}, {"--out-file"});
  expect_usage_error({"translate", translator, "--text", "--format", "json"},
                     {"--format", "--text"});
  expect_usage_error({"translate", translator, "--html", "--n-best", "2"}, {"--n-best", "--html"});
  expect_usage_error(
      {"translate", translator, "--file", path("in.txt"), "--out-file", path("o.txt"), "--text"},
      {"--text", "--file"});
}

}  // namespace
}  // namespace attend
