#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/run_lock.h"
#include "attend/core/strings/counted.h"
#include "cli/small_run.h"
#include "cli/started_program.h"

namespace attend {
namespace {

using TrainCommand = SmallRunTest;

// The events of log.jsonl without what depends on the clock.
std::vector<nlohmann::json> events(const std::string& log) {
  std::istringstream stream(log);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(stream, line);) {
    events.push_back(nlohmann::json::parse(line));
    events.back().erase("time");
  }
  return events;
}

TEST_F(TrainCommand, LeavesAModelCheckpointsLogsAndItsConfiguration) {
  ASSERT_EQ(run(training("run", {"--max-steps", "6", "--save-every", "3", "--valid-every", "3"})),
            0)
      << error_;
  EXPECT_TRUE(std::filesystem::exists(model("run")));
  EXPECT_TRUE(std::filesystem::exists(checkpoint("run", 3)));
  EXPECT_TRUE(std::filesystem::exists(checkpoint("run", 6)));
  EXPECT_NE(read(path("run/config.toml")).find("d-model = 16\n"), std::string::npos);
  EXPECT_NE(out_.find("400 pairs: 400 kept"), std::string::npos) << out_;
  EXPECT_EQ(events(read(path("run/log.jsonl"))).back()["reason"], "finished");
}

TEST_F(TrainCommand, MakesEqualBytesFromEqualSeeds) {
  ASSERT_EQ(run(training("one", {"--max-steps", "4", "--seed", "7", "--threads", "1"})), 0)
      << error_;
  ASSERT_EQ(run(training("two", {"--max-steps", "4", "--seed", "7", "--threads", "2"})), 0)
      << error_;
  ASSERT_EQ(run(training("other", {"--max-steps", "4", "--seed", "8"})), 0) << error_;
  EXPECT_EQ(read(checkpoint("one", 4)), read(checkpoint("two", 4)));
  EXPECT_EQ(read(model("one")), read(model("two")));
  EXPECT_NE(read(model("one")), read(model("other")));
}

TEST_F(TrainCommand, ResumesToTheSameBytes) {
  const std::vector<std::string> settings{"--max-steps",   "9", "--save-every", "2",
                                          "--valid-every", "4", "--ema-decay",  "0.9",
                                          "--accumulate",  "2"};
  ASSERT_EQ(run(training("whole", settings)), 0) << error_;
  ASSERT_EQ(run(training("parts", settings)), 0) << error_;
  for (const int step : {6, 8, 9}) std::filesystem::remove(checkpoint("parts", step));
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0)
      << error_;  // with the configuration in the folder
  EXPECT_NE(out_.find("from step 4"), std::string::npos) << out_;
  EXPECT_EQ(read(checkpoint("parts", 9)), read(checkpoint("whole", 9)));
  EXPECT_EQ(read(model("parts")), read(model("whole")));
  EXPECT_EQ(events(read(path("parts/log.jsonl"))), events(read(path("whole/log.jsonl"))));
}

TEST_F(TrainCommand, ResumesMuonAndALateSecondPassToTheSameBytes) {
  const std::vector<std::string> settings{"--max-steps",   "60", "--save-every",   "20",
                                          "--valid-every", "0",  "--optimizer",    "muon",
                                          "--r-drop",      "3",  "--r-drop-after", "1"};
  ASSERT_EQ(run(training("whole", settings)), 0) << error_;
  ASSERT_EQ(run(training("parts", settings)), 0) << error_;
  for (const int step : {40, 60}) std::filesystem::remove(checkpoint("parts", step));
  expect_error({"train", "translation", "--resume", "--out", path("parts"), "--optimizer", "adam"},
               {"optimizer", "with muon", "step-00000020"});
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("parts")}), 0)
      << "the folder has its configuration still; " << error_;
  EXPECT_NE(out_.find("from step 20"), std::string::npos) << out_;
  EXPECT_EQ(read(checkpoint("parts", 60)), read(checkpoint("whole", 60)));
  std::int64_t epochs = 0;
  for (const auto& event : events(read(path("whole/log.jsonl"))))
    epochs = std::max(epochs, event.value("epoch", std::int64_t{0}));
  EXPECT_GE(epochs, 2) << "the second pass has begun";
}

TEST_F(TrainCommand, ChecksPointsAndStopsOnSignals) {
  const DefaultSignals defaults;
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string name = signal == SIGINT ? "interrupted" : "terminated";
    std::atomic<bool> ended = false;
    const std::filesystem::path checkpoints = path(name + "/checkpoints");
    std::thread killer([&] {
      // Any of them: the first is soon deleted.
      while (!ended && !(exists(checkpoints) && !is_empty(checkpoints)))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!ended) kill(getpid(), signal);
    });
    const int status =
        run(training(name, {"--max-steps", "1000000", "--save-every", "2", "--valid-every", "0"}));
    ended = true;
    killer.join();
    EXPECT_EQ(status, 128 + signal) << error_;
    EXPECT_NE(out_.find("attend train translation --resume --out " + path(name)), std::string::npos)
        << out_;
    const auto last = events(read(path(name + "/log.jsonl"))).back();
    EXPECT_EQ(last["reason"], "interrupted");
    EXPECT_NO_THROW(load_checkpoint(checkpoint(name, last["step"].get<int>())));
  }
}

TEST_F(TrainCommand, AveragesTheLastCheckpointsWhenThatValidatesBetter) {
  ASSERT_EQ(run(training("run", {"--max-steps", "6", "--save-every", "2", "--valid-every", "0",
                                 "--average-last", "2"})),
            0)
      << error_;
  EXPECT_NE(out_.find("mean of 2 checkpoints: validation loss"), std::string::npos) << out_;
}

// With one thread: what several keep for themselves is more than so small a model saves.
TEST_F(TrainCommand, MeasuresWithoutLeavingAnything) {
  ASSERT_EQ(run(training("run", {"--dry-run", "--threads", "1"})), 0) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  for (const char* part : {"parameters ", "peak memory ", "recomputing       saves ",
                           "8-bit moments     save ", "tokens/s", "time per epoch "})
    EXPECT_NE(out_.find(part), std::string::npos) << part;
}

TEST_F(TrainCommand, MeasuresAsJson) {
  ASSERT_EQ(run(training("run", {"--dry-run", "--format", "json", "--r-drop", "3", "--r-drop-after",
                                 "2", "--max-steps", "40"})),
            0)
      << error_;
  const auto cost = nlohmann::json::parse(out_);  // and nothing else on standard output
  EXPECT_NE(error_.find("timing a few steps"), std::string::npos) << error_;
  EXPECT_EQ(cost["steps"], 40);
  EXPECT_EQ(cost["unit"], "tokens");
  EXPECT_TRUE(cost["estimated_from_batch_tokens"].is_null()) << out_;
  ASSERT_EQ(cost["phases"].size(), 2u) << "before and with R-Drop";
  EXPECT_EQ(cost["phases"][1]["first_epoch"], 3);
  for (const auto& phase : cost["phases"])
    EXPECT_GT(phase["units_per_second"].get<double>(), 0) << out_;
  for (const char* name : {"parameters", "tensor_bytes", "process_bytes", "saved_by_recompute",
                           "saved_by_adam8bit", "saved_by_half_batches", "seconds"})
    EXPECT_GT(cost[name].get<double>(), 0) << name;
  const auto parameters = cost["parameters"].get<std::int64_t>();
  ASSERT_EQ(run(training("run", {"--dry-run"})), 0) << error_;
  EXPECT_NE(out_.find("parameters        " + readable_count(parameters) + "\n"), std::string::npos)
      << out_;
}

TEST_F(TrainCommand, RefusesAFormatWithoutADryRun) {
  expect_usage_error(training("run", {"--format", "json"}), {"--format", "--dry-run"});
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(TrainCommand, BeginsWithFiveLines) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1", "--threads", "1"})), 0) << error_;
  const char* const parts[] = {
      "model: transformer, 1+1 layers, d-model 16, 2 heads\n", "vocabulary: 300 pieces, joint\n",
      "training text: 400 pairs: ", "validation text: 20 pairs: ", "1 step, seed 1, 1 thread\n"};
  std::size_t at = 0;
  for (const char* part : parts) {
    const std::size_t found = out_.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " is not in\n" << out_;
    at = found;
  }
  EXPECT_EQ(std::count(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(at), '\n'), 4);
}

TEST_F(TrainCommand, PrintsAConfigurationThatReadsBack) {
  ASSERT_EQ(run(training("run", {"--print-config", "--dropout", "0.25"})), 0) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  const std::string printed = out_;
  EXPECT_NE(printed.find("dropout = 0.25\n"), std::string::npos) << printed;
  const std::string config = write("printed.toml", printed);
  ASSERT_EQ(run({"train", "translation", "--config", config, "--print-config"}), 0) << error_;
  EXPECT_EQ(out_, printed);
  ASSERT_EQ(run({"train", "translation", "--config", config, "--max-steps", "1"}), 0) << error_;
  EXPECT_EQ(read(path("run/config.toml")),
            std::regex_replace(printed, std::regex("max-steps = [0-9]+"), "max-steps = 1"));
}

// A vocabulary of 3 could not be learned: whatever is said before was found before.
TEST_F(TrainCommand, ChecksEverythingElseBeforeItLearnsAVocabulary) {
  const auto expect_first = [&](const std::vector<std::string>& more, const std::string& message,
                                int status = 2) {
    std::vector<std::string> all{"--vocab-size", "5"};
    all.insert(all.end(), more.begin(), more.end());
    expect_message(status, training("run", all), {message}, "");
  };
  expect_first({}, "vocab-size 5 is too small");
  expect_first({"--n-heads", "3"}, "n-heads: 3 does not divide d-model 16");
  expect_first({"--average-last", "20"}, "average-last");
  expect_first({"--schedule", "cosine", "--min-learning-rate", "5"}, "min-learning-rate");
  expect_first({"--src-valid", "missing.en"}, "missing.en", 1);
  write("file", "");
  expect_first({"--out", path("file/run")}, "file is not a folder", 1);
  write("valid.de", "Ein Satz.\n");
  expect_first({}, "valid.de", 1);
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(TrainCommand, CountsTheTimeOfAResumedRunOn) {
  ASSERT_EQ(run(training("run", {"--max-steps", "4", "--save-every", "2"})), 0) << error_;
  std::string log = read(path("run/log.jsonl"));
  log = std::regex_replace(log, std::regex("\"seconds\":[0-9.e-]+"), "\"seconds\":7200.5");
  write("run/log.jsonl", log);
  ASSERT_EQ(run(training("run", {"--max-steps", "6", "--save-every", "2", "--resume"})), 0)
      << error_;
  EXPECT_NE(out_.find("after 2:00:0"), std::string::npos) << out_;
  log = read(path("run/log.jsonl"));
  const std::string last = log.substr(log.rfind('\n', log.size() - 2) + 1);
  const double seconds = nlohmann::json::parse(last)["time"]["seconds"];
  EXPECT_GT(seconds, 7200.5);
  EXPECT_LT(seconds, 7500);
}

TEST_F(TrainCommand, MeasuresEpochsWithOnePassAndWithTwo) {
  ASSERT_EQ(run(training("run", {"--dry-run", "--r-drop", "3", "--r-drop-after", "2"})), 0)
      << error_;
  for (const char* part : {"from epoch 1\n", "from epoch 3\n", "time for 100,000 steps"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
}

TEST_F(TrainCommand, TellsTheTimeOfTheStepsThatItsEpochsHave) {
  ASSERT_EQ(run(training("run", {"--dry-run", "--max-epochs", "1"})), 0) << error_;
  std::smatch per_epoch, in_all;
  ASSERT_TRUE(
      std::regex_search(out_, per_epoch, std::regex("time per epoch +.* \\(([0-9]+) steps\\)")))
      << out_;
  ASSERT_TRUE(std::regex_search(out_, in_all, std::regex("time for ([0-9]+) steps"))) << out_;
  EXPECT_EQ(in_all[1], per_epoch[1]);
}

TEST_F(TrainCommand, RefusesEpochsBelowZero) {
  expect_error(training("run", {"--r-drop", "3", "--r-drop-after", "-1"}),
               {"r-drop-after", "from 0", "-1"});
}

TEST_F(TrainCommand, ReadsItsOptionsFromAFile) {
  const std::string config = write("config.toml", "[training]\nmax_steps = 3\nsave-every = 1\n");
  ASSERT_EQ(run(training("run", {"--config", config, "--save-every", "3"})), 0) << error_;
  EXPECT_TRUE(std::filesystem::exists(checkpoint("run", 3)));
  EXPECT_FALSE(std::filesystem::exists(checkpoint("run", 1))) << "flags win over the file";
}

TEST_F(TrainCommand, TrainsWithTwoVocabulariesAndGzipAndPreNorm) {
  ASSERT_EQ(std::system(("gzip " + path("train.en")).c_str()), 0);
  std::filesystem::rename(path("train.en.gz"), path("train.en"));  // recognized by content
  ASSERT_EQ(run(training("run", {"--max-steps", "2", "--no-joint-vocabulary", "--tie-embeddings",
                                 "target", "--norm-first", "--activation", "gelu", "--positions",
                                 "learned", "--tokenizer", "unigram"})),
            0)
      << error_;
  ASSERT_EQ(run({"translate", model("run")}, "The man sleeps.\n"), 0) << error_;
}

// Twenty lines and, as the seventh, one of 3,000 characters.
std::string with_a_long_line(const std::string& text) {
  std::istringstream stream(text);
  std::string all;
  int number = 0;
  for (std::string line; std::getline(stream, line); all += line + "\n")
    if (++number == 7) all += std::string(3000, 'a') + "\n";
  return all;
}

TEST_F(TrainCommand, LeavesOverLongPairsOutOfTheValidationAndSaysWhichIsFirst) {
  for (const auto& [over_long, note] :
       {std::pair<std::string, std::string>{
            "skip",
            "21 pairs: 20 kept; skipped: 1 over-long (the first: " + path("long.en") + ":7)"},
        {"truncate", "21 pairs: 21 kept (1 of them truncated to the maximum length, the first: " +
                         path("long.en") + ":7)"}}) {
    write("long.en", with_a_long_line(read(path("valid.en"))));
    write("long.de", with_a_long_line(read(path("valid.de"))));
    std::vector<std::string> arguments =
        training(over_long, {"--max-steps", "2", "--tokenizer", "chars", "--over-long", over_long});
    std::replace(arguments.begin(), arguments.end(), std::string("valid.en"),
                 std::string("long.en"));
    std::replace(arguments.begin(), arguments.end(), std::string("valid.de"),
                 std::string("long.de"));
    ASSERT_EQ(run(arguments), 0) << error_;
    EXPECT_NE(out_.find("validation text: " + note), std::string::npos) << out_;
    EXPECT_TRUE(std::filesystem::exists(model(over_long)));
  }
}

TEST_F(TrainCommand, NamesAFileWithoutAPairThatIsShortEnough) {
  expect_error(training("run", {"--max-steps", "2", "--max-length", "2"}),
               {path("train.en"), "at most 2 tokens (max-length)", "0 kept"});
  write("valid.en", std::string(3000, 'a') + "\n");
  write("valid.de", "b\n");
  expect_error(training("run", {"--max-steps", "2", "--tokenizer", "chars"}),
               {path("valid.en"), "at most 256 tokens (max-length)", "0 kept"});
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(TrainCommand, RefusesNoiseInWhatIsNotASentence) {
  for (const auto& other : std::vector<std::vector<std::string>>{
           {"--context", "1"}, {"--tokenizer", "bpe", "--bpe-dropout", "0.5"}}) {
    std::vector<std::string> options = other;
    options.insert(options.end(), {"--source-noise", "0.1", "--max-steps", "2"});
    expect_error(training("run", options), {"source-noise: expected 0 with"});
  }
}

TEST_F(TrainCommand, StaysWithinLearnedPositions) {
  const std::vector<std::string> positions{"--positions",  "learned", "--max-positions", "16",
                                           "--max-length", "16",      "--max-steps",     "40"};
  std::vector<std::string> dropout = positions;
  dropout.insert(dropout.end(), {"--tokenizer", "bpe", "--bpe-dropout", "0.5"});
  ASSERT_EQ(run(training("dropout", dropout)), 0) << error_;
  std::vector<std::string> noise = positions;
  noise.insert(noise.end(),
               {"--tokenizer", "chars", "--source-noise", "1", "--over-long", "truncate"});
  ASSERT_EQ(run(training("noise", noise)), 0) << error_;
  ASSERT_EQ(run(training("chars", {"--positions", "learned", "--max-positions", "4", "--max-length",
                                   "4", "--max-steps", "2", "--over-long", "truncate"})),
            0)
      << error_;
}

TEST_F(TrainCommand, RefusesAFolderInWhichARunIsGoingOn) {
  ASSERT_EQ(run(training("run", {"--max-steps", "2"})), 0) << error_;
  ASSERT_EQ(run(training("empty", {"--max-steps", "2"})), 0) << error_;
  std::filesystem::remove_all(path("empty/checkpoints"));
  for (const char* const name : {"run", "empty"}) {
    const RunLock held(path(name));
    const std::string log = read(path(name) + std::string("/log.jsonl"));
    expect_error(training(name, {"--max-steps", "4"}),
                 {path(name), "another run is active", "process"});
    expect_error(training(name, {"--max-steps", "4", "--resume"}),
                 {path(name), "another run is active"});
    EXPECT_EQ(read(path(name) + std::string("/log.jsonl")), log);
    EXPECT_EQ(run({"translate", model(name)}, "the dog\n"), 0) << error_;
    EXPECT_EQ(run(training(name, {"--dry-run"})), 0) << error_;
  }
  std::filesystem::create_directories(path("demo"));
  const RunLock held(path("demo"));
  expect_error({"demo", "--out", path("demo")}, {path("demo"), "another run is active"});
  EXPECT_FALSE(std::filesystem::exists(path("demo/corpus")));
}

TEST_F(TrainCommand, DoesNotOverwriteARun) {
  ASSERT_EQ(run(training("run", {"--max-steps", "2"})), 0) << error_;
  const std::string before = read(checkpoint("run", 2));
  expect_error(training("run", {"--max-steps", "2"}), {"--resume", path("run")});
  EXPECT_EQ(read(checkpoint("run", 2)), before);
}

TEST_F(TrainCommand, RefusesToResumeAnotherModel) {
  ASSERT_EQ(run(training("run", {"--max-steps", "2"})), 0) << error_;
  expect_error(training("run", {"--max-steps", "4", "--resume", "--d-ff", "32"}),
               {"--resume", "d-ff was 16, is 32", "can only continue unchanged"});
}

TEST_F(TrainCommand, SaysWhatARunThatIsResumedDoesOtherwise) {
  ASSERT_EQ(run(training("run", {"--max-steps", "2", "--schedule", "cosine"})), 0) << error_;
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("run"), "--max-steps", "4",
                 "--dropout", "0.1", "--vocab-size", "400"}),
            0)
      << error_;
  EXPECT_NE(out_.find("max-steps was 2, is 4: the schedule changes\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("vocab-size was 300, is 400: the vocabulary stays as it is\n"),
            std::string::npos)
      << out_;
  EXPECT_EQ(out_.find("dropout was"), std::string::npos) << out_;
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("run")}), 0) << error_;
  EXPECT_EQ(out_.find(" was "), std::string::npos) << out_;
}

TEST_F(TrainCommand, EndsARunThatDivergesWithAdviceAndStatus1) {
  ASSERT_EQ(run(training("run", {"--max-steps", "4", "--save-every", "2", "--valid-every", "0",
                                 "--schedule", "constant"})),
            0)
      << error_;
  expect_failure({"train", "translation", "--resume", "--out", path("run"), "--max-steps", "60",
                  "--learning-rate", "1e6"},
                 {"too high", "in the first step", "gradient norm", "learning rate 1e+06",
                  "lower learning-rate", "the checkpoint of step 4 is good"});
  EXPECT_NE(out_.find("diverged at step"), std::string::npos) << out_;
  EXPECT_NE(
      out_.find("to continue from step 4 with half the learning rate: attend train translation "
                "--resume --out " +
                path("run") + " --learning-rate 5e+05\n"),
      std::string::npos)
      << out_;
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("run"), "--learning-rate",
                 "0.001", "--max-steps", "6"}),
            0)
      << error_;
  EXPECT_NE(out_.find("from step 4"), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
