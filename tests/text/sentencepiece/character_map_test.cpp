#include "attend/text/sentencepiece/character_map.h"

#include <gtest/gtest.h>

#include <ctime>

#include "attend/error.h"
#include "text/character_map_bytes.h"

namespace attend {
namespace {

using detail::CharacterMap;

std::string normalized(const CharacterMap& map, std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CharacterMap::Prefix prefix = map.prefix(text);
    result += prefix.normalized;
    text.remove_prefix(prefix.length);
  }
  return result;
}

TEST(CharacterMap, ReplacesTheLongestThatItKnows) {
  const std::string bytes = MapBytes().add("a", "1").add("abc", "2").add("ä", "").bytes();
  const CharacterMap map(bytes);
  EXPECT_EQ(normalized(map, "a abc ab äb"), "1 2 1b b");
}

TEST(CharacterMap, LeavesOtherCharactersAndMarksBytesThatAreNone) {
  const std::string bytes = MapBytes().add("a", "1").bytes();
  for (const CharacterMap& map : {CharacterMap(), CharacterMap(bytes)}) {
    EXPECT_EQ(normalized(map, "ü京🤖"), "ü京🤖");
    EXPECT_EQ(normalized(map, "\xFFü\xF0\x9F"), "\uFFFDü\uFFFD\uFFFD");
  }
}

TEST(CharacterMap, TakesChildrenThatTwoParentsShare) {
  MapBytes shared = MapBytes().add("ax", "1");
  shared.set_base(shared.child(0, 'b'), shared.base(shared.child(0, 'a')));
  const std::string bytes = shared.bytes();
  EXPECT_EQ(normalized(CharacterMap(bytes), "ax bx b"), "1 1 b");
}

TEST(CharacterMap, RefusesWhatCouldLeadOutOfIt) {
  for (const auto& [name, hostile] : hostile_maps()) {
    try {
      CharacterMap{hostile.first};
      ADD_FAILURE() << name;
    } catch (const DataError& error) {
      EXPECT_NE(std::string_view(error.what()).find(hostile.second), std::string_view::npos)
          << name << ": " << error.what();
    }
  }
}

TEST(CharacterMap, IsCheckedInTimeThatGrowsWithIt) {
  // Every node has 256 children, which all share the next.
  MapBytes map;
  std::uint32_t at = 0;
  for (int depth = 0; depth < 200; ++depth) {
    const std::uint32_t first = map.child(at, 1);
    for (unsigned label = 2; label < 256; ++label) {
      const std::uint32_t other = map.base(at) ^ label;
      map.units[other] = label;
      map.set_base(other, map.base(first));
    }
    at = first;
  }
  const std::string bytes = map.bytes();
  const std::clock_t begin = std::clock();
  CharacterMap{bytes};
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace attend
