#include "attend/checkpoint/run_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "checkpoint/test_folder.h"

namespace attend {
namespace {

class RunLockTest : public FolderTest {
 protected:
  // The message of the ConfigError with which a second run is refused.
  std::string refusal() const {
    try {
      const RunLock second(folder_);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "not refused";
  }

  bool has_lock_file() const { return std::filesystem::exists(path(".lock")); }
};

// A process that holds the lock of a folder until it is told to end, or killed.
class Holder {
 public:
  // With `helper` it has started another program before it says that it holds the lock.
  explicit Holder(const std::filesystem::path& folder, bool helper = false) {
    int ready[2], end[2];
    if (::pipe(ready) != 0 || ::pipe(end) != 0) throw IoError("pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::close(end[1]);
      hold(folder, helper, ready[1], end[0]);
    }
    ::close(ready[1]);
    ::close(end[0]);
    if (::read(ready[0], &helper_, sizeof(helper_)) != sizeof(helper_))
      throw IoError("the holder failed");
    ::close(ready[0]);
    end_ = end[1];
  }
  ~Holder() {
    finish();
    if (helper_ > 0) ::kill(helper_, SIGKILL);
  }

  void kill() {
    ::kill(process_, SIGKILL);
    finish();
  }
  void finish() {
    if (end_ < 0) return;
    ::close(end_);
    end_ = -1;
    ::waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }
  pid_t helper() const { return helper_; }

 private:
  [[noreturn]] static void hold(const std::filesystem::path& folder, bool with_helper, int ready,
                                int end) {
    try {
      const RunLock lock(folder);
      const pid_t helper = with_helper ? ::fork() : 0;
      if (with_helper && helper == 0) {
        ::execlp("sleep", "sleep", "60", nullptr);
        ::_exit(1);
      }
      if (with_helper) ::usleep(100'000);  // it has begun
      if (::write(ready, &helper, sizeof(helper)) != sizeof(helper)) ::_exit(1);
      char nothing = 0;
      static_cast<void>(::read(end, &nothing, 1) == 0);  // until the other end is closed
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }

  pid_t process_ = -1, helper_ = 0;
  int end_ = -1;
};

TEST_F(RunLockTest, RefusesASecondRunAndSaysWhoseItIs) {
  const RunLock first(folder_);
  EXPECT_CONTAINS(refusal(), folder_.string());
  EXPECT_CONTAINS(refusal(), "(process " + std::to_string(::getpid()) + ")");
  EXPECT_THROW(RunLock::require_free(folder_), ConfigError);
}

TEST_F(RunLockTest, RefusesARunOfAnotherProcess) {
  const Holder holder(folder_);
  EXPECT_CONTAINS(refusal(), "(process " + std::to_string(holder.process()) + ")");
  EXPECT_THROW(RunLock::require_free(folder_), ConfigError);
}

// The holder removes its file while another run waits a moment for the lock: that run makes a file
// of its own, for a third one to see.
TEST_F(RunLockTest, IsHeldInAFileThatHasAName) {
  std::optional<RunLock> second;
  for (int tries = 0; tries < 100 && !second;
       ++tries) {  // on a busy machine the moment may be over too early
    auto first = std::make_unique<RunLock>(folder_);
    std::thread holder([&first] {
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
      first.reset();
    });
    try {
      second.emplace(folder_);
    } catch (const ConfigError&) {
    }
    holder.join();
  }
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(has_lock_file());
  EXPECT_CONTAINS(refusal(), "(process " + std::to_string(::getpid()) + ")");
}

TEST_F(RunLockTest, LeavesNothingBehind) {
  { const RunLock first(folder_); }
  EXPECT_FALSE(has_lock_file());
  Holder holder(folder_);
  EXPECT_TRUE(has_lock_file());
  holder.finish();
  EXPECT_FALSE(has_lock_file());
  EXPECT_EQ(refusal(), "not refused");
}

TEST_F(RunLockTest, IsNotLeftBehindByAKill) {
  Holder holder(folder_);
  holder.kill();
  RunLock::require_free(folder_);
  EXPECT_EQ(refusal(), "not refused");
}

TEST_F(RunLockTest, IsNotInheritedByOtherPrograms) {
  Holder holder(folder_, /*helper=*/true);
  ASSERT_GT(holder.helper(), 0);
  holder.kill();
  ASSERT_EQ(::kill(holder.helper(), 0), 0) << "the other program goes on";
  EXPECT_EQ(refusal(), "not refused");
}

TEST_F(RunLockTest, AskingWritesNothing) {
  RunLock::require_free(folder_);
  EXPECT_FALSE(has_lock_file());
  RunLock::require_free(path("no such folder"));
  EXPECT_FALSE(std::filesystem::exists(path("no such folder")));
}

TEST_F(RunLockTest, DoesNotMindWhatIsInTheFile) {
  write(path(".lock"), std::string(100'000, 'x'));
  const RunLock first(folder_);
  EXPECT_EQ(read(path(".lock")), std::to_string(::getpid()) + "\n");
  write(path(".lock"), "\x1b[31mred");
  EXPECT_CONTAINS(refusal(), "in this folder; wait");
}

TEST_F(RunLockTest, SaysWhereItCannotBeMade) {
  std::filesystem::create_directories(path(".lock"));
  EXPECT_THROW(RunLock{folder_}, IoError);
  EXPECT_THROW(RunLock{path("no such folder")}, IoError);
}

}  // namespace
}  // namespace attend
