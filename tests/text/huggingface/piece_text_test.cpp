#include "attend/text/huggingface/piece_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace attend {
namespace {

using Pieces = std::vector<std::string>;

// Expected values: decoder.decode(pieces) of PyPI's tokenizers 0.23.
TEST(PieceText, JoinsWordPieces) {
  const auto text = [](const Pieces& pieces) {
    return text_of_pieces(TokenizerType::wordpiece, pieces);
  };
  EXPECT_EQ(text({"new", "york", "##er", ",", "isn", "'", "t"}), "new yorker, isn ' t");
  EXPECT_EQ(text({"##er", "##s"}), "##ers");
  EXPECT_EQ(text({"he", "'s", ".", "!"}), "he's.!");
  EXPECT_EQ(text({}), "");
}

TEST(PieceText, ReadsLettersAsBytes) {
  const auto text = [](const Pieces& pieces) {
    return text_of_pieces(TokenizerType::byte_bpe, pieces);
  };
  EXPECT_EQ(text({"\xC4\xA0the",
                  "\xC4\xA0"
                  "dog"}),
            " the dog");
  EXPECT_EQ(text({"Z", "\xC3\x83", "\xC2\xBC"}), "Z\xC3\xBC");
  EXPECT_EQ(text({"Z", "\xC3\x83"}), "Z\xEF\xBF\xBD") << "a byte of a character that is cut";
  EXPECT_EQ(text({" a b", "\xE6\x9D\xB1"}), " a b\xE6\x9D\xB1") << "letters that are no bytes";
}

TEST(PieceText, ReadsTheMarkOfAWordAsASpace) {
  const auto text = [](const Pieces& pieces) {
    return text_of_pieces(TokenizerType::unigram, pieces);
  };
  EXPECT_EQ(text({"\xE2\x96\x81New", "\xE2\x96\x81York", "er"}), "New Yorker");
  EXPECT_EQ(text({"er", "\xE2\x96\x81"}), "er ");
}

}  // namespace
}  // namespace attend
