#include "attend/checkpoint/safetensors/content_check.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<TensorEntry> two_tensors() {
  return {{.name = "w", .dtype = "F32", .shape = {4}, .begin = 0, .end = 16},
          {.name = "state.m", .dtype = "F32", .shape = {2}, .begin = 16, .end = 24}};
}

void look(ContentCheck& check, std::size_t tensor, const std::vector<float>& numbers,
          const std::vector<std::pair<std::size_t, std::size_t>>& parts) {
  const auto bytes = std::as_bytes(std::span(numbers));
  for (const auto& [begin, end] : parts)
    check.look(tensor, begin, bytes.subspan(begin, end - begin));
}

std::string checksum_of(const std::vector<std::pair<std::size_t, std::size_t>>& parts,
                        const std::vector<float>& numbers = {1, 2, 3, 4}) {
  ContentCheck check(two_tensors());
  look(check, 0, numbers, parts);
  look(check, 1, {5, 6}, {{0, 8}});
  EXPECT_TRUE(check.covers(0));
  return check.checksum({{"key", "value"}});
}

TEST(ContentCheck, DoesNotDependOnPartsOrTheirOrder) {
  const std::string whole = checksum_of({{0, 16}});
  EXPECT_EQ(checksum_of({{0, 4}, {4, 16}}), whole);
  EXPECT_EQ(checksum_of({{8, 16}, {0, 1}, {1, 8}}), whole);
  EXPECT_NE(checksum_of({{0, 16}}, {1, 2, 4, 3}), whole);
}

TEST(ContentCheck, CoversATensorWithoutGapsAndOverlaps) {
  ContentCheck check(two_tensors());
  EXPECT_FALSE(check.covers(0));
  look(check, 0, {1, 2, 3, 4}, {{8, 16}});
  EXPECT_FALSE(check.covers(0)) << "its begin is missing";
  look(check, 0, {1, 2, 3, 4}, {{0, 8}});
  EXPECT_TRUE(check.covers(0));
  look(check, 0, {1, 2, 3, 4}, {{0, 8}});
  EXPECT_TRUE(check.covers(0)) << "the same part again";
  look(check, 0, {1, 2, 3, 4}, {{4, 8}});
  EXPECT_FALSE(check.covers(0)) << "a part that overlaps others";
  check.forget(0);
  look(check, 0, {1, 2, 3, 4}, {{0, 8}, {4, 12}});
  EXPECT_FALSE(check.covers(0)) << "as many bytes as there are, and not all of them";
  check.forget(0);
  look(check, 0, {1, 2, 3, 4}, {{0, 16}});
  EXPECT_TRUE(check.covers(0));
}

TEST(ContentCheck, CountsThePartThatWasLookedAtLast) {
  ContentCheck check(two_tensors());
  look(check, 0, {9, 9, 9, kInfinity}, {{0, 16}});
  look(check, 0, {1, 2, 3, 4}, {{0, 16}});
  look(check, 1, {5, 6}, {{0, 8}});
  EXPECT_EQ(check.checksum({{"key", "value"}}), checksum_of({{0, 16}}));
}

TEST(ContentCheck, RefusesNumbersThatAreNotFiniteExceptInTrainingState) {
  ContentCheck check(two_tensors());
  look(check, 0, {1, 2, 3, 4}, {{0, 8}, {8, 16}});
  look(check, 1, {5, kInfinity}, {{0, 8}});
  const Metadata metadata{{"attend.checksum", "none"}};
  EXPECT_NO_THROW(check.require(metadata, "a"));
  look(check, 0, {1, 2, -kInfinity, 4}, {{8, 16}});
  try {
    check.require(metadata, "a");
    FAIL() << "expected an error";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("a: tensor 'w': expected finite numbers, found -inf"),
              0u)
        << error.what();
  }
}

TEST(ContentCheck, PartsCoverAllBytesInWholeUnits) {
  for (const std::uint64_t bytes : {0u, 1u, 999u, 1u << 20, (3u << 20) + 12u}) {
    for (const std::uint64_t unit : {0u, 1u, 12u, 1u << 19}) {
      std::atomic<std::uint64_t> sum = 0;
      for_content_parts(bytes, unit, [&](std::uint64_t begin, std::uint64_t end) {
        EXPECT_LT(begin, end);
        EXPECT_TRUE(unit == 0 || begin % unit == 0) << begin << " of units of " << unit;
        EXPECT_TRUE(unit == 0 || end % unit == 0 || end == bytes) << end;
        sum += end - begin;
      });
      EXPECT_EQ(sum, bytes);
    }
  }
}

}  // namespace
}  // namespace attend
