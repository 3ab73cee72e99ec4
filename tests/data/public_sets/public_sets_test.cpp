#include "attend/data/public_sets/public_sets.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/sha256.h"
#include "attend/data/public_sets/downloads.h"
#include "data/public_sets/set_files.h"

namespace attend {
namespace {

// A text of a set with a published checksum.
const std::string kPlays = "First Citizen:\nBefore we proceed any further, hear me speak.\n";

class PublicSets : public PublicSetTest {};

TEST_F(PublicSets, AreFoundByName) {
  EXPECT_EQ(public_set("imdb").name, "imdb");
  expect_error<ConfigError>([] { public_set("imbd"); },
                            {"multi30k", "'imbd'", "did you mean imdb"});
}

TEST_F(PublicSets, DescribeThemselves) {
  for (const PublicSet* const set : public_sets()) {
    for (const std::string_view text : {set->name, set->about, set->size, set->license, set->page})
      EXPECT_FALSE(text.empty()) << set->name;
    std::set<std::string> addresses;
    for (const SetDownload& download : set->downloads) {
      EXPECT_TRUE(download.sha256.empty() || download.sha256.size() == 64) << download.name;
      EXPECT_TRUE(address_of(download).starts_with("http")) << download.name;
      EXPECT_TRUE(addresses.insert(address_of(download)).second) << download.name;
    }
    for (const PublishedFile& file : set->published)
      EXPECT_TRUE(file.lines > 0 && (file.sha256.empty() || file.sha256.size() == 64)) << file.name;
  }
}

TEST_F(PublicSets, RefuseAnotherChecksum) {
  const std::string file = write("input.txt", kPlays);
  expect_error<DataError>([&] { prepare("tinyshakespeare", {file}, {}); },
                          {file, "SHA-256", public_set("tinyshakespeare").downloads[0].sha256,
                           sha256_of_file(file), "another version", "any_version"});
  EXPECT_FALSE(has_out());
  const PreparedSet prepared = prepare("tinyshakespeare", {file});
  EXPECT_FALSE(prepared.downloads.at(0).known);
  EXPECT_FALSE(prepared.files.at(0).published);
  EXPECT_EQ(made("input.txt"), kPlays);
}

// A file under another name is compared by its content, and when it is prepared.
TEST_F(PublicSets, RefuseOtherContent) {
  std::filesystem::create_directories(path("in"));
  const std::string zip = write("in/plays.zip", written_zip({{"input.txt", kPlays}}));
  expect_error<DataError>([&] { prepare("tinyshakespeare", {zip}, {}); },
                          {"input.txt", "expected 40,000 lines", "found 2", "any_version"});
  EXPECT_FALSE(has_out());
  EXPECT_EQ(names(prepare("tinyshakespeare", {zip})), (std::vector<std::string>{"input.txt"}));
}

TEST_F(PublicSets, TakeFilesOfAFolderByTheirNames) {
  std::filesystem::create_directories(path("in"));
  write("in/input.txt", kPlays);
  write("in/other.zip", "no archive\n");
  EXPECT_EQ(prepare("tinyshakespeare", {path("in")}).downloads.size(), 1u);
  std::filesystem::remove_all(folder_ / "out");
  std::filesystem::remove(path("in/input.txt"));
  expect_error<DataError>([&] { prepare("tinyshakespeare", {path("in")}); },
                          {"in", "no file", "attend data tinyshakespeare"});
}

TEST_F(PublicSets, NeedFilesThatCanBeRead) {
  expect_error<IoError>([&] { prepare("tinyshakespeare", {path("missing")}); }, {"missing"});
  const std::string other = write("other.txt", "text\n");
  expect_error<DataError>([&] { prepare("tinyshakespeare", {other}); },
                          {"lack input.txt", "attend data tinyshakespeare"});
  EXPECT_FALSE(has_out());
}

TEST_F(PublicSets, LeaveAFolderThatExists) {
  const std::string file = write("input.txt", kPlays);
  std::filesystem::create_directories(path("out"));
  write("out/mine", "mine");
  expect_error<IoError>([&] { prepare("tinyshakespeare", {file}); }, {"out", "not empty"});
  EXPECT_EQ(made("mine"), "mine");
}

TEST_F(PublicSets, LeaveNothingOnAFullDisk) {
  const std::string file = write("input.txt", kPlays);
  const ScopedFileCalls full({.write =
                                  [](int, const void*, std::size_t) {
                                    errno = ENOSPC;
                                    return ssize_t{-1};
                                  },
                              .sync = {},
                              .rename = {}});
  expect_error<IoError>([&] { prepare("tinyshakespeare", {file}); }, {"input.txt", "No space"});
  EXPECT_FALSE(has_out());
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename(), "input.txt");
}

TEST_F(PublicSets, RefuseDamagedArchives) {
  const std::string tar =
      gzip(written_tar({{.name = "trees/train.txt", .bytes = "(3 (2 A) (4 B))\n"}}));
  expect_error<DataError>([&] { prepare("sst2", {write("a.tgz", tar.substr(0, tar.size() / 2))}); },
                          {"a.tgz"});
  expect_error<DataError>(
      [&] {
        prepare("sst2", {write("b.zip", written_zip({{.name = "trees/train.txt",
                                                      .bytes = "(3 (2 A) (4 B))\n",
                                                      .checksum_error = 1}}))});
      },
      {"b.zip", "checksum"});
  EXPECT_FALSE(has_out());
}

}  // namespace
}  // namespace attend
