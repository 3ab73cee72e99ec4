#include "attend/train/replay_objective.h"

#include <map>
#include <set>

#include "train/toy_run.h"

namespace attend {
namespace {

using Batches = std::vector<std::pair<std::int64_t, std::int64_t>>;  // epochs and their batches

// Remembers which of its batches were trained on, and of which epochs it had to plan the batches,
// as it keeps one plan. A limit is a number of batches here.
class CountedObjective final : public ToyObjective {
 public:
  explicit CountedObjective(std::int64_t count) : count_(count) {}
  std::int64_t batches(std::int64_t epoch) override {
    if (planned.empty() || planned.back() != epoch) planned.push_back(epoch);
    return count_ + (epoch > 0 ? more_later : 0);
  }
  void limit_batches(std::int64_t count) override { count_ = count; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    trained.emplace_back(epoch, batch);
    return ToyObjective::loss(epoch, batch, normalizer, pass);
  }
  Validation validate() override {
    Validation result = ToyObjective::validate();
    result.loss = result.nll + 1;  // as with label smoothing
    return result;
  }
  Batches trained;
  std::vector<std::int64_t> planned;
  std::int64_t more_later = 0;  // batches of later epochs than those of the first

 private:
  std::int64_t count_;
};

struct Replay {
  Replay(std::int64_t news, std::int64_t olds, double weight)
      : of_new(new CountedObjective(news)),
        of_old(new CountedObjective(olds)),
        both(std::unique_ptr<Objective>(of_new), std::unique_ptr<Objective>(of_old), weight) {}
  // Trains an epoch; returns an n for each new batch and an o for each old one.
  std::string order(std::int64_t epoch) {
    std::string text;
    for (std::int64_t i = 0; i < both.batches(epoch); ++i) {
      const std::size_t before = of_old->trained.size();
      Pass pass = Pass::inference();
      both.loss(epoch, i, 1.0, pass);
      text += of_old->trained.size() > before ? "o" : "n";
    }
    return text;
  }

  CountedObjective *of_new, *of_old;
  ReplayObjective both;
};

TEST(ReplayObjective, CountsErrorsInTheUnitOfBothTargets) {
  auto old = std::make_unique<ToyObjective>();
  old->largest = 9;
  EXPECT_EQ(ReplayObjective(std::make_unique<ToyObjective>(), std::move(old), 1).largest_error(),
            9);
}

TEST(ReplayObjective, SpreadsOldBatchesEvenly) {
  Replay half(6, 10, 0.5);
  EXPECT_EQ(half.order(0), "nnonnonno");
  EXPECT_EQ(half.of_new->trained.size(), 6u);
  EXPECT_EQ(half.of_new->trained.back(), (std::pair<std::int64_t, std::int64_t>{0, 5}));
  EXPECT_EQ(Replay(3, 10, 1.0).order(0), "nonono");
  EXPECT_EQ(Replay(2, 10, 2.0).order(0), "noonoo");
  EXPECT_EQ(Replay(4, 10, 0.01).order(0), "nnnno") << "at least one";
}

TEST(ReplayObjective, TakesOtherOldBatchesInEveryEpoch) {
  Replay few(4, 8, 0.5);
  few.order(0);
  few.order(1);
  EXPECT_EQ(few.of_old->trained, (Batches{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
}

TEST(ReplayObjective, TakesAllOldBatchesBeforeAnyIsTakenAgain) {
  Replay few(4, 7, 0.75);  // three in an epoch
  for (std::int64_t epoch = 0; epoch < 7; ++epoch) few.order(epoch);
  ASSERT_EQ(few.of_old->trained.size(), 21u);
  for (std::int64_t i = 0; i < 21; ++i)
    EXPECT_EQ(few.of_old->trained[static_cast<std::size_t>(i)],
              (std::pair<std::int64_t, std::int64_t>{i / 7, i % 7}));
  Replay resumed(4, 7, 0.75);
  resumed.order(5);
  EXPECT_EQ(resumed.of_old->trained, (Batches{{2, 1}, {2, 2}, {2, 3}}))
      << "whatever was asked before";
}

TEST(ReplayObjective, TakesOnlyOldBatchesThatThereAre) {
  Replay replay(4, 7, 0.75);
  replay.of_old->more_later = -2;
  for (std::int64_t epoch = 0; epoch < 7; ++epoch) replay.order(epoch);
  std::map<std::int64_t, std::set<std::int64_t>> of_pass;
  for (const auto& [pass, batch] : replay.of_old->trained) of_pass[pass].insert(batch);
  EXPECT_EQ(of_pass[0].size(), 7u);
  EXPECT_EQ(of_pass[1], (std::set<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(of_pass[2], of_pass[1]);
}

TEST(ReplayObjective, TakesAsManyOldBatchesInEveryEpoch) {
  Replay replay(4, 10, 0.5);
  replay.of_new->more_later = 4;
  replay.order(0);
  EXPECT_EQ(replay.order(1), "nnnnonnnno");
  EXPECT_EQ(replay.of_old->trained, (Batches{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
}

TEST(ReplayObjective, CountsOldBatchesOnce) {
  Replay replay(4, 4, 1.0);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) replay.order(epoch);
  EXPECT_EQ(replay.of_old->planned, (std::vector<std::int64_t>{0, 1, 2, 3}));
  replay.both.limit_batches(2);
  EXPECT_EQ(replay.both.batches(0), 4) << "two of each";
  replay.of_old->trained.clear();
  replay.order(1);
  EXPECT_EQ(replay.of_old->trained, (Batches{{1, 0}, {1, 1}}));
}

TEST(ReplayObjective, TakesEveryOldBatchOnceInAnEpochThatHasRoomForAll) {
  Replay equal(2, 2, 1.0);
  equal.order(0);
  equal.order(1);
  EXPECT_EQ(equal.of_old->trained, (Batches{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(ReplayObjective, TakesAllOldBatchesAgainWhenTheyAreTooFew) {
  Replay many(5, 2, 1.0);
  many.order(0);
  many.order(1);
  const std::set<std::pair<std::int64_t, std::int64_t>> different(many.of_old->trained.begin(),
                                                                  many.of_old->trained.end());
  EXPECT_EQ(many.of_old->trained.size(), 10u);
  EXPECT_EQ(different.size(), 10u) << "each pass in an order of its own";
}

TEST(ReplayObjective, SaysHowTheOldDataFare) {
  Replay replay(2, 2, 1.0);
  const Validation both = replay.both.validate(), alone = replay.of_new->validate(),
                   old = replay.of_old->validate();
  EXPECT_EQ(both.score, alone.score);
  ASSERT_EQ(both.metrics.size(), 3u);
  EXPECT_EQ(both.metrics[0].first, "toy");
  EXPECT_EQ(both.metrics[1], (std::pair<std::string, double>{"old_nll", old.nll}));
  EXPECT_EQ(both.metrics[2], (std::pair<std::string, double>{"old_toy", old.metrics[0].second}));
  replay.of_old->validates = false;
  EXPECT_EQ(replay.both.validate().metrics.size(), 1u);
}

}  // namespace
}  // namespace attend
