#include "attend/tensor/free_ranges.h"

#include <gtest/gtest.h>

#include <array>

namespace attend::detail {
namespace {

class FreeRangesTest : public ::testing::Test {
 protected:
  std::byte* at(std::size_t offset) { return memory_.data() + offset; }
  // "begin+size" of every range.
  std::vector<std::pair<std::size_t, std::size_t>> all() const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const Range range : ranges_.all())
      found.emplace_back(static_cast<std::size_t>(range.begin - memory_.data()), range.size);
    return found;
  }

  std::array<std::byte, 1000> memory_{};
  FreeRanges ranges_;
};

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

TEST_F(FreeRangesTest, JoinNeighborsOnBothSides) {
  ranges_.add({at(0), 100});
  ranges_.add({at(200), 100});
  EXPECT_EQ(all(), (Ranges{{0, 100}, {200, 100}}));
  ranges_.add({at(100), 100});
  EXPECT_EQ(all(), (Ranges{{0, 300}}));
  ranges_.add({at(500), 0});
  EXPECT_EQ(all(), (Ranges{{0, 300}}));
}

TEST_F(FreeRangesTest, SayWhatTheAddedOneIsPartOf) {
  ranges_.add({at(0), 100});
  const Range behind = ranges_.add({at(100), 50});
  EXPECT_EQ(behind.begin, at(0));
  EXPECT_EQ(behind.size, 150u);
  const Range alone = ranges_.add({at(300), 50});
  EXPECT_EQ(alone.begin, at(300));
  EXPECT_EQ(alone.size, 50u);
  const Range between = ranges_.add({at(150), 150});
  EXPECT_EQ(between.begin, at(0));
  EXPECT_EQ(between.size, 350u);
  EXPECT_EQ(ranges_.add({at(500), 0}).size, 0u);
}

TEST_F(FreeRangesTest, CutTheSmallestThatFits) {
  for (const auto& [offset, size] : Ranges{{0, 300}, {400, 100}, {600, 100}, {800, 200}})
    ranges_.add({at(offset), size});
  EXPECT_EQ(ranges_.take(100), at(400)) << "of equal ones the first";
  EXPECT_EQ(ranges_.take(90), at(600));
  EXPECT_EQ(ranges_.take(10), at(690)) << "the rest of that";
  EXPECT_EQ(ranges_.take(201), at(0));
  EXPECT_EQ(ranges_.take(201), nullptr);
  EXPECT_EQ(all(), (Ranges{{201, 99}, {800, 200}}));
}

TEST_F(FreeRangesTest, AreFoundByTheirEnd) {
  ranges_.add({at(100), 100});
  EXPECT_EQ(ranges_.take_ending_at(at(150)).size, 0u);
  EXPECT_EQ(ranges_.take_ending_at(at(100)).size, 0u);
  const Range found = ranges_.take_ending_at(at(200));
  EXPECT_EQ(found.begin, at(100));
  EXPECT_EQ(found.size, 100u);
  EXPECT_EQ(all(), Ranges{});
}

}  // namespace
}  // namespace attend::detail
