#include "cli/small_run.h"

namespace attend {
namespace {

class PresetCommand : public SmallRunTest {
 protected:
  // attend train translation with a vocabulary that the little text can fill, and `more`.
  std::vector<std::string> sized(const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train",       "translation", "--src-train",   "train.en",
                                       "--tgt-train", "train.de",    "--src-valid",   "valid.en",
                                       "--tgt-valid", "valid.de",    "--vocab-size",  "300",
                                       "--max-steps", "2",           "--valid-every", "0",
                                       "--data",      folder_,       "--out",         path(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(PresetCommand, SaysWhatARunWillTakeAndTrainsTheSameModel) {
  ASSERT_EQ(run(sized("told", {})), 0) << error_;
  EXPECT_NE(out_.find(" parameters; about "), std::string::npos) << out_;
  EXPECT_NE(out_.find(" for 2 steps on this machine, "), std::string::npos) << out_;
  ASSERT_EQ(run(sized("untold", {"--d-model", "128"})), 0) << error_;
  EXPECT_EQ(out_.find(" parameters; about "), std::string::npos) << out_;
  EXPECT_EQ(read(model("told")), read(model("untold")));
}

TEST_F(PresetCommand, GivesWayToFlagsAndFiles) {
  write("wide.toml", "d-ff = 48\n");
  ASSERT_EQ(run(sized("run", {"--preset", "small", "--n-heads", "2", "--config", path("wide.toml"),
                              "--n-encoder-layers", "1"})),
            0)
      << error_;
  const std::string config = read(path("run/config.toml"));
  for (const char* line : {"preset = \"small\"\n", "d-model = 256\n", "n-heads = 2\n",
                           "d-ff = 48\n", "n-encoder-layers = 1\n", "n-decoder-layers = 3\n"})
    EXPECT_NE(config.find(line), std::string::npos) << line << config;
}

TEST_F(PresetCommand, StaysThatOfARunThatIsResumed) {
  ASSERT_EQ(run(sized("run",
                      {"--preset", "small", "--n-encoder-layers", "1", "--n-decoder-layers", "1"})),
            0)
      << error_;
  ASSERT_EQ(run({"train", "translation", "--resume", "--out", path("run"), "--max-steps", "3"}), 0)
      << error_;
  EXPECT_NE(read(path("run/config.toml")).find("d-model = 256\n"), std::string::npos);
  EXPECT_EQ(out_.find(" parameters; about "), std::string::npos) << out_;
}

TEST_F(PresetCommand, RefusesAnUnknownSize) {
  expect_error(sized("run", {"--preset", "huge"}), {"preset", "tiny", "small", "base", "big"});
}

}  // namespace
}  // namespace attend
