// Where the steps of a normalizer say that characters come from, as the tokenizers library does.
#include "attend/text/huggingface/text_normalizers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "attend/core/strings/base64.h"
#include "text/character_map_bytes.h"

namespace attend::detail {
namespace {

using Places = std::vector<std::pair<int, int>>;

// The bytes of the original from which each byte comes.
Places places_of(const NormalizerStep& step, std::string_view original) {
  AlignedText text(original);
  step(text);
  Places places;
  for (std::size_t i = 0; i < text.size(); ++i)
    places.emplace_back(text.source(i).begin, text.source(i).end);
  return places;
}

NormalizerStep map_step(const MapBytes& map) {
  const nlohmann::json part{{"type", "Precompiled"},
                            {"precompiled_charsmap", to_base64(map.bytes())}};
  return read_normalizers(nlohmann::json::array({part}), "normalizer").front();
}

// tokenizers 0.23: the offsets of BPE tokens of single characters.
TEST(TextNormalizers, GiveTheLastCharacterOfAMapThePlaceOfARemovedOneAfterIt) {
  const NormalizerStep step = map_step(MapBytes().add(";", "...").add("\x01", ""));
  EXPECT_EQ(places_of(step, "x;\x01y"), (Places{{0, 1}, {1, 2}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(places_of(step, "x;\x01\x01y"), (Places{{0, 1}, {1, 2}, {1, 2}, {2, 3}, {4, 5}}));
  EXPECT_EQ(places_of(step, "x;x\x01y"), (Places{{0, 1}, {1, 2}, {1, 2}, {1, 2}, {2, 3}, {4, 5}}));
  EXPECT_EQ(places_of(step, "x\x01;y"), (Places{{0, 1}, {2, 3}, {2, 3}, {2, 3}, {3, 4}}));
}

}  // namespace
}  // namespace attend::detail
