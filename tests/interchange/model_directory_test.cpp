#include "attend/interchange/model_directory.h"

#include <sys/stat.h>

#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ModelDirectoryTest : public FolderTest {
 protected:
  ModelDirectoryTest() {
    std::filesystem::create_directories(path("model/1_Pooling"));
    write(path("secret"), "secret");
    write(path("model/config.json"), "{}");
    write(path("model/1_Pooling/config.json"), "{ }");
  }
  ModelDirectory model() const { return ModelDirectory(path("model")); }

  void expect_refused(std::string_view name, std::string_view message) const {
    expect_error<DataError>([&] { model().file(name); }, {message});
    expect_error<DataError>([&] { model().open(name); }, {message});
    expect_error<DataError>([&] { model().text(name); }, {message});
    expect_error<DataError>([&] { model().folder(name); }, {message});
  }
};

TEST_F(ModelDirectoryTest, ReadsFilesAndFolders) {
  EXPECT_EQ(model().text("config.json"), "{}");
  EXPECT_EQ(model().folder("1_Pooling").text("config.json"), "{ }");
  EXPECT_EQ(model().open("config.json")->size(), 2u);
  EXPECT_TRUE(model().contains("config.json"));
  EXPECT_FALSE(model().contains("vocab.json"));
}

TEST(ModelDirectoryInMemory, HasItsFilesButNotOnDisk) {
  const ModelDirectory model(
      "the model",
      {{"config.json", "{}"}, {"folder/a", "1"}, {"folder-b", "2"}, {"folder/c", "3"}});
  EXPECT_EQ(model.text("config.json"), "{}");
  EXPECT_TRUE(model.contains("config.json"));
  EXPECT_FALSE(model.contains("vocab.json"));
  EXPECT_EQ(model.path(), "the model");
  expect_error<DataError>([&] { model.text("vocab.json"); }, {"the model", "'vocab.json'"});
  EXPECT_EQ(model.names(), (std::vector<std::string>{"config.json", "folder", "folder-b"}));
  EXPECT_EQ(model.folder("folder").text("c"), "3");
  EXPECT_EQ(model.open("config.json")->size(), 2u);
  EXPECT_EQ(model.open("config.json")->path(), "the model/config.json");
  expect_error<DataError>([&] { model.open("vocab.json"); }, {"the model", "'vocab.json'"});
  expect_error<DataError>([&] { model.file("config.json"); }, {"the model", "not on disk"});
}

TEST_F(ModelDirectoryTest, TakesNamesAndNoPaths) {
  const std::string absolute = path("secret").string();
  for (const std::string_view name :
       {std::string_view("../secret"), std::string_view("1_Pooling/config.json"),
        std::string_view(absolute), std::string_view("."), std::string_view(".."),
        std::string_view(""), std::string_view("config.json\0x", 13)})
    expect_refused(name, "expected the name of a file in this directory, found '");
  expect_refused("other.json", "other.json: cannot open: No such file or directory");
}

TEST_F(ModelDirectoryTest, FollowsNoLinkThatLeadsOut) {
  std::filesystem::create_symlink(path("secret"), path("model/link"));
  std::filesystem::create_symlink("../secret", path("model/relative"));
  std::filesystem::create_symlink("link", path("model/chain"));
  std::filesystem::create_directory_symlink(".", path("model/itself"));
  std::filesystem::create_directory_symlink(folder_, path("model/up"));
  for (const char* const name : {"link", "relative", "chain", "up", "itself"})
    expect_refused(name, "found a link that leads out of it; copy the directory with `cp -rL`");
  std::filesystem::create_symlink("nowhere", path("model/dangling"));
  expect_refused("dangling", "cannot open");
}

// The run of a training of eole has links to its last step.
TEST_F(ModelDirectoryTest, FollowsLinksToFoldersInside) {
  std::filesystem::create_symlink("1_Pooling/config.json", path("model/deeper"));
  EXPECT_EQ(ModelDirectory(path("model")).text("deeper"),
            ModelDirectory(path("model")).folder("1_Pooling").text("config.json"));
}

TEST_F(ModelDirectoryTest, FollowsLinksOfASnapshotToItsBlobs) {
  const auto cached = path("models--a--b"), snapshot = cached / "snapshots/c0ffee";
  std::filesystem::create_directories(snapshot / "1_Pooling");
  std::filesystem::create_directories(cached / "blobs/deeper");
  std::ofstream(cached / "blobs/123") << "{\"a\": 1}";
  std::ofstream(cached / "blobs/deeper/456") << "{}";
  std::filesystem::create_symlink("../../blobs/123", snapshot / "config.json");
  std::filesystem::create_symlink("../../../blobs/123", snapshot / "1_Pooling/config.json");
  std::filesystem::create_symlink("../../blobs/deeper/456", snapshot / "deeper.json");
  std::filesystem::create_symlink(path("secret"), snapshot / "secret.json");
  const ModelDirectory model(snapshot);
  EXPECT_EQ(model.text("config.json"), "{\"a\": 1}");
  EXPECT_EQ(model.folder("1_Pooling").text("config.json"), "{\"a\": 1}");
  for (const char* const name : {"deeper.json", "secret.json"})
    expect_error<DataError>([&] { model.text(name); }, {"a link that leads out of it"});
  // Elsewhere, such links lead out.
  std::filesystem::create_directories(cached / "copies/c0ffee");
  std::filesystem::create_symlink("../../blobs/123", cached / "copies/c0ffee/config.json");
  expect_error<DataError>([&] { ModelDirectory(cached / "copies/c0ffee").text("config.json"); },
                          {"a link that leads out of it"});
  std::filesystem::create_symlink("../models--a--b/blobs/123", path("model/blob.json"));
  expect_refused("blob.json", "found a link that leads out of it");
}

TEST_F(ModelDirectoryTest, FollowsLinksInside) {
  std::filesystem::create_symlink("config.json", path("model/alias.json"));
  EXPECT_EQ(model().text("alias.json"), "{}");
  std::filesystem::create_directory_symlink(path("model"), path("by_link"));
  EXPECT_EQ(ModelDirectory(path("by_link")).text("config.json"), "{}");
}

TEST_F(ModelDirectoryTest, BoundsTexts) {
  expect_error<DataError>([&] { model().text("config.json", 1); },
                          {"config.json: expected at most 1 bytes, found 2"});
}

TEST_F(ModelDirectoryTest, ReadsFilesOnly) {
  expect_error<DataError>([&] { model().text("1_Pooling"); },
                          {"it is a directory, expected a file"});
  ASSERT_EQ(::mkfifo(path("model/pipe").c_str(), 0600), 0);
  expect_error<DataError>([&] { model().text("pipe"); }, {"it is a device or a pipe"});
  expect_error<IoError>([&] { ModelDirectory{path("model/config.json")}; },
                        {"expected the directory of a model, found something else"});
  expect_error<IoError>([&] { ModelDirectory{path("nothing")}; }, {"cannot open"});
}

}  // namespace
}  // namespace attend
