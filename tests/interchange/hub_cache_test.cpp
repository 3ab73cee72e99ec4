#include "attend/interchange/hub_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "attend/error.h"
#include "interchange/fixture_files.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

class HubCache : public ::testing::Test {
 protected:
  HubCache() {
    fs::remove_all(home_);
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"})
      ::unsetenv(name);
    ::setenv("HF_HOME", home_.c_str(), 1);
  }
  ~HubCache() override {
    ::unsetenv("HF_HOME");
    fs::remove_all(home_);
  }

  fs::path model() const { return home_ / "hub" / "models--org--name"; }
  void write(const fs::path& path, const std::string& content) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  void download(const std::string& branch, const std::string& commit) const {
    write(model() / "refs" / branch, commit);
    write(model() / "snapshots" / commit / "model.safetensors", "weights");
  }

  const fs::path home_ = scratch("hub");
};

TEST(HubModels, HaveNamesOfOneOrTwoParts) {
  for (const char* name : {"org/name", "name", "Org-1/name_2.5-x"})
    EXPECT_EQ(parse_hub_model(name)->name, name);
  EXPECT_EQ(parse_hub_model("org/name")->revision, "main");
  EXPECT_EQ(parse_hub_model("org/name@refs/pr/1")->revision, "refs/pr/1");
  for (const char* other : {"", "/name", "org/", "a/b/c", "./model", "../model", "a--b", "org/a..b",
                            "-a/b", "a b", "org/name@", "org/name@../../x", "org/name@/etc"})
    EXPECT_FALSE(parse_hub_model(other)) << other;
}

TEST_F(HubCache, IsWhereHuggingFaceHasIt) {
  EXPECT_EQ(hub_cache_folder(), home_ / "hub");
  ::setenv("HF_HUB_CACHE", "~/models", 1);
  EXPECT_EQ(hub_cache_folder(), fs::path(std::getenv("HOME")) / "models");
  ::unsetenv("HF_HUB_CACHE");
  ::unsetenv("HF_HOME");
  EXPECT_EQ(hub_cache_folder(), fs::path(std::getenv("HOME")) / ".cache/huggingface/hub");
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(hub_cache_folder(), "/caches/huggingface/hub");
  ::unsetenv("XDG_CACHE_HOME");
}

TEST_F(HubCache, HasAModelByBranchOrCommit) {
  download("main", "abc1");
  download("refs/pr/1", "abc2");
  EXPECT_EQ(local_path("org/name"), model() / "snapshots" / "abc1");
  EXPECT_EQ(local_path("org/name@refs/pr/1"), model() / "snapshots" / "abc2");
  EXPECT_EQ(local_path("org/name@abc2"), model() / "snapshots" / "abc2");
  EXPECT_FALSE(missing_hub_model("org/name"));
}

TEST_F(HubCache, SaysHowToDownloadWhatItDoesNotHave) {
  download("main", "abc1");
  for (const auto& [path, command] :
       {std::pair("org/other", "`hf download org/other`"),
        std::pair("org/name@v2", "`hf download org/name --revision v2`")}) {
    ASSERT_TRUE(missing_hub_model(path));
    try {
      local_path(path);
      ADD_FAILURE() << path;
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(command), std::string::npos) << error.what();
    }
  }
}

TEST_F(HubCache, KnowsThatAModelIsNotWhole) {
  write(model() / "refs" / "main", "abc1");
  write(model() / "snapshots" / "abc1" / "config.json", "{}");
  EXPECT_THROW(local_path("org/name"), DataError);
  EXPECT_TRUE(missing_hub_model("org/name"));
}

// COMET's are in a folder.
TEST_F(HubCache, FindsWeightsAmongCheckpoints) {
  write(model() / "refs" / "main", "abc1");
  write(model() / "snapshots" / "abc1" / "checkpoints" / "model.ckpt", "weights");
  EXPECT_EQ(local_path("org/name"), model() / "snapshots" / "abc1");
}

TEST_F(HubCache, FindsAFileOfAModelThatIsNotWhole) {
  write(model() / "refs" / "main", "abc1");
  write(model() / "snapshots" / "abc1" / "config.json", "{}");
  EXPECT_EQ(find_file_in_hub_cache({"org/name"}, "config.json"), model() / "snapshots" / "abc1");
  EXPECT_EQ(find_file_in_hub_cache({"org/name"}, "tokenizer.json"), "");
  EXPECT_EQ(find_file_in_hub_cache({"org/other"}, "config.json"), "");
}

TEST_F(HubCache, DoesNotFollowARevisionOutOfItself) {
  download("main", "../../../abc1");
  EXPECT_TRUE(missing_hub_model("org/name"));
}

TEST_F(HubCache, LeavesOtherPathsAlone) {
  for (const char* path : {"model.safetensors", "run/model.safetensors", "run", "/a/b", "a/b/c"})
    EXPECT_EQ(local_path(path), path);
  const std::string here = fs::temp_directory_path();
  EXPECT_EQ(local_path(here), here);
}

}  // namespace
}  // namespace attend
