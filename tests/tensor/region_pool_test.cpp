#include "attend/tensor/region_pool.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "attend/tensor/out_of_memory.h"

namespace attend::detail {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20, kRegionSize = 256 * kMegabyte;

// Address space of which regions are parts, in the order that a test says: the system's order
// differs (setarch -L, other kernels).
class RegionPoolTest : public testing::Test {
 protected:
  RegionPoolTest() {
    void* const memory = ::mmap(nullptr, 4 * kRegionSize, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    space_ = static_cast<std::byte*>(memory);
  }
  ~RegionPoolTest() override { ::munmap(space_, 4 * kRegionSize); }

  static std::byte* at(std::size_t megabytes) { return space_ + megabytes * kMegabyte; }
  // The next regions begin there.
  static void map_at(std::vector<std::byte*> begins) {
    begins_ = std::move(begins);
    next_ = 0;
    most_ = 4 * kRegionSize;
  }
  static std::byte* map(std::size_t bytes) {
    if (next_ == begins_.size() || bytes > most_) return nullptr;
    return begins_[next_++];
  }
  static std::byte* grown(RegionPool& pool, std::size_t megabytes) {
    return pool.grow(megabytes * kMegabyte).block;
  }

  RegionPool pool_{RegionPool::Pages::usual, &RegionPoolTest::map};
  static inline std::size_t most_ = 0;  // bytes of a region that there is

 private:
  static inline std::byte* space_ = nullptr;
  static inline std::vector<std::byte*> begins_;
  static inline std::size_t next_ = 0;
};

TEST_F(RegionPoolTest, JoinsARegionWithTheUnusedEndOfTheOneBelow) {
  map_at({at(0), at(256)});
  EXPECT_EQ(grown(pool_, 200), at(0));
  const RegionPool::Growth second = pool_.grow(100 * kMegabyte);
  EXPECT_EQ(second.block, at(200)) << "56 MB of the first region and 44 of the second";
  EXPECT_EQ(second.bytes, 100 * kMegabyte);
  EXPECT_EQ(grown(pool_, 212), at(300)) << "to the end of the second region";
}

TEST_F(RegionPoolTest, JoinsARegionWithWhatIsFreeBelow) {
  map_at({at(0), at(256)});
  EXPECT_EQ(grown(pool_, 200), at(0));
  EXPECT_EQ(grown(pool_, 56), at(200));
  pool_.add({at(200), 56 * kMegabyte});
  const RegionPool::Growth second = pool_.grow(100 * kMegabyte);
  EXPECT_EQ(second.block, at(200));
  EXPECT_EQ(second.bytes, 44 * kMegabyte) << "only those were never used";
}

TEST_F(RegionPoolTest, TakesTheFrontOfARegionBelowTheOthers) {
  map_at({at(256), at(0)});
  EXPECT_EQ(grown(pool_, 200), at(256));
  EXPECT_EQ(grown(pool_, 100), at(0));
  EXPECT_EQ(grown(pool_, 156), at(100));
  EXPECT_EQ(grown(pool_, 56), at(456));
}

TEST_F(RegionPoolTest, TakesTheFrontOfARegionApart) {
  map_at({at(0), at(512)});
  EXPECT_EQ(grown(pool_, 200), at(0));
  EXPECT_EQ(grown(pool_, 100), at(512));
}

TEST_F(RegionPoolTest, ServesWhatWasReleasedAgain) {
  map_at({at(0), at(256), at(556)});
  EXPECT_EQ(grown(pool_, 256), at(0));
  pool_.add({at(0), 256 * kMegabyte});
  EXPECT_EQ(pool_.release(), 256 * kMegabyte);
  EXPECT_EQ(grown(pool_, 300), at(0)) << "a region behind it joins it";
  EXPECT_EQ(grown(pool_, 468), at(300)) << "and another one";
}

TEST_F(RegionPoolTest, SaysWhenThereIsNoMemory) {
  map_at({});
  EXPECT_THROW(pool_.grow(1), OutOfMemory);
  map_at({at(0)});
  EXPECT_THROW(pool_.grow(~std::size_t{0}), OutOfMemory);
}

TEST_F(RegionPoolTest, TakesWhatItNeedsWhereThereIsNoWholeRegion) {
  map_at({at(0), at(300)});
  most_ = 20 * kMegabyte;
  EXPECT_EQ(pool_.grow(10 * kMegabyte + 1).bytes, 11 * kMegabyte);
  EXPECT_THROW(pool_.grow(21 * kMegabyte), OutOfMemory);
  EXPECT_EQ(grown(pool_, 20), at(300));
}

}  // namespace
}  // namespace attend::detail
