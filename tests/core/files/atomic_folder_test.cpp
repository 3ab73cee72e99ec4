#include "attend/core/files/atomic_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/error.h"

namespace attend {
namespace {

class AtomicFolderTest : public testing::Test {
 protected:
  AtomicFolderTest() {
    std::string name = testing::TempDir() + "atomic_folder_XXXXXX";
    place_ = ::mkdtemp(name.data());
  }
  ~AtomicFolderTest() override { std::filesystem::remove_all(place_); }

  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(place_),
                         std::filesystem::directory_iterator());
  }

  std::filesystem::path place_;
};

TEST_F(AtomicFolderTest, AppearsWithItsFilesWhenItIsCommitted) {
  AtomicFolder folder(place_ / "model");
  EXPECT_TRUE(is_temporary_name(folder.temporary().filename().native()));
  write_file_atomically(folder.temporary() / "a", "one");
  EXPECT_FALSE(std::filesystem::exists(place_ / "model"));
  folder.commit();
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, LeavesNothingWhenItIsNotCommitted) {
  {
    const AtomicFolder folder(place_ / "model");
    write_file_atomically(folder.temporary() / "a", "one");
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFolderTest, TakesThePlaceOfAnEmptyFolder) {
  std::filesystem::create_directory(place_ / "model");
  AtomicFolder folder(place_ / "model/");
  write_file_atomically(folder.temporary() / "a", "one");
  folder.commit();
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, RefusesWhatIsThereAndAPlaceThatIsNot) {
  std::filesystem::create_directory(place_ / "model");
  std::ofstream(place_ / "model" / "a") << "mine";
  EXPECT_THROW(AtomicFolder{place_ / "model"}, IoError);
  EXPECT_THROW(AtomicFolder{place_ / "model" / "a"}, IoError);
  EXPECT_THROW(AtomicFolder{place_ / "nowhere" / "model"}, IoError);
  EXPECT_THROW(AtomicFolder{""}, IoError);
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, RefusesWhatHasBeenFilledMeanwhile) {
  std::filesystem::create_directory(place_ / "model");
  AtomicFolder folder(place_ / "model");
  std::ofstream(place_ / "model" / "a") << "mine";
  EXPECT_THROW(folder.commit(), IoError);
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
}

// After a power cut the folder is there with all that is in it, or not at all.
TEST_F(AtomicFolderTest, SyncsFilesFoldersAndTheFolderAbove) {
  AtomicFolder folder(place_ / "model");
  std::filesystem::create_directory(folder.temporary() / "sub");
  std::ofstream(folder.temporary() / "a") << "one";
  std::ofstream(folder.temporary() / "sub" / "b") << "two";
  std::vector<ino_t> synced;
  FileCalls calls;
  calls.sync = [&](int file) {
    struct stat status {};
    ::fstat(file, &status);
    synced.push_back(status.st_ino);
    EXPECT_EQ(std::filesystem::exists(place_ / "model"), synced.size() == 5);
    return 0;
  };
  const ScopedFileCalls scoped(calls);
  folder.commit();
  const auto inode = [](const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_ino;
  };
  ASSERT_EQ(synced.size(), 5u);
  EXPECT_EQ(synced[3], inode(place_ / "model"));
  EXPECT_EQ(synced[4], inode(place_));
  for (const char* name : {"a", "sub", "sub/b"})
    EXPECT_NE(std::find(synced.begin(), synced.end(), inode(place_ / "model" / name)), synced.end())
        << name;
}

TEST_F(AtomicFolderTest, IsNotThereWhenAFileCannotBeSynced) {
  FileCalls calls;
  calls.sync = [](int) { return errno = EIO, -1; };
  {
    AtomicFolder folder(place_ / "model");
    std::ofstream(folder.temporary() / "a") << "one";
    const ScopedFileCalls scoped(calls);
    EXPECT_THROW(folder.commit(), IoError);
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFolderTest, RemovesWhatAKilledProcessLeft) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFolder folder(place_ / "model");
    std::ofstream(folder.temporary() / "part") << "half";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(entries(), 1);
  const AtomicFolder another(place_ / "other");
  EXPECT_EQ(entries(), 1) << "its own";
}

TEST_F(AtomicFolderTest, LeavesWhatAnotherOneIsWriting) {
  AtomicFolder first(place_ / "first");
  write_file_atomically(first.temporary() / "a", "one");
  { const AtomicFolder second(place_ / "second"); }
  write_file_atomically(place_ / "file", "x");
  first.commit();
  EXPECT_TRUE(std::filesystem::exists(place_ / "first" / "a"));
}

}  // namespace
}  // namespace attend
