#include <nlohmann/json.hpp>

#include "cli/started_program.h"
#include "core/gzip.h"

namespace attend {
namespace {

class FilterCommand : public SmallRunTest {
 protected:
  FilterCommand() {
    write("in.en", "The dog sleeps.\n\nThe cat sees the dog.\nThe dog sleeps.\n12 34\n");
    write("in.de", "Der Hund schläft.\nLeer.\nDie Katze sieht den Hund.\nDer Hund schläft.\n5\n");
  }
  std::vector<std::string> filter(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"filter",       "--src",       path("in.en"),
                                       "--tgt",        path("in.de"), "--out-src",
                                       path("out.en"), "--out-tgt",   path("out.de")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
};

TEST_F(FilterCommand, CleansPairs) {
  ASSERT_EQ(run(filter()), 0) << error_;
  EXPECT_EQ(read(path("out.en")), "The dog sleeps.\nThe cat sees the dog.\n");
  EXPECT_EQ(read(path("out.de")), "Der Hund schläft.\nDie Katze sieht den Hund.\n");
  EXPECT_EQ(out_,
            "5 pairs: 2 kept (40.00 %)\n"
            "rule                        dropped     share  first\n"
            "not-text                          0    0.00 %\n"
            "empty                             1   20.00 %  " +
                path("in.en") +
                ":2\n"
                "max-words                         0    0.00 %\n"
                "min-letters                       1   20.00 %  " +
                path("in.en") +
                ":5\n"
                "max-length-ratio                  0    0.00 %\n"
                "drop-identical                    0    0.00 %\n"
                "unique                            1   20.00 %  " +
                path("in.en") + ":4\n");
}

TEST_F(FilterCommand, ReportsJson) {
  ASSERT_EQ(run(filter({"--format", "json"})), 0) << error_;
  const auto report = nlohmann::json::parse(out_);
  EXPECT_EQ(report["pairs"], 5);
  EXPECT_EQ(report["kept"], 2);
  EXPECT_EQ(report["dropped"]["empty"], 1);
  EXPECT_EQ(report["dropped"]["not-text"], 0);
  EXPECT_EQ(report["first"]["unique"], path("in.en") + ":4");
  EXPECT_FALSE(report["first"].contains("not-text"));
  EXPECT_EQ(report["seen"]["unique"]["lines"], 2);
  EXPECT_GT(report["seen"]["unique"]["bytes"], 0);
  EXPECT_GE(report["seen"]["unique"]["collision_probability"], 0);
  EXPECT_FALSE(report.contains("lowest_score_kept"));
}

TEST_F(FilterCommand, CleansPairsInColumns) {
  const std::string tsv =
      write("in.tsv", "a dog\tein Hund\t0.5\nno tab\n\tx\na dog\tein Hund\t1\n");
  ASSERT_EQ(run({"filter", "--tsv", tsv, "--out", path("out"), "--rejected", path("rejected")}), 0)
      << error_;
  EXPECT_EQ(read(path("out")), "a dog\tein Hund\t0.5\n");
  EXPECT_EQ(read(path("rejected")),
            tsv + ":2\tnot-text\t" + tsv + ":2: expected source, tab and target, found no tab\n" +
                tsv + ":3\tempty\t\tx\n" + tsv + ":4\tunique\ta dog\tein Hund\n");
}

TEST_F(FilterCommand, CleansText) {
  EXPECT_EQ(run({"filter", "--text", write("x.gz", gzip("one line\none line\n12\n")), "--out",
                 path("out"), "--tag", "<mono>"}),
            0)
      << error_;
  EXPECT_EQ(read(path("out")), "<mono> one line\n");
  EXPECT_NE(out_.find("3 lines: 1 kept"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("max-length-ratio"), std::string::npos) << out_;
}

TEST_F(FilterCommand, TagsSources) {
  ASSERT_EQ(run(filter({"--tag", "<bt>"})), 0) << error_;
  EXPECT_EQ(read(path("out.en")), "<bt> The dog sleeps.\n<bt> The cat sees the dog.\n");
  EXPECT_EQ(read(path("out.de")), "Der Hund schläft.\nDie Katze sieht den Hund.\n");
}

TEST_F(FilterCommand, NamesBothCountsOfUnequalFilesAndWritesNothing) {
  write("in.de", "A\nB\n");
  expect_failure(filter({"--rejected", path("rejected")}),
                 {path("in.en") + " has 5 lines but " + path("in.de") + " has 2"});
  for (const char* name : {"out.en", "out.de", "rejected"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(FilterCommand, FailsWhereItCannotWrite) {
  expect_failure({"filter", "--text", path("in.en"), "--out", "/dev/full"}, {"/dev/full"});
  expect_failure(filter({"--rejected", path("none/rejected")}), {path("none/rejected")});
  EXPECT_FALSE(exists("out.en"));
}

TEST_F(FilterCommand, SaysWhatIsMissing) {
  const std::string in = path("in.en"), out = path("out");
  expect_usage_error({"filter"}, {"--src: expected source text, or --tsv or --text, got none"});
  expect_usage_error({"filter", "--src", in}, {"--tgt: expected the translations of --src"});
  expect_usage_error({"filter", "--src", in, "--tgt", in}, {"--out-src: expected"});
  expect_usage_error({"filter", "--src", in, "--tgt", in, "--out-src", out},
                     {"--out-tgt: expected"});
  expect_usage_error({"filter", "--text", in}, {"--out: expected the file to write"});
  expect_usage_error({"filter", "--tsv", in}, {"--out: expected the file to write"});
  expect_usage_error({"filter", "--src", in, in, "--tgt", in, "--out-src", out, "--out-tgt", in},
                     {"2 source and 1 target files"});
  expect_usage_error({"filter", "--src", "-", "--tgt", "-", "--out-src", out, "--out-tgt", in},
                     {"standard input (-) for one file"});
}

TEST_F(FilterCommand, IgnoresNoOption) {
  const std::string in = path("in.en"), out = path("out");
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--src", in},
                                             {"--tgt", in},
                                             {"--tsv", in},
                                             {"--out-src", out},
                                             {"--out-tgt", out},
                                             {"--tgt-lang", "de"},
                                             {"--max-length-ratio", "2"},
                                             {"--max-character-ratio", "2"},
                                             {"--no-drop-identical"},
                                             {"--drop-repeating"},
                                             {"--unique-sources"},
                                             {"--unique-targets"},
                                             {"--max-unaligned", "0.5"}}) {
    std::vector<std::string> arguments{"filter", "--text", in, "--out", out};
    arguments.insert(arguments.end(), option.begin(), option.end());
    expect_usage_error(
        arguments, {option[0] == "--no-drop-identical" ? "--drop-identical" : option[0], "--text"});
  }
  for (const char* option : {"--min-score", "--max-unaligned", "--max-tokens", "--keep-best"})
    expect_usage_error(filter({option, option == std::string("--max-tokens")  ? "5"
                                       : option == std::string("--min-score") ? "-5"
                                                                              : "0.5"}),
                       {option, "--score-with"});
  expect_usage_error(filter({"--language-odds", "2"}), {"--language-odds", "--src-lang"});
  expect_usage_error(filter({"--no-unique", "--unique-memory", "2"}), {"--unique-memory"});
  for (const char* option : {"--unique-sources", "--unique-targets"})
    EXPECT_EQ(run(filter({"--no-unique", option, "--unique-memory", "2"})), 0) << error_;
  expect_usage_error(filter({"--out", out}), {"--out", "--tsv or --text"});
  expect_usage_error({"filter", "--tsv", in, "--src", in, "--out", out}, {"--src", "--tsv"});
}

TEST_F(FilterCommand, RefusesABadTagOrLanguage) {
  expect_usage_error(filter({"--tag", "a b"}), {"--tag: expected one word", "'a b'"});
  expect_usage_error(filter({"--src-lang", "tlh"}), {"--src-lang: expected a language", "'tlh'"});
}

TEST_F(FilterCommand, KeepsTheBestByAModel) {
  ASSERT_EQ(run(training("run", {"--max-steps", "20", "--valid-every", "0"})), 0) << error_;
  write("in.en", read(path("valid.en")));
  write("in.de", read(path("valid.de")));
  ASSERT_EQ(run(filter({"--score-with", path("run"), "--keep-best", "0.25", "--rejected",
                        path("rejected"), "--format", "json"})),
            0)
      << error_;
  const auto report = nlohmann::json::parse(out_);
  EXPECT_EQ(report["kept"], 5);
  EXPECT_EQ(report["dropped"]["keep-best"], 15);
  // The scores of the command line say the same.
  ASSERT_EQ(run({"score", path("run"), "--src", path("out.en"), "--tgt", path("out.de"), "--format",
                 "json"}),
            0);
  const double least = report["lowest_score_kept"];
  double found = 0;
  std::istringstream lines(out_);
  for (std::string line; std::getline(lines, line);) {
    const auto score = nlohmann::json::parse(line);
    found = std::min(found, score["log_probability"].get<double>() / score["tokens"].get<double>());
  }
  EXPECT_NEAR(found, least, 1e-4);
  // A bound there keeps the same.
  const std::string kept = read(path("out.en"));
  ASSERT_EQ(run(filter({"--score-with", path("run"), "--min-score", std::to_string(least - 1e-4)})),
            0);
  EXPECT_EQ(read(path("out.en")), kept);
}

TEST_F(FilterCommand, ScoresInTheLanguagesOfTheText) {
  ASSERT_EQ(run({"import", std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/nllb",
                 "--out", path("languages")}),
            0)
      << error_;
  write("in.en", read(path("valid.en")));
  write("in.de", read(path("valid.de")));
  ASSERT_EQ(run(filter({"--score-with", path("languages"), "--keep-best", "0.05", "--src-lang",
                        "eng_Latn", "--tgt-lang", "deu_Latn", "--language-odds", "0", "--format",
                        "json"})),
            0)
      << error_;
  const double best = nlohmann::json::parse(out_)["lowest_score_kept"];
  const auto best_from = [&](const char* source, const char* target) {
    EXPECT_EQ(run({"score", path("languages"), "--src", path("in.en"), "--tgt", path("in.de"),
                   "--src-lang", source, "--tgt-lang", target, "--format", "json"}),
              0)
        << error_;
    double found = -1e9;
    std::istringstream lines(out_);
    for (std::string line; std::getline(lines, line);) {
      const auto score = nlohmann::json::parse(line);
      found =
          std::max(found, score["log_probability"].get<double>() / score["tokens"].get<double>());
    }
    return found;
  };
  EXPECT_NEAR(best_from("eng_Latn", "deu_Latn"), best, 1e-5);
  EXPECT_GT(std::abs(best_from("deu_Latn", "eng_Latn") - best), 1e-4);
}

TEST_F(FilterCommand, RefusesAModelOfAnotherTask) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  expect_failure({"filter", "--text", path("in.en"), "--out", path("out"), "--score-with",
                  path("run"), "--min-score", "-3"},
                 {"expected a model for language modeling, found one for translation"});
}

TEST_F(FilterCommand, SaysNothingOnStandardError) {
  ASSERT_EQ(run(filter()), 0);
  EXPECT_EQ(error_, "");
}

class StartedFilter : public StartedProgramTest {};

TEST_F(StartedFilter, CleansStandardInput) {
  EXPECT_EQ(shell("printf 'one line\\none line\\n12\\n' | $attend filter --text - --out out"), 0)
      << error_;
  EXPECT_EQ(read(path("out")), "one line\n");
  EXPECT_NE(out_.find("standard input:3"), std::string::npos) << out_;
}

TEST_F(StartedFilter, RanksNoStandardInput) {
  train_lm("run");
  EXPECT_EQ(shell("echo text | $attend filter --text - --out out --score-with run --keep-best 0.5"),
            2);
  EXPECT_NE(error_.find("--keep-best: expected a file"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend