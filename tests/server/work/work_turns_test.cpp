#include "attend/server/work/work_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Work of which nothing is done before open().
class HeldTurns : public testing::Test {
 protected:
  HeldTurns() {
    turns_.emplace(100);
    submit("z", "holding", 1, 1, [this] {
      std::unique_lock lock(mutex_);
      holds_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return holds_; });
  }
  ~HeldTurns() override { open(); }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Work in so many parts, each of which writes the letter.
  WorkTurns::Cancel submit(
      const std::string& letter, const std::string& client, std::int64_t tokens, int parts,
      std::function<void()> first = [] {}) {
    return turns_->submit({client, tokens,
                           [this, letter, parts, done = std::make_shared<int>(0), first] {
                             first();
                             const std::lock_guard lock(mutex_);
                             order_ += letter;
                             changed_.notify_all();
                             return ++*done < parts;
                           },
                           [this, letter] {
                             const std::lock_guard lock(mutex_);
                             order_ += "(" + letter + ")";
                             changed_.notify_all();
                           }});
  }
  // What was done, once it is so long.
  std::string order_of(std::size_t length) {
    open();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return order_.size() >= length; });
    return order_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string order_;
  bool holds_ = false, open_ = false;
  std::optional<WorkTurns> turns_;
};

TEST_F(HeldTurns, AreTakenByRequestsOfOneClient) {
  submit("a", "", 10, 3);
  submit("b", "", 10, 1);
  EXPECT_EQ(order_of(5), "zabaa");
}

TEST_F(HeldTurns, AreTakenByClients) {
  for (int i = 0; i < 3; ++i) submit("a", "many", 10, 1);
  submit("b", "few", 10, 1);
  EXPECT_EQ(order_of(5), "zabaa");
}

TEST_F(HeldTurns, AreRefusedIfTooMuchWaits) {
  submit("a", "", 60, 1);
  submit("b", "", 39, 1);
  expect_error<OverloadedError>([&] { submit("c", "", 1, 1); }, {"too many", "try again"});
  expect_error<LineError>([&] { submit("d", "", 101, 1); }, {"101 tokens", "100"});
  EXPECT_EQ(order_of(3), "zab");
}

TEST_F(HeldTurns, LeaveOthersAQuarter) {
  submit("a", "many", 75, 1);
  expect_error<OverloadedError>([&] { submit("b", "many", 1, 1); }, {"too many"});
  expect_error<LineError>([&] { submit("c", "many", 76, 1); }, {"never fits"});
  submit("d", "few", 24, 1);
  EXPECT_EQ(order_of(3).size(), 3u);
}

TEST_F(HeldTurns, EndWhenTheyAreCancelled) {
  const auto waiting = submit("a", "", 90, 1);
  waiting();
  waiting();
  submit("b", "", 90, 1);  // there is room again
  EXPECT_EQ(order_of(5), "(a)zb");
}

TEST_F(HeldTurns, EndAfterThePartInProgress) {
  WorkTurns::Cancel own;
  own = submit("a", "", 10, 3, [&] { own(); });
  EXPECT_EQ(order_of(5), "za(a)");
}

TEST(WorkTurns, MayBeCancelledWhenAllIsOver) {
  WorkTurns::Cancel cancel;
  {
    WorkTurns turns(10);
    cancel = turns.submit({"", 1, [] { return false; }, [] {}});
  }
  cancel();
}

}  // namespace
}  // namespace attend
