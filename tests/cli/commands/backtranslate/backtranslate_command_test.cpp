// attend backtranslate: translators that translate text for others, and the run that learns from
// it.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/files/lines.h"
#include "attend/tasks/translation/model.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class BacktranslateCommand : public SmallRunTest {
 protected:
  BacktranslateCommand() {
    write("mono.de", first_lines(read(path("train.de")), 60));
    write("mono.en", first_lines(read(path("train.en")), 50));
  }

  static std::string first_lines(const std::string& text, int count) {
    std::size_t end = 0;
    for (int line = 0; line < count; ++line) end = text.find('\n', end) + 1;
    return text.substr(0, end);
  }
  // attend backtranslate with the options of training(), then `more`. The models are too bad for
  // the filters.
  std::vector<std::string> augmenting(const std::string& run,
                                      const std::vector<std::string>& more) const {
    std::vector<std::string> arguments =
        training(run, {"--max-steps", "6", "--save-every", "2", "--mono-beam-size", "1",
                       "--max-length-ratio", "0", "--no-drop-repeating", "--no-unique",
                       "--min-letters", "0", "--max-words", "0"});
    arguments.erase(arguments.begin());
    arguments.front() = "backtranslate";
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::vector<std::string> with_target_text(const std::string& run,
                                            std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--tgt-mono", "mono.de"});
    return augmenting(run, more);
  }
  std::vector<std::string> lines_of(const std::string& file) const {
    return read_lines(path(file));
  }
  std::string config(const std::string& run) const { return read(path(run) + "/config.toml"); }
  std::string reverse_model(const std::string& name, const std::string& seed) {
    std::vector<std::string> arguments = training(name, {"--max-steps", "6", "--seed", seed});
    const std::map<std::string, std::string> other{{"train.en", "train.de"},
                                                   {"train.de", "train.en"},
                                                   {"valid.en", "valid.de"},
                                                   {"valid.de", "valid.en"}};
    for (std::string& word : arguments)
      if (const auto found = other.find(word); found != other.end()) word = found->second;
    EXPECT_EQ(run(arguments), 0) << error_;
    return path(name);
  }
};

TEST_F(BacktranslateCommand, TrainsOnTranslationsOfTargetText) {
  ASSERT_EQ(run(with_target_text("run")), 0) << error_;
  const TranslationModel reverse = translation_model(load_checkpoint(model("run/reverse")));
  EXPECT_EQ(reverse.text_kinds.at("src").language, "de");
  EXPECT_EQ(reverse.text_kinds.at("tgt").language, "en");
  const std::vector<std::string> written = lines_of("run/round-1/tgt-mono/pairs/src.txt");
  EXPECT_EQ(lines_of("run/round-1/tgt-mono/pairs/tgt.txt"), lines_of("mono.de"));
  ASSERT_EQ(written.size(), 60u);
  for (const std::string& line : written) EXPECT_TRUE(line.starts_with("<bt> ")) << line;
  EXPECT_NE(out_.find("part 3 of 3: round 1, forward model"), std::string::npos) << out_;
  EXPECT_NE(out_.find("training text: 460 pairs"), std::string::npos) << out_;
  const TranslationModel forward = translation_model(load_checkpoint(model("run")));
  EXPECT_EQ(forward.text_kinds.at("src").language, "en");
  EXPECT_EQ(forward.text_kinds.at("tgt").language, "de");
  const auto ids = forward.src_tokenizer.encode("<bt> the");
  EXPECT_EQ(forward.src_tokenizer.encode("<bt>"), (std::vector{ids.front()})) << "one token";
}

TEST_F(BacktranslateCommand, AlternatesTheDirectionsInRounds) {
  ASSERT_EQ(run(with_target_text("run", {"--src-mono", "mono.en"})), 0) << error_;
  EXPECT_NE(out_.find("part 7 of 7: round 2, forward model"), std::string::npos) << out_;
  const std::vector<std::string> real = lines_of("run/round-2/src-mono/pairs/tgt.txt");
  EXPECT_EQ(real, lines_of("mono.en")) << "what the reverse model learns to write";
  const std::string reverse = config("run/round-2/reverse");
  const std::size_t pairs = reverse.find("round-2/src-mono/pairs/src.txt");
  EXPECT_LT(reverse.find("train.de"), pairs) << reverse;
  EXPECT_LT(pairs, reverse.find("tgt-train")) << reverse;
  EXPECT_NE(read(model("run/reverse")), read(model("run/round-2/reverse")));
  EXPECT_EQ(lines_of("run/round-2/tgt-mono/pairs/tgt.txt"), lines_of("mono.de"));
}

TEST_F(BacktranslateCommand, TrainsOnItsOwnTranslationsOfSourceText) {
  ASSERT_EQ(run(augmenting("run", {"--src-mono", "mono.en"})), 0) << error_;
  EXPECT_EQ(lines_of("run/round-1/src-mono/pairs/src.txt"), lines_of("mono.en")) << "no tag";
  EXPECT_NE(config("run").find("src-mono/pairs/tgt.txt"), std::string::npos);
  EXPECT_EQ(config("run").find("<bt>"), std::string::npos);
  std::filesystem::rename(path("run/forward"), path("first"));
  ASSERT_EQ(run(augmenting("given", {"--src-mono", "mono.en", "--forward", path("first")})), 0)
      << error_;
  EXPECT_EQ(read(model("given")), read(model("run")));
}

TEST_F(BacktranslateCommand, TakesAModelThatIsGiven) {
  const std::string given = reverse_model("de-en", "7");
  ASSERT_EQ(run(with_target_text("run", {"--reverse", given, "--tag", ""})), 0) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run/reverse")));
  EXPECT_NE(lines_of("run/round-1/tgt-mono/pairs/src.txt").front().substr(0, 4), "<bt>");
  ASSERT_EQ(run(training("en-de", {"--max-steps", "2"})), 0) << error_;
  EXPECT_EQ(run(with_target_text("other", {"--reverse", path("en-de")})), 2);
  EXPECT_NE(error_.find("--reverse: expected a translator from de, got one from en"),
            std::string::npos)
      << error_;
}

TEST_F(BacktranslateCommand, HandsOnItsOptions) {
  ASSERT_EQ(run(with_target_text("run", {"--reverse-options", "d-model=32", "max_steps=4",
                                         "--mix-weights", "3", "1"})),
            0)
      << error_;
  EXPECT_NE(config("run/reverse").find("d-model = 32"), std::string::npos);
  EXPECT_NE(config("run/reverse").find("max-steps = 4"), std::string::npos);
  EXPECT_NE(config("run").find("d-model = 16"), std::string::npos);
  EXPECT_NE(config("run").find("mix-weights = [\"3\", \"1\"]"), std::string::npos);
  EXPECT_NE(out_.find("pairs/src.txt: 25.1 % of an epoch"), std::string::npos) << out_;
}

TEST_F(BacktranslateCommand, HandsOnHowTextIsTranslated) {
  const std::string given = reverse_model("de-en", "7");
  const auto settings = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments = with_target_text(name, {"--reverse", given});
    const auto beam = std::find(arguments.begin(), arguments.end(), "--mono-beam-size");
    arguments.erase(beam, beam + 2);
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments), 0) << error_;
    return read(path(name) + "/round-1/tgt-mono/settings.toml");
  };
  const std::string sample =
      settings("sample", {"--mono-decoding", "sample", "--mono-translations", "2", "--mono-top-k",
                          "10", "--mono-top-p", "0.5", "--mono-temperature", "0.5"});
  for (const char* one : {"targets = \"sample\"", "target-samples = 2", "target-top-k = 10",
                          "target-top-p = 0.5", "target-temperature = 0.5"})
    EXPECT_NE(sample.find(one), std::string::npos) << sample;
  EXPECT_GT(lines_of("sample/round-1/tgt-mono/src.txt").size(), 100u);
  const std::string beam = settings("beam", {"--mono-beam-size", "3", "--mono-translations", "2"});
  EXPECT_NE(beam.find("target-beam-size = 3"), std::string::npos) << beam;
  EXPECT_NE(beam.find("the 2 best"), std::string::npos) << beam;
  const std::string noised = settings("noised", {"--mono-decoding", "noised", "--noise-drop", "0.2",
                                                 "--noise-blank", "0.3", "--noise-swap", "2"});
  EXPECT_NE(noised.find("with noise 0.2 0.3 2"), std::string::npos) << noised;
  EXPECT_NE(config("noised").find("\"<blank>\""), std::string::npos) << config("noised");
}

TEST_F(BacktranslateCommand, FiltersWhatIsWritten) {
  const std::string given = reverse_model("de-en", "7");
  ASSERT_EQ(run(with_target_text("run", {"--reverse", given, "--keep-best", "0.5"})), 0) << error_;
  EXPECT_EQ(lines_of("run/round-1/tgt-mono/pairs/src.txt").size(), 30u);
  EXPECT_NE(out_.find("30 pairs of 60 kept"), std::string::npos) << out_;
  // The first text without a rule keeps all of it, see TrainsOnTranslationsOfTargetText.
  write("mono.de", read(path("mono.de")) + first_lines(read(path("mono.de")), 5));
  ASSERT_EQ(run(with_target_text("unique", {"--reverse", given, "--unique-targets"})), 0) << error_;
  EXPECT_NE(out_.find("60 pairs of 65 kept"), std::string::npos) << out_;
  const std::vector<std::pair<std::vector<std::string>, std::string>> strict{
      {{"--min-score", "-0.0001"}, "65 min-score"},
      {{"--min-words", "200"}, "65 min-words"},
      {{"--max-character-ratio", "1.001"}, "max-character-ratio"}};
  for (const auto& [more, rule] : strict) {
    std::vector<std::string> options{"--reverse", given};
    options.insert(options.end(), more.begin(), more.end());
    EXPECT_EQ(run(with_target_text("strict", options)), 1) << out_;
    EXPECT_NE(error_.find("the filters have left none"), std::string::npos) << error_;
    EXPECT_NE(error_.find(rule), std::string::npos) << error_;
  }
}

TEST_F(BacktranslateCommand, TranslatesTheParallelTextItself) {
  ASSERT_EQ(run(augmenting("run", {"--tgt-mono", "train.de"})), 0) << error_;
  EXPECT_NE(out_.find("training text: 800 pairs"), std::string::npos) << out_;
}

TEST_F(BacktranslateCommand, GoesOnWhereItWasStopped) {
  ASSERT_EQ(run(with_target_text("whole", {"--src-mono", "mono.en"})), 0) << error_;
  ASSERT_EQ(run(with_target_text("parts", {"--src-mono", "mono.en"})), 0) << error_;
  const auto remove = [this](std::initializer_list<const char*> files) {
    for (const char* const file : files) std::filesystem::remove_all(path("parts/") + file);
  };
  const auto resume = [this] {
    ASSERT_EQ(run({"backtranslate", "--resume", "--out", path("parts")}), 0) << error_;
    EXPECT_EQ(read(model("parts")), read(model("whole")));
  };
  // As if it had been stopped in the second reverse model.
  remove({"checkpoints", "model.safetensors", "config.toml", "log.jsonl", "settings.toml",
          "finished", "round-2/tgt-mono", "round-2/reverse/finished"});
  std::filesystem::remove(checkpoint("parts/round-2/reverse", 6));
  const auto first = std::filesystem::last_write_time(model("parts/reverse"));
  resume();
  EXPECT_EQ(std::filesystem::last_write_time(model("parts/reverse")), first);
  // In the run itself.
  remove({"finished"});
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  resume();
  EXPECT_NE(out_.find("from step 2"), std::string::npos) << out_;
  // Between a translation and its pairs.
  remove({"checkpoints", "settings.toml", "finished", "round-2/tgt-mono/pairs"});
  resume();
}

TEST_F(BacktranslateCommand, IsReadAndResumedAsATraining) {
  ASSERT_EQ(run(with_target_text("whole")), 0) << error_;
  ASSERT_EQ(run(with_target_text("parts")), 0) << error_;
  for (const int step : {4, 6}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(BacktranslateCommand, NoticesOtherTextsAndModels) {
  ASSERT_EQ(run(with_target_text("run")), 0) << error_;
  const auto refuses = [this](const std::string& what) {
    EXPECT_EQ(run({"backtranslate", "--resume", "--out", path("run")}), 2) << out_;
    EXPECT_NE(error_.find(what + " in this folder were made by other models, of another text"),
              std::string::npos)
        << error_;
  };
  const std::string mono = read(path("mono.de")), train = read(path("train.en"));
  write("mono.de", mono + "Noch eine Zeile.\n");
  refuses("tgt-mono: the targets");
  write("mono.de", mono);
  write("train.en", "Another" + train.substr(train.find(' ')));
  refuses("run/reverse: the checkpoints");
  write("train.en", train);
  EXPECT_EQ(run({"backtranslate", "--resume", "--out", path("run")}), 0) << error_;
  std::filesystem::remove_all(path("run/reverse"));
  std::filesystem::copy(reverse_model("de-en", "7"), path("run/reverse"),
                        std::filesystem::copy_options::recursive);
  std::ofstream(path("run/reverse/finished")) << "";
  refuses("tgt-mono: the targets");
}

TEST_F(BacktranslateCommand, TellsThatAPartStaysAsItWasTrained) {
  ASSERT_EQ(run(with_target_text("run")), 0) << error_;
  ASSERT_EQ(run({"backtranslate", "--resume", "--out", path("run")}), 0) << error_;
  EXPECT_EQ(out_.find("stays as it was trained"), std::string::npos) << out_;
  ASSERT_EQ(run({"backtranslate", "--resume", "--out", path("run"), "--label-smoothing", "0.2"}), 0)
      << error_;
  EXPECT_NE(out_.find("run/reverse stays as it was trained: label-smoothing was 0.1, is 0.2"),
            std::string::npos)
      << out_;
}

TEST_F(BacktranslateCommand, TellsWhatItWouldCost) {
  ASSERT_EQ(run(with_target_text("run", {"--src-mono", "mono.en", "--dry-run"})), 0) << error_;
  for (const char* part : {"reverse model", "round 1, translation of --tgt-mono",
                           "round 1, forward model", "round 2, translation of --src-mono",
                           "round 2, reverse model", "in all", "memory of the process"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  const std::string given = reverse_model("de-en", "7");
  ASSERT_EQ(run(with_target_text("run", {"--reverse", given, "--dry-run", "--format", "json"})), 0)
      << error_;
  const auto cost = nlohmann::json::parse(out_);
  EXPECT_EQ(cost.at("stages").size(), 2U);
  EXPECT_EQ(cost.at("stages")[0].at("disk_bytes").get<std::size_t>(),
            4 * read(path("mono.de")).size());
}

TEST_F(BacktranslateCommand, StartsFromAModelThatKnowsTheTag) {
  ASSERT_EQ(run(training("with", {"--max-steps", "2", "--user-symbols", "<bt>"})), 0) << error_;
  ASSERT_EQ(run(training("without", {"--max-steps", "2"})), 0) << error_;
  const std::string given = reverse_model("de-en", "7");
  const auto starting = [&](const std::string& from, std::vector<std::string> more) {
    std::vector<std::string> arguments{"backtranslate",
                                       "--src-train",
                                       path("train.en"),
                                       "--tgt-train",
                                       path("train.de"),
                                       "--tgt-mono",
                                       path("mono.de"),
                                       "--init-from",
                                       path(from),
                                       "--max-steps",
                                       "2",
                                       "--warmup-steps",
                                       "1",
                                       "--out",
                                       path("run"),
                                       "--max-length-ratio",
                                       "0",
                                       "--no-drop-repeating",
                                       "--min-letters",
                                       "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  EXPECT_EQ(starting("with", {}), 2);
  EXPECT_NE(error_.find("--init-from: expected a model for the other direction"), std::string::npos)
      << error_;
  EXPECT_EQ(starting("without", {"--reverse", given}), 2);
  EXPECT_NE(error_.find("has no token '<bt>'"), std::string::npos) << error_;
  EXPECT_EQ(starting("with", {"--reverse", given}), 0) << error_;
}

TEST_F(BacktranslateCommand, RefusesWhatDoesNotFit) {
  const auto refuses = [&](const std::vector<std::string>& arguments, const std::string& message,
                           int status = 2) {
    EXPECT_EQ(run(arguments), status) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    EXPECT_FALSE(std::filesystem::exists(path("run")));
  };
  refuses(augmenting("run", {}), "--tgt-mono: expected the text to translate");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--context", "1"}, "--context: expected none"},
      {{"--prepared", "x"}, "--prepared: expected none"},
      {{"--teachers", "x"}, "--teachers: expected none"},
      {{"--soft-targets", "x"}, "--soft-targets: expected none"},
      {{"--mono-top-k", "3"}, "--mono-top-k: works only with --mono-decoding sample"},
      {{"--noise-drop", "0.3"}, "--noise-drop: works only with --mono-decoding noised"},
      {{"--mono-decoding", "sample"}, "--mono-beam-size: "},
      {{"--mono-translations", "2"}, "--mono-translations: expected at most --mono-beam-size (1)"},
      {{"--rounds", "2"}, "--rounds: expected 1 without --src-mono"},
      {{"--mix-weights", "1"}, "--mix-weights: expected 2 weights"},
      {{"--tag", "a b"}, "--tag: "},
      {{"--tag", "<BT>", "--normalization", "nfkc_cf"}, "--tag: "},
      {{"--tokenizer", "wordpiece"}, "--tag: expected none (--tag '')"},
      {{"--reverse-options", "tokenizer=wordpiece"}, "--tag: expected none (--tag '')"},
      {{"--reverse-options", "d-modl=3"}, "did you mean d-model"},
      {{"--reverse-options", "out=x"}, "out cannot be set here"},
      {{"--unique-memory", "3"}, "--unique-memory: "}};
  for (const auto& [more, message] : cases) refuses(with_target_text("run", more), message);
  refuses(augmenting("run", {"--src-mono", "mono.en", "--tag", "<ft>"}), "--tag: works only with");
  refuses(augmenting("run", {"--src-mono", "mono.en", "--mono-decoding", "noised"}),
          "--source-noise");
  refuses({"backtranslate", "--tgt-mono", path("mono.de"), "--out", path("run")},
          "--src-train: expected the file to train on");
  refuses(augmenting("run", {"--tgt-mono", "absent.de"}), "absent.de", 1);
  write("empty.de", "");
  refuses(augmenting("run", {"--tgt-mono", "empty.de"}), "empty.de", 1);
  write("blank.de", " \n\n");
  refuses(augmenting("run", {"--tgt-mono", "blank.de"}), "expected sentences to translate", 1);
  ASSERT_EQ(run(with_target_text("run")), 0) << error_;
  EXPECT_EQ(run(with_target_text("run")), 2) << "the folder is in use";
}

}  // namespace
}  // namespace attend
