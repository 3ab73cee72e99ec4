#include "attend/train/replay_objective.h"

#include <map>
#include <set>

#include "train/toy_run.h"

namespace attend {
namespace {

// Remembers which of its batches were trained on.
class CountedObjective final : public ToyObjective {
 public:
  explicit CountedObjective(std::int64_t count) : count_(count) {}
  std::int64_t batches(std::int64_t) override { return count_; }
  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    trained.emplace_back(epoch, batch);
    return ToyObjective::loss(epoch, batch, normalizer, pass);
  }
  Validation validate() override {
    Validation result = ToyObjective::validate();
    result.loss = result.nll + 1;  // as with label smoothing
    return result;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> trained;

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
  EXPECT_EQ(few.of_old->trained,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(ReplayObjective, TakesEveryOldBatchOnceInAnEpochThatHasRoomForAll) {
  Replay equal(2, 2, 1.0);
  equal.order(0);
  equal.order(1);
  EXPECT_EQ(equal.of_old->trained,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
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
