#include "attend/cli/output.h"

#include <nlohmann/json.hpp>

#include "cli/started_program.h"

namespace attend {
namespace {

using namespace std::string_literals;

class Output : public StartedProgramTest {
 protected:
  // Expects `line` to fail with a message when nothing can be written, wherever that is noticed.
  void expect_failure(const std::string& line) {
    EXPECT_EQ(shell(line + " > /dev/full"), 1) << line;
    EXPECT_NE(error_.find("attend: cannot write standard output: No space left on device\n"),
              std::string::npos)
        << line << ": " << error_;
    EXPECT_EQ(shell(line + " >&-"), 1) << line;
    EXPECT_NE(error_.find("attend: cannot write standard output: it is closed"), std::string::npos)
        << line << ": " << error_;
    EXPECT_EQ(shell("exec 3>&1; trap '' PIPE; { sleep 0.05; " + line + "; echo $? >&3; } | :"), 0);
    EXPECT_EQ(out_, "1\n") << line;
    EXPECT_NE(error_.find("attend: cannot write standard output: Broken pipe\n"), std::string::npos)
        << line << ": " << error_;
  }
};

TEST_F(Output, OfEveryCommandMustArrive) {
  train("mt");
  train_lm("lm");
  train_classifier("cl");
  train_embedder("em");
  train_tagger("tg");
  write("terms.tsv", "man\tMann\n");
  write("uses.tsv", "one\tThe man sees the dog.\none\tA dog.\ntwo\tThe dog.\ntwo\tOld dog.\n");
  const std::string llama = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/llama";
  ASSERT_EQ(run({"import", llama, "--out", path("llama")}), 0) << error_;
  ASSERT_EQ(
      run({"train", "lm", "--train", path("train.en"), "--init-from", path("llama"), "--lora-rank",
           "2", "--max-steps", "1", "--valid-every", "0", "--out", path("ad")}),
      0)
      << error_;
  const std::string mt = "mt/model.safetensors", lm = "lm/model.safetensors",
                    cl = "cl/model.safetensors";
  const std::string translate = "head -3 valid.en | $attend translate --max-length 5 ";
  for (const std::string& line :
       {"$attend --help"s,
        "$attend --version"s,
        "$attend translate --help"s,
        "$attend lab"s,
        translate + mt,
        translate + "--window 1 " + mt,
        translate + "--format json " + mt,
        "head -3 valid.en | $attend classify " + cl,
        "head -3 valid.en | $attend classify --window 1 " + cl,
        "head -3 valid.en | $attend embed " + mt,
        "head -3 valid.en | $attend embed --window 1 " + mt,
        "$attend generate --max-tokens 5 --prompt The " + lm,
        "$attend generate --max-tokens 5 --format json --prompt The " + lm,
        "$attend score --src valid.en --tgt valid.de " + mt,
        "$attend info " + mt,
        "$attend info --format json " + mt,
        "$attend evaluate " + lm + " --text valid.en",
        "$attend evaluate " + cl + " --labeled labeled.tsv",
        "$attend evaluate --hypotheses valid.en --references valid.de"s,
        "$attend attention " + mt + " 'The man sleeps.'",
        "$attend quantize --out small.safetensors " + mt,
        "$attend optimize --out packed.safetensors " + mt,
        "$attend average --out mean.safetensors mt"s,
        "$attend calibrate --src train.en --tgt train.de --out calibrated.safetensors " + mt,
        "$attend glossary terms.tsv --src train.en --tgt train.de --out forms.tsv"s,
        "head -3 valid.en | $attend translate --trust " + mt,
        "$attend shortlist --src valid.en --tgt valid.de --out short.safetensors " + mt,
        "echo 'The man sleeps.' | $attend embed nearest --word man --corpus train.en " + mt,
        "$attend embed senses --uses uses.tsv --word dog " + mt,
        "head -3 valid.en | $attend embed em"s,
        "head -3 valid.en | $attend classify tg"s,
        "head -3 valid.en | $attend classify --window 1 --format json tg"s,
        "$attend evaluate tg --labeled tagged.conll"s,
        "$attend import " + llama + " --out imported.safetensors",
        "$attend import --format json " + llama + " --out imported.safetensors",
        "rm -rf exported; $attend export llama --out exported"s,
        "rm -rf exported; $attend export ad --base llama --out exported"s,
        "$attend merge llama ad --out merged.safetensors"s,
        "$attend lab permutation --quick"s,
        "$attend help translate"s,
        "$attend completion zsh"s,
        "$attend man"s,
        "$attend train tagging --print-config"s,
        training_line("dry", {"--dry-run"})})
    expect_failure(line);
}

TEST_F(Output, BeyondTheLimitOnFilesIsAnErrorAndLeavesNothing) {
  train_lm("lm");
  const std::string limited = "cp lm/model.safetensors model; mkdir made; ulimit -f 8; ";
  EXPECT_EQ(shell(limited + "$attend quantize model --out made/model"), 1);
  EXPECT_NE(error_.find("made/model: write failed after 4096 bytes: File too large"),
            std::string::npos)
      << error_;
  EXPECT_TRUE(std::filesystem::is_empty(path("made")));
  EXPECT_EQ(shell("ulimit -f 8; $attend embed --no-context lm/model.safetensors < train.en"), 1);
  EXPECT_NE(error_.find("cannot write standard output: File too large"), std::string::npos)
      << error_;
}

TEST_F(Output, ThatNobodyReadsAnyMoreEndsTheProgramAsItDoesOthers) {
  ASSERT_EQ(shell("exec 3>&1; { sleep 0.05; $attend --help; echo $? >&3; } | :"), 0);
  EXPECT_EQ(out_, "141\n");  // 128 + SIGPIPE
  EXPECT_EQ(error_, "");
}

TEST_F(Output, ThatDoesNotBlockIsWaitedFor) {
  train("mt");
  const std::string lines =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat valid.en; done";
  const std::string embed = "$attend embed --no-context mt/model.safetensors";
  ASSERT_EQ(shell(lines + " | " + embed + " | cksum"), 0) << error_;
  const std::string expected = out_;
  ASSERT_EQ(shell(lines + " | " + without_blocking("STDOUT") + embed + " | { sleep 0.5; cksum; }"),
            0)
      << error_;
  EXPECT_EQ(error_, "");
  EXPECT_EQ(out_, expected);
}

TEST_F(Output, OfATrainingMayGetLostAndIsReportedAfterIt) {
  EXPECT_EQ(
      shell(training_line("run", {"--max-steps", "2", "--valid-every", "0"}) + " > /dev/full"), 1);
  EXPECT_NE(error_.find("the work is done, but its report could not be written"), std::string::npos)
      << error_;
  EXPECT_EQ(run({"info", model("run")}), 0) << error_;
}

TEST_F(Output, OfATrainingThatNobodyReadsAnyMoreEndsItWithACheckpoint) {
  ASSERT_EQ(shell("exec 3>&1; { " +
                  training_line("run", {"--max-steps", "1000000", "--valid-every", "20"}) +
                  "; echo $? >&3; } | { read line; while read line; do case \"$line\" in step*) "
                  "exit;; esac; done; }"),
            0);
  EXPECT_EQ(out_, "141\n") << error_;
  EXPECT_FALSE(std::filesystem::is_empty(path("run/checkpoints")));
}

TEST_F(Output, BeforeAnErrorComesFirst) {
  train("mt");
  ASSERT_EQ(shell("{ head -2 valid.en; printf '\\377\\n'; } | $attend translate --on-error stop "
                  "--max-length 5 mt/model.safetensors 2>&1"),
            1);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 3) << out_;
  EXPECT_NE(out_.find("\nattend: standard input:3"), std::string::npos) << out_;
}

TEST_F(Output, StandardErrorMayBeClosedOrFull) {
  EXPECT_EQ(shell("$attend trian 2>&-"), 2);
  EXPECT_EQ(shell("$attend trian 2>/dev/full"), 2);
}

TEST(JsonText, IsValidWhateverItsTextsHold) {
  const std::string text = json_text(nlohmann::json{{"a\xff", "b\xf0\x9f"}, {"c", "ü"}});
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  EXPECT_NE(text.find("ü"), std::string::npos);
}

}  // namespace
}  // namespace attend
