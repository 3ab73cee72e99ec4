#include "attend/collective/collective.h"

#include <gtest/gtest.h>

#include "collective/thread_processes.h"

namespace attend {
namespace {

TEST(Collective, GathersNumbersByRank) {
  in_processes(3, [](const auto& process) {
    const std::vector<double> mine{process->rank() + 0.5, -1.0};
    EXPECT_EQ(gather_numbers(*process, mine), (std::vector<double>{0.5, -1, 1.5, -1, 2.5, -1}));
  });
}

TEST(Collective, FindsTheLargestNumberWhereverItIs) {
  for (int owner = 0; owner < 3; ++owner)
    in_processes(3, [owner](const auto& process) {
      EXPECT_EQ(largest_number(*process, process->rank() == owner ? 15.0 : 0.0), 15.0);
    });
}

TEST(Collective, OfOneProcessIsThatProcess) {
  SingleProcess alone;
  EXPECT_EQ(alone.size(), 1);
  EXPECT_TRUE(alone.is_first());
  EXPECT_EQ(largest_number(alone, -2.0), -2.0);
  EXPECT_EQ(gather_numbers(alone, std::vector<double>{1, 2}), (std::vector<double>{1, 2}));
  EXPECT_THROW(alone.exchange(1, {}, {}), ConfigError);
}

}  // namespace
}  // namespace attend
