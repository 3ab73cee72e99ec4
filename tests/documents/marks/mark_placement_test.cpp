#include "attend/documents/marks/mark_placement.h"

#include <gtest/gtest.h>

namespace attend {

void PrintTo(const PieceRange& range, std::ostream* out) {
  *out << '[' << range.begin << ", " << range.end << ')';
}
bool operator==(const PieceRange& a, const PieceRange& b) {
  return a.begin == b.begin && a.end == b.end;
}

namespace {

// Pieces of one byte each that translate these bytes of the source.
std::vector<AlignedPiece> pieces_from(const std::vector<std::size_t>& sources) {
  std::vector<AlignedPiece> pieces;
  for (std::size_t i = 0; i < sources.size(); ++i)
    pieces.push_back({{2 * i, 2 * i + 1}, {sources[i], sources[i] + 1}});
  return pieces;
}

using Ranges = std::vector<PieceRange>;

TEST(MarkPlacement, AMarkHoldsThePiecesOfItsText) {
  const MarkedText source{.text = "a b c d", .marks = {{2, 5, "", ""}}};
  EXPECT_EQ(place_marks(source, pieces_from({6, 4, 2, 0})), (Ranges{{1, 3}}));
}

TEST(MarkPlacement, AMarkTakesTheRangeWithMostOfItsText) {
  const MarkedText source{.text = "a b c d", .marks = {{0, 3, "", ""}}};
  EXPECT_EQ(place_marks(source, pieces_from({0, 4, 6, 2, 2})), (Ranges{{3, 5}}));
  EXPECT_EQ(place_marks(source, pieces_from({0, 0, 4, 2, 2})), (Ranges{{0, 5}}));
}

TEST(MarkPlacement, AMarkLiesWithinItsParent) {
  const MarkedText source{.text = "a b c d", .marks = {{0, 3, "", ""}, {0, 1, "", "", 0}}};
  EXPECT_EQ(place_marks(source, pieces_from({2, 2, 6, 0})), (Ranges{{0, 2}, {0, 1}}));
}

TEST(MarkPlacement, MarksThatNothingTranslatesGetAPieceOfTheirNeighbors) {
  const MarkedText source{.text = "a b c", .marks = {{0, 1, "", ""}, {2, 3, "", ""}}};
  EXPECT_EQ(place_marks(source, pieces_from({0, 0})), (Ranges{{0, 1}, {1, 2}}));
  EXPECT_EQ(place_marks(source, pieces_from({0})), (Ranges{{0, 1}, {0, 0}}));
}

TEST(MarkPlacement, APointStandsBesideTheWordItIsGluedTo) {
  const MarkedText source{.text = "a b c", .marks = {{1, 1, "", ""}, {4, 4, "", ""}}};
  EXPECT_EQ(place_marks(source, pieces_from({4, 2, 0})), (Ranges{{3, 3}, {0, 0}}));
}

TEST(MarkPlacement, APointStandsNotWithinAMarkThatDidNotHoldIt) {
  const MarkedText source{.text = "a b c", .marks = {{0, 3, "", ""}, {4, 4, "", ""}}};
  EXPECT_EQ(place_marks(source, pieces_from({0, 0, 4, 2, 2})), (Ranges{{0, 5}, {5, 5}}));
}

TEST(MarkPlacement, MarksThatHoldAllTextShareIt) {
  const MarkedText source{
      .text = "a b c d", .marks = {{0, 2, "", ""}, {2, 7, "", ""}}, .text_in_marks = true};
  EXPECT_EQ(place_marks(source, pieces_from({4, 0, 2, 6})), (Ranges{{0, 2}, {2, 4}}));
}

}  // namespace
}  // namespace attend
