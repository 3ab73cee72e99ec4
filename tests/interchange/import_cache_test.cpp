#include "attend/interchange/import_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "interchange/fixture_files.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

class ImportCache : public ::testing::Test {
 protected:
  ImportCache() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::copy(kModels + "bert_sentences", model_, fs::copy_options::recursive);
    ::setenv("ATTEND_CACHE", cache_.c_str(), 1);
  }
  ~ImportCache() override {
    ::unsetenv("ATTEND_CACHE");
    fs::remove_all(folder_);
  }

  std::vector<fs::path> imports() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(cache_))
      if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
    return found;
  }

  const std::string kModels = std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/";
  const fs::path folder_ = scratch("imports"), model_ = folder_ / "model",
                 cache_ = folder_ / "caches" / "attend";
};

TEST_F(ImportCache, ImportsADirectoryOnce) {
  int imported = 0;
  const auto count = [&] { ++imported; };
  const fs::path first = usable_model(model_, count).path;
  EXPECT_EQ(first.parent_path(), cache_);
  EXPECT_EQ(load_checkpoint(first).text("attend.task"), "embedding");
  EXPECT_EQ(usable_model(model_, count).path, first);
  EXPECT_EQ(usable_model(model_ / "", count).path, first);
  EXPECT_EQ(usable_model(model_ / ".." / "model", count).path, first);
  EXPECT_EQ(imported, 1);
}

// What hparams.yaml says counts, too.
TEST_F(ImportCache, ImportsACheckpointOfCometAgainWhenItsFolderChanges) {
  const fs::path comet = folder_ / "comet", file = comet / "checkpoints" / "model.ckpt";
  fs::copy(kModels + "comet_kiwi", comet, fs::copy_options::recursive);
  const fs::path first = usable_model(file).path;
  EXPECT_EQ(load_checkpoint(first).text("attend.task"), "quality");
  EXPECT_EQ(usable_model(file).path, first);
  std::ofstream(comet / "hparams.yaml", std::ios::app) << "# changed\n";
  EXPECT_NE(usable_model(file).path, first);
}

TEST_F(ImportCache, ImportsADirectoryAgainWhenAFileChanges) {
  const fs::path first = usable_model(model_).path;
  const fs::path pooling = model_ / "1_Pooling" / "config.json";
  const auto before = fs::last_write_time(pooling);
  std::string text = (std::ostringstream() << std::ifstream(pooling).rdbuf()).str();
  text.replace(text.find(", "), 2, " ,");  // the same settings and size
  std::ofstream(pooling) << text;
  fs::last_write_time(pooling, before);
  const fs::path second = usable_model(model_).path;
  EXPECT_NE(second, first);
  EXPECT_EQ(imports(), std::vector{second});
}

TEST_F(ImportCache, LeavesModelsOfAttendAsTheyAre) {
  const fs::path file = usable_model(model_).path, run = folder_ / "run";
  EXPECT_EQ(usable_model(file).path, file);
  fs::create_directories(run);
  fs::copy_file(file, run / "model.safetensors");
  EXPECT_EQ(usable_model(run).path, run);
  EXPECT_EQ(usable_model(folder_ / "nothing").path, folder_ / "nothing");
  EXPECT_EQ(imports(), std::vector{file});
}

TEST_F(ImportCache, TellsWhatAnImportRemarked) {
  const std::string older = kModels + "bert_older";
  EXPECT_FALSE(usable_model(older).remarks.empty());
  EXPECT_TRUE(usable_model(older).remarks.empty());
}

TEST_F(ImportCache, KeepsNothingOfADirectoryThatIsRefused) {
  std::ofstream(model_ / "config.json") << R"({"model_type": "other"})";
  EXPECT_THROW(usable_model(model_), DataError);
  EXPECT_TRUE(imports().empty());
}

TEST_F(ImportCache, NamesAFolderThatCannotBeWritten) {
  std::ofstream(folder_ / "file") << "no folder";
  ::setenv("ATTEND_CACHE", (folder_ / "file" / "attend").c_str(), 1);
  try {
    usable_model(model_);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("ATTEND_CACHE"), std::string::npos) << error.what();
  }
}

TEST_F(ImportCache, IsInTheCachesOfTheUser) {
  ::unsetenv("ATTEND_CACHE");
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(import_cache_folder(), "/caches/attend");
  ::setenv("XDG_CACHE_HOME", "not-absolute", 1);
  EXPECT_EQ(import_cache_folder(), fs::path(std::getenv("HOME")) / ".cache" / "attend");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace attend
