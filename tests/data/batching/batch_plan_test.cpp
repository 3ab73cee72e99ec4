#include "attend/data/batching/batch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>

#include "attend/error.h"

namespace attend {
namespace {

using Items = std::vector<std::int32_t>;

std::vector<Items> batches_of(const BatchPlan& plan) {
  std::vector<Items> batches;
  for (std::int64_t i = 0; i < plan.batches(); ++i)
    batches.emplace_back(plan[i].begin(), plan[i].end());
  return batches;
}

TEST(BatchPlan, FillsBatchesUpToTheLimit) {
  const std::vector<std::int32_t> costs{3, 3, 4, 1, 10, 2};
  EXPECT_EQ(batches_of(BatchPlan({0, 1, 2, 3, 4, 5}, costs, 10)),
            (std::vector<Items>{{0, 1, 2}, {3}, {4}, {5}}));
}

TEST(BatchPlan, GivesASampleOverTheLimitABatchOfItsOwn) {
  const std::vector<std::int32_t> costs{50, 1, 50, 50, 1};
  EXPECT_EQ(batches_of(BatchPlan({0, 1, 2, 3, 4}, costs, 10)),
            (std::vector<Items>{{0}, {1}, {2}, {3}, {4}}));
}

TEST(BatchPlan, AddsCostsWithoutOverflow) {
  const std::vector<std::int32_t> costs(4, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(BatchPlan({0, 1, 2, 3}, costs, std::int64_t{1} << 40).batches(), 1);
}

TEST(BatchPlan, RefusesABatchThatIsNotThere) {
  const std::vector<std::int32_t> costs{1, 1};
  const BatchPlan plan({0, 1}, costs, 1);
  EXPECT_THROW(plan[2], DataError);
  EXPECT_THROW(plan[-1], DataError);
}

TEST(BatchPlanner, KeepsTheOrderWithoutASeed) {
  const BatchPlanner planner(std::vector<std::int32_t>(4, 1), {2}, std::nullopt);
  EXPECT_EQ(batches_of(*planner.plan(0)), (std::vector<Items>{{0, 1}, {2, 3}}));
  EXPECT_EQ(batches_of(*planner.plan(5)), batches_of(*planner.plan(0)));
}

TEST(BatchPlanner, MakesSmallerBatchesWhileAsked) {
  BatchPlanner planner(std::vector<std::int32_t>(4, 1), {2}, std::nullopt);
  EXPECT_EQ(planner.plan(0)->batches(), 2);
  planner.limit_batches(1);
  EXPECT_EQ(planner.plan(0)->batches(), 4);
  planner.limit_batches(3);
  EXPECT_EQ(planner.plan(0)->batches(), 2) << "never larger ones";
  planner.limit_batches(1);
  planner.limit_batches(0);
  EXPECT_EQ(planner.plan(0)->batches(), 2);
}

TEST(BatchPlanner, ShufflesBySeedAndEpochAlone) {
  const std::vector<std::int32_t> costs(100, 1);
  const BatchPlanner planner(costs, {7}, 42);
  const auto first = batches_of(*planner.plan(0));
  const auto second = batches_of(*planner.plan(1));
  EXPECT_NE(first, second);
  EXPECT_EQ(batches_of(*planner.plan(0)), first);  // going back

  const BatchPlanner resumed(costs, {7}, 42);
  EXPECT_EQ(batches_of(*resumed.plan(1)), second);  // without having been at epoch 0
  EXPECT_NE(batches_of(*BatchPlanner(costs, {7}, 43).plan(0)), first);
}

TEST(BatchPlanner, TakesEverySampleOnceInAnEpoch) {
  std::vector<std::int32_t> costs(1000);
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = static_cast<std::int32_t>(1 + i * 37 % 90);
  const BatchPlanner planner(costs, {256}, 1);
  for (const std::int64_t epoch : {0, 1, 1000000}) {
    Items seen;
    const auto batches = batches_of(*planner.plan(epoch));
    for (const Items& batch : batches) {
      std::int64_t cost = 0;
      for (const std::int32_t item : batch) cost += costs[item];
      EXPECT_LE(cost, 256);
      seen.insert(seen.end(), batch.begin(), batch.end());
    }
    std::sort(seen.begin(), seen.end());
    Items all(costs.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
    // On average more than 80 % full.
    EXPECT_LT(static_cast<double>(batches.size()),
              1.25 * std::accumulate(costs.begin(), costs.end(), 0.0) / 256);
  }
}

TEST(BatchPlanner, TakesTheSamplesOfAnEpochAsOftenAsTheyAreListed) {
  const auto costs = [](std::int64_t) { return std::vector<std::int32_t>{1, 2, 3, 4}; };
  const auto samples = [](std::int64_t epoch) {
    return std::vector<std::int32_t>{3, 3, static_cast<std::int32_t>(epoch)};
  };
  const BatchPlanner in_order(costs, {8}, std::nullopt, samples);
  EXPECT_EQ(batches_of(*in_order.plan(0)), (std::vector<Items>{{3, 3}, {0}}));
  EXPECT_EQ(batches_of(*in_order.plan(1)), (std::vector<Items>{{3, 3}, {1}}));
  const BatchPlanner shuffled(costs, {100}, 1, samples);
  std::vector<std::int32_t> all = batches_of(*shuffled.plan(2)).front();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::int32_t>{2, 3, 3}));
}

TEST(BatchPlanner, ChecksItsOptions) {
  EXPECT_THROW(BatchPlanner(std::vector<std::int32_t>{1}, {0}, 1), ConfigError);
  EXPECT_THROW(BatchPlanner(std::vector<std::int32_t>{}, {10}, 1), DataError);
}

TEST(BatchPlanner, AnswersSeveralThreadsAtOnce) {
  const std::vector<std::int32_t> costs(500, 1);
  const BatchPlanner planner(costs, {7}, 42);
  std::vector<std::vector<Items>> expected;
  for (int epoch = 0; epoch < 4; ++epoch) expected.push_back(batches_of(*planner.plan(epoch)));
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> workers;
  for (int& count : wrong) {
    workers.emplace_back([&planner, &expected, &count] {
      for (int i = 0; i < 40; ++i) count += batches_of(*planner.plan(i % 4)) != expected[i % 4];
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// With the lock held, loops of two threads that use one pool could wait for each other.
TEST(BatchPlanner, HoldsNoLockWhileItPlans) {
  const auto answered = std::make_shared<std::promise<void>>();
  std::shared_ptr<BatchPlanner> planner;
  bool in_time = true;
  const auto costs = [&](std::int64_t epoch) {
    if (epoch == 1) {
      std::thread([planner, answered] {
        planner->plan(0);
        answered->set_value();
      }).detach();
      in_time =
          answered->get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    }
    return std::vector<std::int32_t>{1, 2, 3};
  };
  planner = std::make_shared<BatchPlanner>(costs, BatchOptions{8}, std::nullopt);
  EXPECT_EQ(planner->plan(1)->batches(), 1);
  EXPECT_TRUE(in_time);
}

}  // namespace
}  // namespace attend
