#include "attend/tasks/serving/job_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace attend {
namespace {

// A job with a name.
class NamedJob final : public Job {
 public:
  NamedJob(std::string name, std::int64_t tokens, std::shared_ptr<const RequestState> state)
      : Job(std::move(state), {1, tokens, 5, 3 * tokens}), name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  const void* model() const override { return nullptr; }
  std::unique_ptr<JobBatch> make_batch() const override { return nullptr; }
  void fail(std::exception_ptr) const override {}

 private:
  std::string name_;
};

class OrderOfJobs : public testing::Test {
 protected:
  // A request of jobs with these tokens, which are called a1, a2, ... -> its state.
  std::shared_ptr<RequestState> push(const std::string& name,
                                     const std::vector<std::int64_t>& tokens,
                                     const std::string& client = "") {
    const auto state = std::make_shared<RequestState>();
    state->client = client;
    Jobs jobs;
    for (const std::int64_t count : tokens)
      jobs.push_back(
          std::make_unique<NamedJob>(name + std::to_string(jobs.size() + 1), count, state));
    queue_.push(std::move(jobs));
    return state;
  }
  static std::string name_of(const std::unique_ptr<Job>& job) {
    return job ? static_cast<const NamedJob&>(*job).name() : "none";
  }
  std::string pop() {
    return name_of(queue_.pop([](const Job&, bool) { return true; }));
  }
  // When only the first jobs of requests fit.
  std::string pop_first() {
    return name_of(queue_.pop([](const Job&, bool is_first) { return is_first; }));
  }

  JobQueue queue_;
};

TEST_F(OrderOfJobs, IsThatOfTheirArrival) {
  push("a", {4});
  push("b", {2});
  push("c", {9});
  EXPECT_EQ(pop(), "a1");
  push("d", {1});
  EXPECT_EQ(pop(), "b1");
  EXPECT_EQ(pop(), "c1");
  EXPECT_EQ(pop(), "d1");
  EXPECT_EQ(pop(), "none");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(OrderOfJobs, LetsAShortRequestPassTheRestOfALongOne) {
  push("a", {10, 10, 10});
  EXPECT_EQ(pop(), "a1");
  push("b", {5});
  EXPECT_EQ(pop(), "b1");
  EXPECT_EQ(pop(), "a2");
  EXPECT_EQ(pop(), "a3");
}

// Short requests that arrive as fast as they could be served.
TEST_F(OrderOfJobs, LeavesALongRequestAFifthOfTheTokens) {
  push("a", std::vector<std::int64_t>(100, 10));
  int of_the_long = 0;
  for (int i = 0; i < 100; ++i) {
    push("b", {10});
    of_the_long += pop()[0] == 'a' ? 1 : 0;
  }
  EXPECT_GE(of_the_long, 19);
  EXPECT_LE(of_the_long, 22);
}

TEST_F(OrderOfJobs, DividesTheQueueAmongLongRequests) {
  push("a", std::vector<std::int64_t>(10, 10));
  push("b", std::vector<std::int64_t>(10, 10));
  std::string order;
  for (int i = 0; i < 8; ++i) order += pop()[0];
  EXPECT_EQ(order, "abababab");
}

TEST_F(OrderOfJobs, IsKeptByAFirstJobThatDoesNotFit) {
  push("a", {10});
  push("b", {10});
  EXPECT_EQ(name_of(queue_.pop([](const Job& job, bool) {
              return static_cast<const NamedJob&>(job).name() != "a1";
            })),
            "none");
}

TEST_F(OrderOfJobs, LetsTheFirstOfARequestPassALaterOneThatDoesNotFit) {
  push("a", {10, 10});
  EXPECT_EQ(pop(), "a1");
  EXPECT_EQ(pop_first(), "none");
  for (int i = 0; i < 5; ++i) {
    push("b", {10});
    EXPECT_EQ(pop_first(), "b1");
  }
}

TEST_F(OrderOfJobs, EndsThatAfterALongTime) {
  push("a", {10, 10});
  EXPECT_EQ(pop(), "a1");
  push("b", {JobQueue::kLongestWait + 30});
  EXPECT_EQ(pop_first(), "b1");
  push("c", {10});
  push("d", {10});
  EXPECT_EQ(pop_first(), "c1");
  EXPECT_EQ(name_of(queue_.pop([](const Job& job, bool) {
              return static_cast<const NamedJob&>(job).name() != "a2";
            })),
            "none")
      << "a2 has waited long enough";
  EXPECT_EQ(pop_first(), "a2") << "it takes the places that are kept for others";
}

TEST_F(OrderOfJobs, GivesClientsTurns) {
  for (const char* name : {"a", "b", "c", "d"}) push(name, {10}, "many");
  push("x", {10}, "few");
  EXPECT_EQ(pop(), "a1");
  EXPECT_EQ(pop(), "x1");
  push("y", {10}, "few");
  EXPECT_EQ(pop(), "b1") << "a client that comes again begins where the others are";
  EXPECT_EQ(pop(), "y1");
  EXPECT_EQ(pop(), "c1");
  EXPECT_EQ(pop(), "d1");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(OrderOfJobs, GivesClientsEquallyManyTokens) {
  for (int i = 0; i < 10; ++i) push("a", {30}, "large");
  for (int i = 0; i < 30; ++i) push("b", {10}, "small");
  int large = 0;
  for (int i = 0; i < 20; ++i) large += pop()[0] == 'a' ? 1 : 0;
  EXPECT_EQ(large, 5);
}

TEST_F(OrderOfJobs, LetsAnotherClientPassWhatDoesNotFit) {
  push("a", {10}, "first");
  push("b", {10}, "second");
  EXPECT_EQ(name_of(queue_.pop([](const Job& job, bool) { return job.client() == "second"; })),
            "b1");
  EXPECT_EQ(queue_.size_of("first").tokens, 10);
  EXPECT_EQ(queue_.size_of("second").tokens, 0);
}

TEST_F(OrderOfJobs, CountsWhatWaits) {
  push("a", {4, 6});
  push("b", {3});
  EXPECT_EQ(queue_.size().items, 3);
  EXPECT_EQ(queue_.size().tokens, 13);
  EXPECT_EQ(queue_.size().rows, 15);
  EXPECT_EQ(queue_.size().in_batch, 39);
  pop();
  EXPECT_EQ(queue_.size().tokens, 9);
  EXPECT_EQ(queue_.take_all().size(), 2u);
  EXPECT_EQ(queue_.size().tokens, 0);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(OrderOfJobs, GivesUpWhatIsCancelled) {
  push("a", {4, 6});
  push("b", {3, 3})->cancelled = true;
  const Jobs cancelled = queue_.take_cancelled();
  ASSERT_EQ(cancelled.size(), 2u);
  EXPECT_EQ(name_of(cancelled[0]), "b1");
  EXPECT_EQ(name_of(cancelled[1]), "b2");
  EXPECT_EQ(queue_.size().tokens, 10);
  EXPECT_EQ(pop(), "a1");
  EXPECT_EQ(pop(), "a2");
}

}  // namespace
}  // namespace attend
