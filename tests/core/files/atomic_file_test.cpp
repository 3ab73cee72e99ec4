#include "attend/core/files/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    std::string name = testing::TempDir() + "atomic_file_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  int files_in_folder() const {
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const IoError& error) {
      return error.what();
    }
    return "no IoError";
  }

  // A write call that stores `bytes` and then finds the disk full.
  static FileCalls disk_with_room_for(std::size_t bytes) {
    FileCalls calls;
    calls.write = [room = bytes](int file, const void* data, std::size_t size) mutable -> ssize_t {
      if (room == 0) {
        errno = ENOSPC;
        return -1;
      }
      const ssize_t count = ::write(file, data, std::min(size, room));
      room -= static_cast<std::size_t>(count);
      return count;
    };
    return calls;
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, WritesTheContentAndNothingElse) {
  write_file_atomically(folder_ / "a.txt", "hello");
  EXPECT_EQ(read(folder_ / "a.txt"), "hello");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, ShowsTheOldFileUntilItIsCommitted) {
  write_file_atomically(folder_ / "a.txt", "old");
  AtomicFile file(folder_ / "a.txt");
  file.write("new");
  EXPECT_EQ(read(folder_ / "a.txt"), "old");
  file.commit();
  EXPECT_EQ(read(folder_ / "a.txt"), "new");
}

TEST_F(AtomicFileTest, LeavesTheOldFileWhenItIsNotCommitted) {
  write_file_atomically(folder_ / "a.txt", "old");
  { AtomicFile(folder_ / "a.txt").write("new"); }
  EXPECT_EQ(read(folder_ / "a.txt"), "old");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, KeepsThePreviousFileWhenTheDiskIsFull) {
  write_file_atomically(folder_ / "a.txt", "old");
  const ScopedFileCalls calls(disk_with_room_for(3));
  const std::string message =
      message_of([&] { write_file_atomically(folder_ / "a.txt", "much too long"); });
  EXPECT_NE(message.find((folder_ / "a.txt").string()), std::string::npos) << message;
  EXPECT_NE(message.find("write failed after 3 bytes: No space left on device"), std::string::npos)
      << message;
  EXPECT_NE(message.find("the previous file is kept as it was"), std::string::npos) << message;
  EXPECT_EQ(read(folder_ / "a.txt"), "old");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWhenTheDiskIsFullForANewFile) {
  const ScopedFileCalls calls(disk_with_room_for(3));
  const std::string message =
      message_of([&] { write_file_atomically(folder_ / "a.txt", "much too long"); });
  EXPECT_NE(message.find("no file was left behind"), std::string::npos) << message;
  EXPECT_EQ(files_in_folder(), 0);
}

TEST_F(AtomicFileTest, KeepsThePreviousFileWhenSyncOrRenameFails) {
  write_file_atomically(folder_ / "a.txt", "old");
  FileCalls no_sync;
  no_sync.sync = [](int) { return errno = EIO, -1; };
  FileCalls no_rename;
  no_rename.rename = [](const char*, const char*) { return errno = EACCES, -1; };
  for (const FileCalls& calls : {no_sync, no_rename}) {
    const ScopedFileCalls scoped(calls);
    EXPECT_THROW(write_file_atomically(folder_ / "a.txt", "new"), IoError);
    EXPECT_EQ(read(folder_ / "a.txt"), "old");
    EXPECT_EQ(files_in_folder(), 1);
  }
}

TEST_F(AtomicFileTest, SyncsTheFileBeforeTheRenameAndTheFolderAfterIt) {
  std::string order;
  FileCalls calls;
  calls.sync = [&](int file) {
    struct stat status {};
    ::fstat(file, &status);
    order += S_ISDIR(status.st_mode) ? "folder " : "file ";
    return 0;
  };
  calls.rename = [&](const char* from, const char* to) {
    order += "rename ";
    return std::rename(from, to);
  };
  const ScopedFileCalls scoped(calls);
  write_file_atomically(folder_ / "a.txt", "x");
  EXPECT_EQ(order, "file rename folder ");
}

TEST_F(AtomicFileTest, SaysThatTheNewFileIsInPlaceWhenOnlyTheFolderCannotBeSynced) {
  FileCalls calls;
  calls.sync = [count = 0](int) mutable { return ++count == 1 ? 0 : (errno = EIO, -1); };
  const ScopedFileCalls scoped(calls);
  const std::string message = message_of([&] { write_file_atomically(folder_ / "a.txt", "new"); });
  EXPECT_NE(message.find("the new file is in place"), std::string::npos) << message;
  EXPECT_EQ(read(folder_ / "a.txt"), "new");
}

TEST_F(AtomicFileTest, GoesOnAfterShortAndInterruptedWrites) {
  FileCalls calls;
  calls.write = [count = 0](int file, const void* data, std::size_t) mutable -> ssize_t {
    if (++count % 2 == 0) return errno = EINTR, -1;
    return ::write(file, data, 1);
  };
  const ScopedFileCalls scoped(calls);
  write_file_atomically(folder_ / "a.txt", "byte by byte");
  EXPECT_EQ(read(folder_ / "a.txt"), "byte by byte");
}

TEST_F(AtomicFileTest, NamesAFolderThatDoesNotExist) {
  const std::string message =
      message_of([&] { write_file_atomically(folder_ / "gone" / "a.txt", "x"); });
  EXPECT_NE(message.find("gone/a.txt"), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
  EXPECT_NE(message.find("create the folder first"), std::string::npos) << message;
}

TEST_F(AtomicFileTest, RefusesAPathUnderAFile) {
  write_file_atomically(folder_ / "a.txt", "x");
  EXPECT_THROW(write_file_atomically(folder_ / "a.txt" / "b.txt", "x"), IoError);
}

TEST_F(AtomicFileTest, RefusesFoldersDevicesPipesAndEmptyNames) {
  fs::create_directory(folder_ / "sub");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile(folder_ / "sub"), IoError);
  EXPECT_THROW(AtomicFile(folder_ / "sub/"), IoError);
  EXPECT_THROW(AtomicFile(folder_ / "pipe"), IoError);
  EXPECT_THROW(AtomicFile("/dev/null"), IoError);
  EXPECT_THROW(AtomicFile(""), IoError);
}

// Root may write everywhere, so for root this user acts.
class OtherThanRoot {
 public:
  explicit OtherThanRoot(const fs::path& folder) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() != 0) return;
    for (const fs::path& path : {folder, folder / "a.txt"})
      if (::chown(path.c_str(), kNobody, kNobody) != 0) throw std::runtime_error("chown");
    is_other_ = ::setresuid(kNobody, kNobody, 0) == 0;
  }
  ~OtherThanRoot() {
    if (is_other_ && ::setresuid(0, 0, 0) != 0) std::abort();
  }
  OtherThanRoot(const OtherThanRoot&) = delete;
  OtherThanRoot& operator=(const OtherThanRoot&) = delete;

 private:
  bool is_other_ = false;
};

TEST_F(AtomicFileTest, RefusesAWriteProtectedFile) {
  write_file_atomically(folder_ / "a.txt", "old");
  fs::permissions(folder_ / "a.txt", fs::perms::owner_read);
  const OtherThanRoot user(folder_);
  EXPECT_THROW(AtomicFile(folder_ / "a.txt"), IoError);
}

TEST_F(AtomicFileTest, KeepsTheModeOfTheFileItReplaces) {
  write_file_atomically(folder_ / "a.txt", "old");
  fs::permissions(folder_ / "a.txt", fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(folder_ / "a.txt", "new");
  EXPECT_EQ(fs::status(folder_ / "a.txt").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, WritesThroughASymbolicLink) {
  write_file_atomically(folder_ / "target.txt", "old");
  fs::create_symlink("target.txt", folder_ / "link.txt");
  write_file_atomically(folder_ / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
  EXPECT_EQ(read(folder_ / "target.txt"), "new");
}

TEST_F(AtomicFileTest, HandlesTheLongestNames) {
  const std::string name(255, 'n');
  write_file_atomically(folder_ / name, "x");
  EXPECT_EQ(read(folder_ / name), "x");
}

TEST_F(AtomicFileTest, RemovesLeftoversOfKilledProcessesAtTheNextSave) {
  const fs::path leftover = folder_ / ".model.safetensors.123-0.attend-tmp";
  std::ofstream(leftover) << "half a fi";
  std::ofstream(folder_ / ".notes.tmp") << "not ours";
  write_file_atomically(folder_ / "b.txt", "x");
  EXPECT_FALSE(fs::exists(leftover));
  EXPECT_TRUE(fs::exists(folder_ / ".notes.tmp"));
}

TEST_F(AtomicFileTest, LeavesTemporariesThatSomebodyIsWriting) {
  AtomicFile first(folder_ / "a.txt");
  first.write("first");
  write_file_atomically(folder_ / "b.txt", "second");
  EXPECT_EQ(remove_abandoned_temporaries(folder_), 0);
  first.commit();
  EXPECT_EQ(read(folder_ / "a.txt"), "first");
}

TEST_F(AtomicFileTest, SyncsAgainWhenItIsInterrupted) {
  int calls = 0;
  FileCalls interrupted;
  interrupted.sync = [&](int) { return ++calls % 3 == 0 ? 0 : (errno = EINTR, -1); };
  const ScopedFileCalls scoped(interrupted);
  write_file_atomically(folder_ / "a.txt", "hello");
  EXPECT_EQ(read(folder_ / "a.txt"), "hello");
  EXPECT_EQ(calls, 6) << "three for the file, three for its folder";
}

TEST_F(AtomicFileTest, SurvivesARealFullDisk) {
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  write_file_atomically(folder_ / "a.txt", "old");
  const std::string message =
      message_of([&] { write_file_atomically(folder_ / "a.txt", std::string(1 << 20, 'x')); });
  const std::string kept = read(folder_ / "a.txt");
  const int files = files_in_folder();
  ::umount(folder_.c_str());
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_EQ(kept, "old");
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace attend
