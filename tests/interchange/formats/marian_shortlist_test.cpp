#include "attend/interchange/formats/marian_shortlist.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "interchange/written_formats.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;

// Two target tokens are always allowed; source token 0 has none, 1 has 5 and 3, 2 has 4.
constexpr MarianShortlistShape kShape{.source_tokens = 4, .target_tokens = 6};
std::string written() { return written_marian_shortlist(2, {0, 0, 2, 3}, {5, 3, 4}); }

TEST(MarianShortlists, HaveTheTokensThatMayTranslateASource) {
  const Shortlist list = read_marian_shortlist(written(), kShape, "lex.bin");
  EXPECT_EQ(list.allowed(Tokens{0}), (Tokens{0, 1}));
  EXPECT_EQ(list.allowed(Tokens{1}), (Tokens{0, 1, 3, 5}));
  EXPECT_EQ(list.allowed(Tokens{2, 1}), (Tokens{0, 1, 3, 4, 5}));
  EXPECT_EQ(list.allowed(Tokens{3}), (Tokens{0, 1})) << "the file has three";
}

TEST(MarianShortlists, LetTokensOfASharedVocabularyTranslateThemselves) {
  const Shortlist list = read_marian_shortlist(
      written(), {.source_tokens = 4, .target_tokens = 6, .shared = true}, "lex.bin");
  EXPECT_EQ(list.allowed(Tokens{3}), (Tokens{0, 1, 3}));
  EXPECT_EQ(list.allowed(Tokens{2}), (Tokens{0, 1, 2, 4}));
}

TEST(MarianShortlists, AreRefusedWhenTheyAreDamaged) {
  const auto refuse = [](const std::string& bytes, std::string_view why) {
    expect_error<DataError>([&] { read_marian_shortlist(bytes, kShape, "lex.bin"); },
                            {"lex.bin", why});
  };
  refuse("", "does not begin as one");
  refuse("not a shortlist of Marian", "does not begin as one");
  refuse(written_marian_shortlist(2, {0, 2, 1, 3}, {5, 3, 4}), "do not rise");
  refuse(written_marian_shortlist(2, {1, 1, 2, 3}, {5, 3, 4}), "do not rise");
  refuse(written_marian_shortlist(2, {}, {}), "do not rise");
  refuse(written_marian_shortlist(2, {0, 1}, {6}), "lists the target token 6");
  for (std::size_t size = 8; size < written().size(); ++size)
    EXPECT_THROW(read_marian_shortlist(written().substr(0, size), kShape, "lex.bin"), DataError)
        << size;
  refuse(written() + "x", "truncated?");
}

}  // namespace
}  // namespace attend
