#include "attend/tensor/allocator.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "attend/tensor/out_of_memory.h"

namespace attend {
namespace {

TEST(Allocator, AlignsEveryBlockToACacheLine) {
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 257u, 1000u, 4097u, 100001u}) {
    const auto block = allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % 64, 0u) << bytes;
    std::memset(
        block.get(), 1,
        (bytes + 63) / 64 * 64);  // may be written to the end of its last 64 bytes (asan looks on)
  }
}

TEST(Allocator, HandsAFreedBlockToTheNextRequestThatFits) {
  const std::byte* first = allocate(10000).get();
  const std::int64_t calls = memory_statistics().system_calls;
  EXPECT_EQ(allocate(10000).get(), first);
  EXPECT_EQ(allocate(9990).get(), first) << "the same size class";
  EXPECT_EQ(memory_statistics().system_calls, calls);
}

TEST(Allocator, CutsLargeBlocksFromTheSmallestRangeThatHoldsThem) {
  release_cached_memory();
  auto wide = allocate(4'000'000), narrow = allocate(3'000'000);
  const auto between = allocate(1'000'000);
  auto other = allocate(2'000'000);
  const auto behind = allocate(1'000'000);
  const std::byte *const wide_at = wide.get(), *const other_at = other.get();
  wide.reset();
  other.reset();
  const MemoryStatistics before = memory_statistics();
  const auto first = allocate(1'500'000), second = allocate(3'500'000);
  EXPECT_EQ(first.get(), other_at);
  EXPECT_EQ(second.get(), wide_at);
  EXPECT_EQ(memory_statistics().system_calls, before.system_calls);
  EXPECT_EQ(memory_statistics().bytes_in_use - before.bytes_in_use, 1'500'032 + 3'500'032)
      << "rounded up to 64 bytes";
}

TEST(Allocator, JoinsWhatIsFree) {
  release_cached_memory();
  auto first = allocate(1 << 20), second = allocate(2 << 20), third = allocate(3 << 20);
  const auto behind = allocate(1 << 20);
  const std::byte* const begin = first.get();
  first.reset();
  third.reset();
  second.reset();
  const std::int64_t calls = memory_statistics().system_calls;
  EXPECT_EQ(allocate(6 << 20).get(), begin);
  EXPECT_EQ(memory_statistics().system_calls, calls);
}

TEST(Allocator, GrowsBehindWhatIsFreeAtTheEnd) {
  release_cached_memory();
  const std::byte* const begin = allocate(2 << 20).get();
  const std::int64_t before = memory_statistics().bytes_reserved;
  EXPECT_EQ(allocate(3 << 20).get(), begin);
  EXPECT_EQ(memory_statistics().bytes_reserved - before, 1 << 20);
}

TEST(Allocator, AsksTheSystemWhenAllBlocksOfTheClassAreInUse) {
  const auto first = allocate(20000);
  const std::int64_t calls = memory_statistics().system_calls;
  release_cached_memory();
  const auto second = allocate(20000);
  EXPECT_NE(first, second);
  EXPECT_EQ(memory_statistics().system_calls, calls + 1);
}

TEST(Allocator, WastesAtMostAnEighth) {
  for (std::int64_t bytes = 300; bytes < 3000000; bytes += bytes / 7) {
    const std::int64_t before = memory_statistics().bytes_in_use;
    const auto block = allocate(static_cast<std::size_t>(bytes));
    const std::int64_t taken = memory_statistics().bytes_in_use - before;
    EXPECT_GE(taken, bytes);
    EXPECT_LE(taken, bytes + std::max<std::int64_t>(64, bytes / 8)) << bytes;
  }
}

TEST(Allocator, CountsWhatIsInUseAndItsPeak) {
  const std::int64_t before = memory_statistics().bytes_in_use;
  reset_peak_memory();
  EXPECT_EQ(memory_statistics().peak_bytes, before);
  {
    const auto a = allocate(1 << 20);
    const auto b = allocate(1 << 20);
    EXPECT_EQ(memory_statistics().bytes_in_use, before + (2 << 20));
  }
  { const auto c = allocate(1 << 20); }
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
  EXPECT_EQ(memory_statistics().peak_bytes, before + (2 << 20));
}

TEST(Allocator, CountsTheSmallBlocksThatAThreadUsesAgain) {
  { const auto a = allocate(1024), b = allocate(1024), c = allocate(1024); }
  const std::int64_t before = memory_statistics().bytes_in_use;
  reset_peak_memory();
  {
    const auto a = allocate(1024), b = allocate(1024);
    EXPECT_EQ(memory_statistics().bytes_in_use, before + 2048);
  }
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
  EXPECT_EQ(memory_statistics().peak_bytes, before + 2048);
  reset_peak_memory();
  EXPECT_EQ(memory_statistics().peak_bytes, before);
  { const auto a = allocate(1024); }
  EXPECT_EQ(memory_statistics().peak_bytes, before + 1024);
}

TEST(Allocator, KeepsSmallAndMediumBlocksForTheirThread) {
  release_cached_memory();
  for (const std::size_t bytes : {1000, 16 << 10, 20'000, 512 << 10}) {
    const std::byte* const block = allocate(bytes).get();
    const std::byte* other = nullptr;
    std::thread([&] { other = allocate(bytes).get(); }).join();
    EXPECT_NE(other, block) << bytes;
    EXPECT_EQ(allocate(bytes).get(), block) << bytes;
  }
  const std::size_t large = (512 << 10) + 1;
  const std::byte* const block = allocate(large).get();
  std::thread([&] { EXPECT_EQ(allocate(large).get(), block); }).join();
}

TEST(Allocator, RemembersThePeakWhenAThreadGivesBackItsBlocks) {
  release_cached_memory();
  { const auto kept = allocate(400'000); }
  reset_peak_memory();
  const std::int64_t before = memory_statistics().peak_bytes;
  { const auto again = allocate(400'000); }
  release_cached_memory();
  EXPECT_GE(memory_statistics().peak_bytes, before + 400'000);
}

TEST(Allocator, KeepsFewBlocksForAThread) {
  std::vector<std::shared_ptr<std::byte>> blocks;
  const auto allocate_some = [&](int of_each) {
    for (int i = 0; i < of_each; ++i)
      for (const std::size_t kilobytes : {64, 72, 80, 88, 96, 104, 112, 120, 128})
        blocks.push_back(allocate(kilobytes << 10));
  };
  allocate_some(20);
  const std::int64_t reserved = memory_statistics().bytes_reserved;
  blocks.clear();
  std::thread([&] {
    allocate_some(17);  // all but 2,592 KiB
    EXPECT_EQ(memory_statistics().bytes_reserved, reserved) << "another thread gets the others";
  }).join();
}

TEST(Allocator, UsesWhatAThreadKeepsBeforeItAsksTheSystem) {
  release_cached_memory();
  std::vector<std::shared_ptr<std::byte>> blocks;
  std::int64_t calls = memory_statistics().system_calls;
  while (memory_statistics().system_calls == calls) blocks.push_back(allocate(256));
  for (int i = 1; i < (1 << 20) / 256; ++i) blocks.push_back(allocate(256));
  calls = memory_statistics().system_calls;
  blocks.resize(blocks.size() - 15);  // next to each other, and nothing else is free
  const auto large = allocate(2048);
  EXPECT_EQ(memory_statistics().system_calls, calls);
}

TEST(Allocator, JoinsMediumBlocksThatAThreadKeepsBeforeItAsksTheSystem) {
  release_cached_memory();
  auto first = allocate(400'000), second = allocate(400'000);
  const std::byte* const begin = first.get();
  first.reset();
  second.reset();
  const std::int64_t calls = memory_statistics().system_calls;
  EXPECT_EQ(allocate(800'000).get(), begin);
  EXPECT_EQ(memory_statistics().system_calls, calls);
}

TEST(Allocator, GetsTheBlocksOfAThreadBackWhenItEnds) {
  std::thread([] {
    for (int i = 0; i < 100; ++i) (void)allocate(static_cast<std::size_t>(100 * i));
  }).join();
  release_cached_memory();
  EXPECT_EQ(memory_statistics().bytes_reserved, memory_statistics().bytes_in_use);
}

TEST(Allocator, TakesBlocksThatOutliveTheirThread) {
  const std::int64_t before = memory_statistics().bytes_in_use;
  std::thread([] {
    // Made before the thread's own blocks, and so destroyed after them.
    thread_local std::shared_ptr<std::byte> last;
    last = nullptr;
    last = allocate(1000);
  }).join();
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
}

TEST(Allocator, GivesCachedBlocksBackOnRequest) {
  { const auto block = allocate(1 << 21); }
  EXPECT_GE(memory_statistics().bytes_reserved, memory_statistics().bytes_in_use + (1 << 21));
  release_cached_memory();
  EXPECT_EQ(memory_statistics().bytes_reserved, memory_statistics().bytes_in_use);
}

TEST(Allocator, SaysWhatToDoWhenMemoryRunsOut) {
  const MemoryStatistics before = memory_statistics();
  try {
    (void)allocate(std::size_t{1} << 60);
    ADD_FAILURE();
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory: "), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("smaller batches"), std::string::npos);
  }
  EXPECT_EQ(memory_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(memory_statistics().system_calls, before.system_calls);
}

TEST(Allocator, ServesSeveralThreads) {
  const std::int64_t before = memory_statistics().bytes_in_use;
  std::vector<std::thread> workers;
  for (int t = 0; t < 4; ++t) {
    workers.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        const std::size_t bytes = 256 + static_cast<std::size_t>((i * 37 + t) % 1000);
        const auto block = allocate(bytes);
        std::memset(block.get(), t, bytes);
        for (std::size_t k = 0; k < bytes; k += 97)
          ASSERT_EQ(block.get()[k], std::byte{static_cast<unsigned char>(t)});
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
}

TEST(Allocator, ServesTheChildOfAForkWhileOthersAllocate) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) allocate(4000);
    });
  }
  int served = 0;
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      _exit(allocate(4000) != nullptr ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) break;
    served += WEXITSTATUS(status) == 0;
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
  EXPECT_EQ(served, 50) << "a child waits for a lock that a thread of its parent held";
}

}  // namespace
}  // namespace attend
