#include "attend/documents/marks/aligned_text.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // of translation and source

Pairs pieces_of(const std::string& source, const std::string& target,
                std::vector<std::pair<int, int>> alignment, std::vector<std::size_t> cuts = {}) {
  TranslationCandidate candidate;
  candidate.text = target;
  candidate.alignment = std::move(alignment);
  const AlignedText aligned = align({source, {{0, source.size()}}, {{{candidate}, {}}}}, 0, cuts);
  EXPECT_EQ(aligned.text, target);
  Pairs pairs;
  for (const AlignedPiece& piece : aligned.pieces)
    pairs.emplace_back(piece.target.of(target), piece.source.of(source));
  return pairs;
}

TEST(AlignedText, SeparatesWordsFromThePunctuationAroundThem) {
  EXPECT_EQ(pieces_of("(a dog), here.", "hier (ein Hund).", {{2, 0}, {0, 1}, {1, 2}}),
            (Pairs{{"hier", "here"}, {"(", "("}, {"ein", "a"}, {"Hund", "dog"}, {").", "."}}));
}

TEST(AlignedText, GoesByRelativePlaceWithoutAnAlignment) {
  EXPECT_EQ(pieces_of("a b c d", "x y", {}), (Pairs{{"x", "b"}, {"y", "d"}}));
}

TEST(AlignedText, CutsAWordWhereItsSourceIsCut) {
  EXPECT_EQ(pieces_of("undo-it", "undo-es", {{0, 0}}, {4}),
            (Pairs{{"undo", "undo"}, {"-es", "-it"}}))
      << "the same beginning";
  EXPECT_EQ(pieces_of("pre2", "vor2", {{0, 0}}, {3}), (Pairs{{"vor", "pre"}, {"2", "2"}}))
      << "the same end";
  EXPECT_EQ(pieces_of("abcd", "wxyz", {{0, 0}}, {1, 3}),
            (Pairs{{"w", "a"}, {"xy", "bc"}, {"z", "d"}}));
  EXPECT_EQ(pieces_of("abcd", "w x", {{0, 0}, {0, 1}}, {2}), (Pairs{{"w", "ab"}, {"x", "cd"}}))
      << "words are not cut where there are several";
}

TEST(AlignedText, HasNoPiecesWithoutWords) {
  EXPECT_TRUE(pieces_of("a b", "", {{0, 0}}).empty());
  EXPECT_TRUE(pieces_of(" ", "x", {{0, 0}}).empty());
}

}  // namespace
}  // namespace attend
