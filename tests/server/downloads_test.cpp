#include "attend/server/downloads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "attend/error.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

TEST(Downloads, AreKeptForMinutes) {
  Downloads downloads;
  const auto now = std::chrono::system_clock::now();
  const std::string name = downloads.add("content", ".txt", now);
  EXPECT_TRUE(name.ends_with(".txt"));
  EXPECT_EQ(name.size(), 36u);
  ASSERT_TRUE(downloads.find(name, now + 9min));
  EXPECT_EQ(downloads.find(name, now)->content, "content");
  EXPECT_NE(downloads.add("", ".txt", now), name);
  EXPECT_FALSE(downloads.find("other", now));
  EXPECT_FALSE(downloads.find(name, now + 10min));
}

TEST(Downloads, MakeRoomByDroppingTheOldest) {
  Downloads downloads("", 10);
  const std::string first = downloads.add("12345", ""), second = downloads.add("12345", "");
  EXPECT_TRUE(downloads.find(first));
  const std::string third = downloads.add("1", "");
  EXPECT_FALSE(downloads.find(first));
  EXPECT_TRUE(downloads.find(second));
  EXPECT_TRUE(downloads.find(third));
  const std::string large = downloads.add("12345678901", "");
  EXPECT_TRUE(downloads.find(large)) << "the newest is always kept";
}

class DownloadFolder : public testing::Test {
 protected:
  DownloadFolder() { std::filesystem::remove_all(folder_); }
  ~DownloadFolder() override { std::filesystem::remove_all(folder_); }

  // Of all files there.
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("attend_downloads_" + std::to_string(getpid()));
};

TEST_F(DownloadFolder, IsSharedByServers) {
  Downloads one(folder_), other(folder_);
  const auto now = std::chrono::system_clock::now();
  const std::string name = one.add("content", ".docx", now);
  ASSERT_TRUE(other.find(name, now + 9min));
  EXPECT_EQ(other.find(name, now)->content, "content");
  EXPECT_FALSE(other.find(name, now + 11min));
  other.add("later", ".txt", now + 11min);
  EXPECT_EQ(files(), 1u) << "the old one is gone";
}

TEST_F(DownloadFolder, GivesOnlyItsOwnFiles) {
  Downloads downloads(folder_);
  std::ofstream(folder_ / "keys") << "secret";
  for (const char* name : {"keys", "../keys", "", ".", "..", "/etc/passwd",
                           "0123456789abcdef0123456789abcdef/../keys"})
    EXPECT_FALSE(downloads.find(name)) << name;
  downloads.add("", ".txt", std::chrono::system_clock::now() + 24h);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "keys"));
}

TEST_F(DownloadFolder, IsNoLargerThanItMayBe) {
  Downloads downloads(folder_, 10);
  const std::string first = downloads.add("12345", ".txt");
  for (int i = 0; i < 4; ++i) downloads.add("12345", ".txt");
  EXPECT_LE(files(), 3u) << "two, and the new one";
}

TEST_F(DownloadFolder, MustBeOneThatCanBeWritten) {
  EXPECT_THROW(Downloads("/proc/attend"), IoError);
}

}  // namespace
}  // namespace attend
