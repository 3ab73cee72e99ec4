#include "attend/data/filter/seen_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(SeenLines, RememberEveryLine) {
  SeenLines seen(kPlenty);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t hash = SeenLines::hash(std::to_string(i));
    EXPECT_FALSE(seen.contains(hash)) << i;
    seen.insert(hash);
  }
  for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(seen.contains(SeenLines::hash(std::to_string(i))));
  EXPECT_EQ(seen.lines(), 20'000);
}

TEST(SeenLines, CountALineOnce) {
  SeenLines seen(kPlenty);
  for (int i = 0; i < 3; ++i) seen.insert(SeenLines::hash("line"));
  EXPECT_EQ(seen.lines(), 1);
}

TEST(SeenLines, TakeTheHashZero) {
  SeenLines seen(kPlenty);
  EXPECT_FALSE(seen.contains(0));
  seen.insert(0);
  EXPECT_TRUE(seen.contains(0));
}

TEST(SeenLines, TellPairsApartByWhereTheSidesMeet) {
  EXPECT_NE(SeenLines::hash("a", "b c"), SeenLines::hash("a b", "c"));
  EXPECT_NE(SeenLines::hash("ab", ""), SeenLines::hash("a", "b"));
  EXPECT_NE(SeenLines::hash("a", "b"), SeenLines::hash("b", "a"));
}

// What the header says.
TEST(SeenLines, NeedTenToTwentyBytesForALine) {
  SeenLines seen(kPlenty);
  for (int i = 0; i < 400'000; ++i) {
    seen.insert(SeenLines::hash(std::to_string(i)));
    if (i < 100'000) continue;
    EXPECT_GE(seen.bytes(), 10 * seen.lines());
    EXPECT_LE(seen.bytes(), 20.5 * static_cast<double>(seen.lines()));
  }
}

TEST(SeenLines, EndInAnErrorWithoutMemory) {
  SeenLines seen(1 << 16);
  std::int64_t count = 0;
  const std::string message = message_of<DataError>([&] {
    for (;; ++count) seen.insert(SeenLines::hash(std::to_string(count)));
  });
  EXPECT_TRUE(contains(message, "at most 65,536 bytes")) << message;
  EXPECT_TRUE(contains(message, "unique_memory")) << message;
  EXPECT_LE(seen.bytes(), 1 << 16);
  EXPECT_GT(count, 2'000);
}

TEST(SeenLines, SayHowLikelyACollisionIs) {
  SeenLines seen(kPlenty);
  EXPECT_EQ(seen.collision_probability(), 0);
  for (int i = 0; i < 1000; ++i) seen.insert(SeenLines::hash(std::to_string(i)));
  EXPECT_NEAR(seen.collision_probability(), 999.0 * 1000 / 2 / 18446744073709551616.0, 1e-18);
}

}  // namespace
}  // namespace attend
