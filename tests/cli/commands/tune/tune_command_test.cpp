// attend tune: trials that are compared on rungs, resumed and shared.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "attend/checkpoint/run_lock.h"
#include "attend/cli/commands/tune/search.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class TuneCommand : public SmallRunTest {
 protected:
  // attend tune with the options of training(), then `more`.
  std::vector<std::string> tuning(const std::string& run,
                                  const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = training(
        run, {"--max-steps", "8", "--save-every", "0", "--trials", "4", "--keep-one-of", "2"});
    arguments.front() = "tune";
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  nlohmann::json result(const std::string& run, int trial, int steps) const {
    return nlohmann::json::parse(
        read(fmt::format("{}/trials/{:03}/result-{}.json", path(run), trial, steps)));
  }
  bool has_result(const std::string& run, int trial, int steps) const {
    return std::filesystem::exists(
        fmt::format("{}/trials/{:03}/result-{}.json", path(run), trial, steps));
  }
};

const std::vector<std::string> kRates{"--ranges", "learning-rate=1e-5..1e-2", "dropout=0,0.1"};

TEST_F(TuneCommand, GoesOnWithTheBestTrials) {
  ASSERT_EQ(run(tuning("run", kRates)), 0) << error_;
  std::vector<std::pair<double, int>> first;
  for (int trial = 1; trial <= 4; ++trial)
    first.emplace_back(-result("run", trial, 2).at("score").get<double>(), trial);
  std::sort(first.begin(), first.end());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(has_result("run", first[i].second, 4), i < 2) << i;
  int last = 0;
  for (int trial = 1; trial <= 4; ++trial) last += has_result("run", trial, 8) ? trial : 0;
  EXPECT_TRUE(last == first[0].second || last == first[1].second);
  EXPECT_NE(out_.find(fmt::format("best: trial {}", last)), std::string::npos) << out_;
  EXPECT_TRUE(std::filesystem::exists(model(fmt::format("run/trials/{:03}", last))));
}

TEST_F(TuneCommand, TrainsTheBestTrialAsATrainingOfItsSettings) {
  ASSERT_EQ(run(tuning("run", kRates)), 0) << error_;
  const std::string best = out_.substr(out_.find("best: trial ") + 12, 1);
  ASSERT_EQ(
      run({"train", "translation", "--config", path("run") + "/best.toml", "--out", path("again")}),
      0)
      << error_;
  EXPECT_EQ(result("run", std::stoi(best), 8).at("steps"), 8);
  const auto loss = [&](const std::string& folder) {
    const std::string log = read(path(folder) + "/log.jsonl");
    return log.substr(log.find("\"step\":8,"), 60);
  };
  EXPECT_EQ(loss("again"), loss(fmt::format("run/trials/{:03}", std::stoi(best))));
}

TEST_F(TuneCommand, BeginsWithTheGivenOptions) {
  ASSERT_EQ(run(tuning("run", kRates)), 0) << error_;
  EXPECT_FALSE(result("run", 1, 2).contains("settings"));
  EXPECT_TRUE(result("run", 2, 2).at("settings").contains("learning-rate"));
  EXPECT_NE(out_.find("as given"), std::string::npos) << out_;
}

TEST_F(TuneCommand, GoesOnAfterAStop) {
  ASSERT_EQ(run(tuning("run", kRates)), 0) << error_;
  const std::string table = out_.substr(out_.find("\nafter 8"));
  const auto before = result("run", 2, 2);
  std::filesystem::remove(path("run") + "/trials/002/result-2.json");
  std::filesystem::remove_all(path("run") + "/trials/002/checkpoints");
  ASSERT_EQ(run({"tune", "translation", "--resume", "--out", path("run")}), 0) << error_;
  EXPECT_EQ(result("run", 2, 2), before);
  EXPECT_EQ(out_.substr(out_.find("\nafter 8")), table);
  EXPECT_EQ(run(tuning("run", kRates)), 2);
  EXPECT_NE(error_.find("holds a search; join or resume it"), std::string::npos) << error_;
}

TEST_F(TuneCommand, WaitsForTrialsOfOtherProcesses) {
  const std::string trial = path("run") + "/trials/003";
  std::filesystem::create_directories(trial);
  // The lock is that of a process.
  const pid_t other = ::fork();
  if (other == 0) {
    {
      const RunLock lock(trial);
      std::this_thread::sleep_for(std::chrono::seconds(3));
      for (const char* const steps : {"2", "4", "8"})
        write(fmt::format("run/trials/003/result-{}.json", steps), R"({"score": 5.0})");
    }
    ::_exit(0);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const int status = run(tuning("run", kRates));
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(status, 0) << error_;
  EXPECT_NE(out_.find("best: trial 3"), std::string::npos) << out_;
}

TEST_F(TuneCommand, PassesOverTrialsThatCannotBe) {
  ASSERT_EQ(run(tuning("run", {"--ranges", "n-heads=3,5"})), 0) << error_;
  EXPECT_NE(out_.find("failed"), std::string::npos) << out_;
  EXPECT_NE(result("run", 2, 2).at("error").get<std::string>().find("heads"), std::string::npos);
  EXPECT_NE(out_.find("best: trial 1"), std::string::npos) << out_;
}

TEST_F(TuneCommand, DrawsOtherSettingsWithAnotherSeedAndComparesByTheScore) {
  ASSERT_EQ(run(tuning("one", kRates)), 0) << error_;
  std::vector<std::string> more = kRates;
  more.insert(more.end(), {"--search-seed", "2", "--compare-by", "score"});
  ASSERT_EQ(run(tuning("two", more)), 0) << error_;
  EXPECT_NE(result("one", 2, 2).at("settings"), result("two", 2, 2).at("settings"));
  EXPECT_LT(result("one", 1, 2).at("score").get<double>(), 0) << "a log-likelihood";
  EXPECT_GE(result("two", 1, 2).at("score").get<double>(), 0) << "BLEU";
}

TEST_F(TuneCommand, EndsTheLastTrialAsATrainingEnds) {
  std::vector<std::string> more = kRates;
  more.insert(more.end(), {"--average-last", "2", "--save-every", "1", "--patience", "1"});
  ASSERT_EQ(run(tuning("run", more)), 0) << error_;
  const std::string best = out_.substr(out_.find("best: trial ") + 12, 1);
  EXPECT_NE(read(fmt::format("{}/trials/{:03}/log.jsonl", path("run"), std::stoi(best)))
                .find("\"averaged\":2"),
            std::string::npos);
}

TEST_F(TuneCommand, CountsStepsNotEpochs) {
  std::vector<std::string> more = kRates;
  more.insert(more.end(), {"--max-epochs", "2"});
  EXPECT_EQ(run(tuning("run", more)), 2);
  EXPECT_NE(error_.find("--max-epochs: expected 0"), std::string::npos) << error_;
}

TEST_F(TuneCommand, NeedsHeldOutText) {
  EXPECT_EQ(run({"tune", "translation", "--src-train", path("train.en"), "--tgt-train",
                 path("train.de"), "--out", path("run"), "--d-model", "16", "--n-heads", "2",
                 "--vocab-size", "300", "--max-steps", "4", "--ranges", "dropout=0,0.1"}),
            2);
  EXPECT_NE(error_.find("expected held-out text"), std::string::npos) << error_;
}

TEST_F(TuneCommand, EndsWithAnErrorThatNoSettingMends) {
  std::vector<std::string> arguments = tuning("run", kRates);
  *std::find(arguments.begin(), arguments.end(), "valid.en") = "missing.en";
  EXPECT_EQ(run(arguments), 1);
  EXPECT_NE(error_.find("missing.en"), std::string::npos) << error_;
  EXPECT_FALSE(has_result("run", 1, 2));
}

TEST_F(TuneCommand, RefusesWhatDoesNotFit) {
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& message) {
    EXPECT_EQ(run(tuning("run", more)), 2) << out_;
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
  };
  refuses({}, "--ranges: expected options to try");
  refuses({"--ranges", "dropout=0..0.1", "--dry-run"}, "--dry-run: has no effect");
}

TEST(Rungs, GrowByTheFactorToAllSteps) {
  EXPECT_EQ(rungs_of(16, 4, 1600, 1), (std::vector<std::int64_t>{100, 400, 1600}));
  EXPECT_EQ(rungs_of(16, 4, 1600, 150), (std::vector<std::int64_t>{150, 450, 1600}));
  EXPECT_EQ(rungs_of(1, 4, 1600, 1), (std::vector<std::int64_t>{1600}));
  EXPECT_EQ(rungs_of(9, 3, 1000, 1), (std::vector<std::int64_t>{111, 333, 1000}));
  EXPECT_EQ(trials_on(0, 16, 4), 16);
  EXPECT_EQ(trials_on(1, 16, 4), 4);
  EXPECT_EQ(trials_on(2, 16, 4), 1);
  EXPECT_EQ(trials_on(2, 6, 4), 1);
}

}  // namespace
}  // namespace attend
