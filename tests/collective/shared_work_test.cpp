#include "attend/collective/shared_work.h"

#include <gtest/gtest.h>

#include <atomic>

#include "collective/thread_processes.h"

namespace attend {
namespace {

TEST(SharedWork, GivesAllTheNumbersOfAllPiecesInOrder) {
  for (const int size : {1, 2, 3, 4})
    for (const std::int64_t count : {0, 1, 2, 5, 8}) {
      SCOPED_TRACE(testing::Message() << count << " pieces, " << size << " processes");
      std::vector<double> expected;
      for (std::int64_t piece = 0; piece < count; ++piece)
        expected.insert(expected.end(), {static_cast<double>(piece) / 3, 7.0});
      std::atomic<std::int64_t> computed = 0;
      in_processes(size, [&](const auto& process) {
        const std::vector<double> all =
            compute_sharded(*process, count, 2, [&](std::int64_t piece, std::span<double> numbers) {
              ++computed;
              numbers[0] = static_cast<double>(piece) / 3;
              numbers[1] = 7;
            });
        EXPECT_EQ(all, expected);
      });
      EXPECT_EQ(computed, count) << "each piece once";
    }
}

TEST(SharedWork, GivesProcessesEquallyManyPieces) {
  in_processes(4, [&](const auto& process) {
    const auto [begin, end] = own_pieces(*process, 10);
    EXPECT_GE(end - begin, 2);
    EXPECT_LE(end - begin, 3);
  });
}

TEST(SharedWork, GathersListsOfAnyLengthsByRank) {
  in_processes(3, [&](const auto& process) {
    const std::vector<std::vector<float>> lists{{1.5f, 2}, {}, {3, 4, 5}};
    EXPECT_EQ(gather_lists<float>(*process, lists[static_cast<std::size_t>(process->rank())]),
              (std::vector<float>{1.5f, 2, 3, 4, 5}));
    EXPECT_EQ(gather_lists<float>(*process, {}), std::vector<float>{});
  });
}

TEST(SharedWork, GathersTextsByRank) {
  in_processes(3, [&](const auto& process) {
    const std::vector<std::vector<std::string>> texts{
        {"one", "", "two"}, {}, {"three and more", std::string("\0x", 2)}};
    EXPECT_EQ(
        gather_texts(*process, texts[static_cast<std::size_t>(process->rank())]),
        (std::vector<std::string>{"one", "", "two", "three and more", std::string("\0x", 2)}));
  });
  SingleProcess alone;
  EXPECT_EQ(gather_texts(alone, std::vector<std::string>{"a"}), std::vector<std::string>{"a"});
  EXPECT_EQ(gather_texts(alone, {}), std::vector<std::string>{});
}

}  // namespace
}  // namespace attend
