#include "attend/text/text_stream.h"

#include <gtest/gtest.h>

#include <ctime>

#include "attend/core/random/random.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "text/character_map_bytes.h"
#include "text/small_tokenizers.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

std::string streamed(const Tokenizer& tokenizer, const Ids& ids) {
  TextStream stream(tokenizer);
  std::string text;
  for (const std::int32_t id : ids) {
    const std::string more = stream.add(id);
    EXPECT_TRUE(is_utf8(more));
    text += more;
  }
  return text + stream.finish();
}

// What the library makes of the ids that are text, on one line.
std::string library_text(const TokenizerUnderTest& t, const Ids& ids) {
  std::vector<int> visible;
  for (const std::int32_t id : ids) {
    if (!t.library->IsControl(id)) visible.push_back(id);
  }
  std::string text;
  t.library->Decode(visible, &text).IgnoreError();
  if (!visible.empty() && visible.front() == t.tokenizer.unk_id() && text.starts_with(' '))
    text.erase(0, 1);
  for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  return text;
}

// The same models with the spaces of their text treated in other ways, and one that changes decoded
// text.
std::vector<TokenizerUnderTest> variants() {
  std::vector<TokenizerUnderTest> all;
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    const std::string model = t.tokenizer.bytes();
    const auto add = [&](const std::string& what, const std::string& more) {
      all.push_back(with_library(t.name + what, Tokenizer::from_bytes(model + more)));
    };
    add("", "");
    add(", no space in front", field(kNormalizerField, field(kDummyPrefixField, 0)));
    add(", all spaces", field(kNormalizerField, field(kRemoveSpacesField, 0)));
    add(", as it stands",
        field(kNormalizerField, field(kDummyPrefixField, 0) + field(kRemoveSpacesField, 0)));
    add(", unknown is nothing", field(kTrainerField, field(kUnknownSurfaceField, "")));
    add(", changed afterwards",
        field(kDenormalizerField,
              field(kMapField, MapBytes().add("a", "b").add("b", "\n").bytes())));
  }
  return all;
}

Ids random_ids(const Tokenizer& tokenizer, Random& random, std::size_t most) {
  Ids ids;
  const bool bytes = tokenizer.vocab_size() > 256 && random.below(2) == 0;
  const std::int32_t meta = tokenizer.id("▁");
  for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
    const auto limit = static_cast<std::uint64_t>(bytes ? 260 : tokenizer.vocab_size());
    ids.push_back(random.below(5) == 0 ? meta : static_cast<std::int32_t>(random.below(limit)));
  }
  return ids;
}

TEST(TextStream, GivesTheTextThatTheLibraryDecodes) {
  for (const TokenizerUnderTest& t : variants()) {
    Random random({5, 0});
    for (int i = 0; i < 400; ++i) {
      const Ids ids = random_ids(t.tokenizer, random, 12);
      const std::string expected = library_text(t, ids);
      ASSERT_EQ(streamed(t.tokenizer, ids), expected) << t.name << ", " << i;
      ASSERT_EQ(t.tokenizer.decode(ids), expected) << t.name << ", " << i;
    }
  }
}

TEST(TextStream, WaitsForNoMoreThanTheBytesOfACharacter) {
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    if (!t.name.ends_with("bytes")) continue;
    TextStream stream(t.tokenizer);
    const auto add = [&](const std::vector<int>& bytes) {
      std::string text;
      for (const int byte : bytes) text += stream.add(4 + byte);
      return text;
    };
    EXPECT_EQ(add({'a'}), "a");
    EXPECT_EQ(add({0xF0, 0x9F, 0xA4}), "");
    EXPECT_EQ(add({0x96}), "🤖");
    EXPECT_EQ(add({0xF0, 0x9F}), "");
    EXPECT_EQ(add({'a'}), "\uFFFD\uFFFDa") << "bytes that cannot become a character wait no longer";
    EXPECT_EQ(add({0x80}), "\uFFFD");
    EXPECT_EQ(add({0xE0}), "");
    EXPECT_EQ(add({0x9F}), "\uFFFD\uFFFD") << "an overlong form";
    EXPECT_EQ(add({0xF4, 0x8F}), "");
    EXPECT_EQ(stream.finish(), "\uFFFD\uFFFD");
    EXPECT_EQ(add({' '}), " ") << "after the end it starts over";
  }
}

TEST(TextStream, WritesOneLine) {
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    if (!t.name.ends_with("bytes")) continue;
    const Ids ids{4 + 'a', 4 + '\n', 4 + 'b', 4 + '\r', 4 + '\n', 4 + 'c', 4 + '\n'};
    EXPECT_EQ(t.tokenizer.decode(ids), "a b  c ") << t.name;
    EXPECT_EQ(streamed(t.tokenizer, ids), "a b  c ");
  }
  const std::vector<std::string> lines{"a\nb\nc", "b\nc\na"};
  TokenizerOptions options;
  options.type = TokenizerType::chars;
  options.normalization = Normalization::identity;
  const Tokenizer learned = Tokenizer::train(lines, options);
  EXPECT_NE(learned.id("\n"), learned.unk_id()) << "a piece that is the end of a line";
  EXPECT_EQ(learned.decode(learned.encode("a\nb")), "a b");
}

TEST(TextStream, TakesTheTimeOfATokenForAToken) {
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    for (const std::int32_t id : {t.tokenizer.unk_id(), t.tokenizer.id("▁"),
                                  t.tokenizer.vocab_size() - 1, 4, 4 + 0xF0, 4 + 0x80}) {
      if (id >= t.tokenizer.vocab_size()) continue;
      const std::clock_t begin = std::clock();
      TextStream stream(t.tokenizer);
      for (int i = 0; i < 100'000; ++i) stream.add(id);
      EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC) << t.name << ", id " << id;
    }
  }
}

TEST(TextStream, RefusesIdsOutsideTheVocabulary) {
  const Tokenizer tokenizer = small_tokenizers().front().tokenizer;
  TextStream stream(tokenizer);
  EXPECT_THROW(stream.add(-1), DataError);
  EXPECT_THROW(stream.add(tokenizer.vocab_size()), DataError);
}

}  // namespace
}  // namespace attend
