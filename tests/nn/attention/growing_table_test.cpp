#include "attend/nn/attention/growing_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

TEST(GrowingTable, GrowsToPowersOfTwoWhenLongerTextsNeedIt) {
  std::vector<std::int64_t> made;
  const auto make = [&made](std::int64_t length) {
    made.push_back(length);
    return Tensor::empty_on_host({length, 2});
  };
  GrowingTable table;
  EXPECT_EQ(table.at_least(1, make).rows(), 64);
  EXPECT_EQ(table.at_least(64, make).rows(), 64);
  EXPECT_EQ(table.at_least(65, make).rows(), 128);
  EXPECT_EQ(table.at_least(3, make).rows(), 128) << "it keeps what it has";
  EXPECT_EQ(made, (std::vector<std::int64_t>{64, 128}));
}

}  // namespace
}  // namespace attend
