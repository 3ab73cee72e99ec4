#include "attend/core/files/temporaries.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>

#include "attend/core/files/atomic_file.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

class TemporariesTest : public testing::Test {
 protected:
  TemporariesTest() {
    std::string name = testing::TempDir() + "temporaries_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~TemporariesTest() override { fs::remove_all(folder_); }

  // A leftover that was last changed so long ago.
  fs::path leave(const std::string& name, int hours, bool is_folder = false) const {
    const fs::path path = folder_ / name;
    if (is_folder) {
      fs::create_directory(path);
      std::ofstream(path / "part") << "half";
    } else {
      std::ofstream(path) << "half";
    }
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return path;
  }
  static std::string on_this_host(const std::string& name) {
    const std::string own = temporary_beside("x").filename();
    return "." + name + ".1-0" + own.substr(own.find('@'));
  }

  fs::path folder_;
};

TEST_F(TemporariesTest, HaveNamesOfTheirOwnThatSayWhoWritesThem) {
  const fs::path first = temporary_beside(folder_ / "model.bin"),
                 second = temporary_beside(folder_ / "model.bin");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.parent_path(), folder_);
  EXPECT_TRUE(is_temporary_name(first.filename().native()));
  EXPECT_NE(first.native().find(std::to_string(::getpid()) + "-"), std::string::npos);
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const std::string name = std::string(host.data()).substr(0, std::string(host.data()).find('.'));
  EXPECT_NE(first.native().find("@" + name.substr(0, 60)), std::string::npos) << first;
  EXPECT_LE(temporary_beside(std::string(255, 'n')).filename().native().size(), 255u);
  EXPECT_EQ(temporary_beside("model.bin").parent_path(), ".");
}

TEST_F(TemporariesTest, AreKnownByTheirNames) {
  EXPECT_TRUE(is_temporary_name(".model.safetensors.123-0.attend-tmp"));
  EXPECT_TRUE(is_temporary_name(".model.safetensors.123-0@host.attend-tmp"));
  EXPECT_FALSE(is_temporary_name("model.safetensors"));
  EXPECT_FALSE(is_temporary_name(".attend-tmp"));
}

TEST_F(TemporariesTest, OfThisHostAreRemovedWhenNobodyWritesThem) {
  const fs::path file = leave(on_this_host("a"), 0), folder = leave(on_this_host("b"), 0, true);
  EXPECT_EQ(remove_abandoned_temporaries(folder_), 2);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// Where locks are not shared between hosts, nothing else says that a file is being written.
TEST_F(TemporariesTest, OfOtherHostsAreSparedForADay) {
  const fs::path young = leave(".a.b.1-0@elsewhere.attend-tmp", 23),
                 old = leave(".c.d.1-0@elsewhere.attend-tmp", 25),
                 young_folder = leave(".e.1-0@elsewhere.attend-tmp", 23, true),
                 old_folder = leave(".f.1-0@elsewhere.attend-tmp", 25, true);
  EXPECT_EQ(remove_abandoned_temporaries(folder_), 2);
  EXPECT_TRUE(fs::exists(young));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young_folder));
  EXPECT_FALSE(fs::exists(old_folder));
  write_file_atomically(folder_ / "x", "x");
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(TemporariesTest, OfOlderVersionsAreOfThisHostIfTheyAreFiles) {
  const fs::path file = leave(".a@b.c.1-0.attend-tmp", 0),
                 young_folder = leave(".d.1-0.attend-tmp", 0, true),
                 old_folder = leave(".e.1-0.attend-tmp", 25, true);
  EXPECT_EQ(remove_abandoned_temporaries(folder_), 2);
  EXPECT_TRUE(fs::exists(young_folder)) << "they held no lock";
}

TEST_F(TemporariesTest, ThatAreLinksAreLeftAlone) {
  fs::create_directory(folder_ / "precious");
  std::ofstream(folder_ / "precious" / "file") << "x";
  fs::create_directory_symlink("precious", folder_ / on_this_host("link"));
  remove_abandoned_temporaries(folder_);
  EXPECT_TRUE(fs::exists(folder_ / "precious" / "file"));
}

TEST_F(TemporariesTest, OfAMissingFolderAreNone) {
  EXPECT_EQ(remove_abandoned_temporaries(folder_ / "none"), 0);
}

}  // namespace
}  // namespace attend
