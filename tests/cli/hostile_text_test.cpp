// Bytes from files and arguments that a terminal would obey, and texts without end, in what the
// program prints.
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/strings/utf8.h"
#include "cli/small_run.h"

namespace attend {
namespace {

const std::string kEscape = "\x1b[2J\x1b]0;title\x07",
                  kControl =
                      "\xC2\x9B"
                      "31m",
                  kOverride = "\xE2\x80\xAE", kNoUtf8 = "\xff\xc3";
const std::string kHostile = kEscape + kControl + kOverride + kNoUtf8 + "\r\b\x7f";

class HostileText : public SmallRunTest {
 protected:
  std::vector<std::string> augmenting(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = training("run", more);
    arguments.erase(arguments.begin());
    arguments.front() = "backtranslate";
    return arguments;
  }
  static void expect_harmless(const std::string& text, std::size_t most) {
    EXPECT_LT(text.size(), most);
    EXPECT_TRUE(is_utf8(text));
    for (const std::string& bytes :
         {std::string("\x1b"), std::string("\x07"), std::string("\r"), std::string("\b"),
          std::string("\x7f"), kControl.substr(0, 2), kOverride})
      EXPECT_EQ(text.find(bytes), std::string::npos) << text.substr(0, 300);
  }
  void expect_harmless_error(const std::vector<std::string>& arguments,
                             const std::string& input = "") {
    const int status = run(arguments, input);
    EXPECT_TRUE(status == kFailure || status == kUsageError) << arguments.front() << status;
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_.substr(0, 300);
    expect_harmless(error_, 8000);
  }
};

TEST_F(HostileText, OfArgumentsIsShownAsEscapesAndShort) {
  const std::string endless = kHostile + std::string(300'000, 'x');
  for (const std::string& text : {kHostile, endless}) {
    expect_harmless_error({text});
    expect_harmless_error({"--" + text});
    expect_harmless_error({"-" + text});
    expect_harmless_error({"translate", text});
    expect_harmless_error({"translate", "model", text});
    expect_harmless_error({"translate", "model", "--" + text, "1"});
    expect_harmless_error({"translate", "model", "--beam-size", text});
    expect_harmless_error({"translate", "model", "--format", text});
    expect_harmless_error({"translate", "model", "--sample=" + text});
    expect_harmless_error({"translate", "model", "--config", text});
    expect_harmless_error({"lab", text});
    expect_harmless_error({"info", text});
    expect_harmless_error({"train", text});
    expect_harmless_error(training("run", {"--src-train", text}));
    expect_harmless_error(augmenting({"--tgt-mono", text}));
    expect_harmless_error(augmenting({"--tgt-mono", "train.de", "--tag", text}));
    expect_harmless_error(augmenting({"--tgt-mono", "train.de", "--reverse", text}));
    expect_harmless_error(augmenting({"--tgt-mono", "train.de", "--reverse-options", text}));
    expect_harmless_error({"evaluate", "--hypotheses", text, "--references", text});
  }
}

TEST_F(HostileText, OfMessagesKeepsBothEnds) {
  expect_harmless_error({"info", path(std::string(3000, 'd'))});
  EXPECT_TRUE(error_.ends_with("File name too long\n")) << error_;
}

TEST_F(HostileText, OfConfigurationsIsShownAsEscapesAndShort) {
  std::string key = "d-model\\u001b";
  for (const std::string& config :
       std::vector<std::string>{"\"" + key + "\" = 1\n",
                                "d-model = \"\\u001b\\u009b" + std::string(300'000, 'x') + "\"\n",
                                "out = \x1b[2J\n", "norm = " + std::string(300'000, 'x') + "\n",
                                "\"" + std::string(300'000, 'x') + "\" = 1\n"}) {
    expect_harmless_error(
        {"train", "translation", "--config", write("c.toml", config), "--out", path("run")});
    EXPECT_NE(error_.find("c.toml:1: "), std::string::npos) << error_;
    EXPECT_LT(error_.size(), 1000u);
  }
}

// A model file as anybody might write it.
TEST_F(HostileText, OfAModelFileIsShownAsEscapesAndShort) {
  const std::string utf8 = kEscape + kControl + kOverride + "\r\b\x7f";
  const std::vector<NamedTensor> tensors{{"weight" + utf8, Tensor::zeros({2, 2})},
                                         {std::string(50'000, 'n'), Tensor::zeros({1})}};
  write_safetensors(path("hostile"), tensors,
                    {{"key" + utf8, "value" + utf8},
                     {"long", std::string(100'000, 'v')},
                     {"object", R"({"a\u001b[2J":"b\u009b31m"})"}});
  EXPECT_EQ(run({"info", path("hostile")}), 1);
  expect_harmless(out_, 3000);
  expect_harmless(error_, 3000);
  EXPECT_EQ(run({"info", path("hostile"), "--format", "json"}), 1);
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["metadata"]["key" + utf8], "value" + utf8) << "nothing is lost for programs";
  EXPECT_EQ(json["tensors"][0]["name"], "weight" + utf8);
}

TEST_F(HostileText, OfAPathLeavesJsonValid) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  const std::string file = path("m\xff\x1b[2J.safetensors");
  std::filesystem::copy_file(model("run"), file);
  ASSERT_EQ(run({"info", file, "--format", "json"}), 0) << error_;
  EXPECT_TRUE(nlohmann::json::accept(out_));
  ASSERT_EQ(run({"info", file, "--all"}), 0) << error_;
  expect_harmless(out_, 100'000);
  ASSERT_EQ(run({"average", file, "--out", file}), 0) << error_;
  expect_harmless(out_, 1000);
}

TEST_F(HostileText, OfLabelsIsShownAsEscapes) {
  const std::string label = "bad" + kEscape;
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += i % 2 == 0 ? "good\tgood film\n" : label + "\tbad film\n";
  write("labeled.tsv", lines);
  ASSERT_EQ(run({"train",
                 "classification",
                 "--train",
                 "labeled.tsv",
                 "--data",
                 folder_,
                 "--out",
                 path("run"),
                 "--d-model",
                 "16",
                 "--n-heads",
                 "2",
                 "--d-ff",
                 "16",
                 "--n-encoder-layers",
                 "1",
                 "--tokenizer",
                 "word",
                 "--vocab-size",
                 "7",
                 "--batch-tokens",
                 "200",
                 "--max-steps",
                 "1",
                 "--valid-every",
                 "0"}),
            0)
      << error_;
  ASSERT_EQ(run({"classify", model("run")}, "bad film\n"), 0) << error_;
  expect_harmless(out_, 1000);
  ASSERT_EQ(run({"info", model("run"), "--all"}), 0) << error_;
  expect_harmless(out_, 10'000);
  ASSERT_EQ(run({"evaluate", model("run"), "--labeled", path("labeled.tsv")}), 0) << error_;
  expect_harmless(out_, 10'000);
  write("other.tsv",
        "good\tgood film\nother" + kEscape + std::string(100'000, 'x') + "\tbad film\n");
  expect_harmless_error({"evaluate", model("run"), "--labeled", path("other.tsv")});
  EXPECT_LT(error_.size(), 1000u);
}

}  // namespace
}  // namespace attend
