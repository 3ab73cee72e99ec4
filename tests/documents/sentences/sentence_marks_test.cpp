#include "attend/documents/sentences/sentence_marks.h"

#include <gtest/gtest.h>

#include <string>

namespace attend {
namespace {

TEST(SentenceMarks, AreThoseOfAllScripts) {
  for (const char32_t c : std::u32string(U".!?…؟۔।॥։።፧។៕။།༎。！？｡．\u037e"))
    EXPECT_TRUE(is_stop(c)) << static_cast<unsigned>(c);
  for (const char32_t c : std::u32string(U",;:՝၊፣a・"))
    EXPECT_FALSE(is_stop(c)) << static_cast<unsigned>(c);
  EXPECT_TRUE(is_free_stop(U'。'));
  EXPECT_FALSE(is_free_stop(U'.'));
}

TEST(SentenceMarks, KnowSmallLettersAndInitials) {
  EXPECT_TRUE(is_small(U'a'));
  EXPECT_FALSE(is_small(U'ა')) << "Georgian has no capitals";
  for (const char32_t c : {U'A', U'Я', U'ა', U'د', U'א'}) EXPECT_TRUE(can_be_initial(c));
  for (const char32_t c : {U'a', U'漢', U'の', U'한', U'ก', U'ए', U'1'})
    EXPECT_FALSE(can_be_initial(c));
}

TEST(SentenceMarks, AreReadBackwardsAsForwards) {
  const auto last = [](std::string_view text) {
    const CharacterBefore before = character_before(text, text.size());
    return std::pair(text.size() - before.begin, before.character);
  };
  EXPECT_EQ(last("aé"), std::pair(std::size_t{2}, U'é'));
  EXPECT_EQ(last("😀"), std::pair(std::size_t{4}, U'😀'));
  EXPECT_EQ(last("a\x80"), std::pair(std::size_t{1}, U'\ufffd'));
  EXPECT_EQ(last("\xe2\x80"), std::pair(std::size_t{1}, U'\ufffd'));
  EXPECT_EQ(last("\x80\x80\x80\x80\x80"), std::pair(std::size_t{1}, U'\ufffd'));
}

}  // namespace
}  // namespace attend
