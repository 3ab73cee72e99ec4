// Imported tokenizers, step by step. What the steps do in all their variants, the cases of
// tests/interchange compare with the original.
#include "attend/text/huggingface/steps_engine.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "text/small_engines.h"

namespace attend {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

// Every character is a piece, with or without a space before it.
detail::StepsDescription characters(const std::string& scheme, const std::string& letters = "abc") {
  detail::StepsDescription d;
  std::vector<std::string>& pieces = d.vocabulary.pieces;
  pieces = {"<unk>", "<s>", "▁"};
  for (const char letter : letters) pieces.emplace_back(1, letter);
  d.vocabulary.controls = {1};
  d.vocabulary.special = {.bos = 1, .unk = 0};
  d.model = {.type = detail::PieceModelType::bpe, .unknown = 0};
  d.added = {{.id = 1, .special = true}};
  d.pre_tokenizer = {{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}}};
  d.decoder = d.pre_tokenizer;
  return d;
}

Names pieces_with_special(const Tokenizer& tokenizer, std::string_view text) {
  Names names;
  for (const std::int32_t id : tokenizer.encode(text, SpecialText::as_tokens))
    names.push_back(tokenizer.piece(id));
  return names;
}

TEST(StepsEngine, PutsASpaceBeforeTheText) {
  const Tokenizer always = made_tokenizer(characters("always"));
  EXPECT_EQ(pieces_of(always, "a"), (Names{"▁", "a"}));
  EXPECT_EQ(pieces_of(always, " a"), (Names{"▁", "a"})) << "it has one";
  EXPECT_EQ(pieces_of(always, "▁a"), (Names{"▁", "a"}));
  EXPECT_EQ(pieces_of(always, ""), Names{});
  EXPECT_EQ(pieces_of(made_tokenizer(characters("never")), "a"), (Names{"a"}));
}

TEST(StepsEngine, PutsOneAfterASpecialTokenAsTheSchemeSays) {
  EXPECT_EQ(pieces_with_special(made_tokenizer(characters("always")), "a<s>b"),
            (Names{"▁", "a", "<s>", "▁", "b"}));
  const Tokenizer first = made_tokenizer(characters("first"));
  EXPECT_EQ(pieces_with_special(first, "a<s>b"), (Names{"▁", "a", "<s>", "b"}));
  EXPECT_EQ(pieces_with_special(first, "<s>b"), (Names{"<s>", "b"}));
  EXPECT_EQ(first.encode_rest("b"), (std::vector<std::int32_t>{first.id("b")}));
  EXPECT_EQ(first.encode("b").size(), 2u);
}

TEST(StepsEngine, ReadsSpecialTokensOnlyWhenAsked) {
  const Tokenizer tokenizer = made_tokenizer(characters("never", "<s>ab"));
  EXPECT_EQ(pieces_of(tokenizer, "a<s>"), (Names{"a", "<", "s", ">"}));
  EXPECT_EQ(pieces_with_special(tokenizer, "a<s>"), (Names{"a", "<s>"}));
  detail::StepsDescription unigram = characters("never", "<s>ab");
  unigram.model = {.type = detail::PieceModelType::unigram,
                   .unknown = 0,
                   .scores = std::vector<double>(8, -1.0)};
  EXPECT_EQ(pieces_of(made_tokenizer(unigram), "a<s>"), (Names{"a", "<", "s", ">"}))
      << "a piece of the model like others";
}

TEST(StepsEngine, CutsAtAddedTokensAsTheirFlagsSay) {
  detail::StepsDescription d = characters("never");
  d.vocabulary.pieces.emplace_back("ab");
  d.model.outside = {6};
  const auto pieces = [&](detail::AddedPiece flags, std::string_view text) {
    flags.id = 6;
    d.added = {flags};
    return pieces_of(made_tokenizer(d), text);
  };
  EXPECT_EQ(pieces({}, "c ab c"), (Names{"c", "▁", "ab", "▁", "c"}));
  EXPECT_EQ(pieces({.lstrip = true}, "c  ab c"), (Names{"c", "ab", "▁", "c"}));
  EXPECT_EQ(pieces({.rstrip = true}, "c ab \n c"), (Names{"c", "▁", "ab", "c"}));
  EXPECT_EQ(pieces({.single_word = true}, "abc ab"), (Names{"a", "b", "c", "▁", "ab"}));
  d.normalizer = {{{"type", "Lowercase"}}};
  EXPECT_EQ(pieces({}, "AB"), (Names{"a", "b"}));
  EXPECT_EQ(pieces({.normalized = true}, "AB"), (Names{"ab"}));
}

TEST(StepsEngine, KnowsWhereTokensStand) {
  detail::StepsDescription d = characters("always");
  d.normalizer = {{{"type", "Lowercase"}}};
  const std::string text = "A<s>b  c";
  const Tokenizer tokenizer = made_tokenizer(d);
  Names parts;
  for (const TokenSpan& span : tokenizer.spans(text, SpecialText::as_tokens))
    parts.push_back(text.substr(span.begin, span.end - span.begin));
  // What stands before a part has the place of its first character, as in the original.
  EXPECT_EQ(parts, (Names{"A", "A", "<s>", "b", "b", " ", " ", "c"}));
}

// What tokenizers 0.23 writes: it leaves out special tokens by their normalized strings.
TEST(StepsEngine, WritesSpecialTokensThatNormalizationChanges) {
  detail::StepsDescription d = characters("always");
  d.vocabulary.pieces.insert(d.vocabulary.pieces.end(), {"<B>", "<e>"});
  d.normalizer = {{{"type", "Lowercase"}}};
  const auto id = static_cast<std::int32_t>(d.vocabulary.pieces.size()) - 2;
  for (const std::int32_t special : {id, id + 1}) {
    d.added.push_back({.id = special, .special = true, .normalized = true});
    d.model.outside.push_back(special);
  }
  const Tokenizer tokenizer = made_tokenizer(d);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a<b>b<e>", SpecialText::as_tokens)), "a<b> b");
}

TEST(StepsEngine, DecodesWhatItEncodes) {
  const Tokenizer tokenizer = made_tokenizer(characters("always"));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a  b c")), "a  b c");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("az")), "a<unk>");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a<s>b", SpecialText::as_tokens)), "a b");
}

TEST(StepsEngine, WritesNoUnknownTokenThatIsSpecial) {
  detail::StepsDescription d = characters("always");
  d.added.push_back({.id = 0, .special = true});
  const Tokenizer tokenizer = made_tokenizer(d);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("az b")), "a b");
}

TEST(StepsEngine, IsTheSameAfterSavingAndLoading) {
  const std::string bytes = made_tokenizer(characters("first")).bytes();
  EXPECT_EQ(Tokenizer::from_bytes(bytes).bytes(), bytes);
}

TEST(StepsEngine, RefusesWhatItDoesNotKnow) {
  const auto expect_refused = [](const auto& change) {
    detail::StepsDescription d = characters("always");
    change(d);
    EXPECT_THROW(made_tokenizer(d), DataError);
  };
  expect_refused([](auto& d) { d.normalizer = {{{"type", "Foo"}}}; });
  expect_refused([](auto& d) { d.pre_tokenizer = {{{"type", "Foo"}}}; });
  expect_refused([](auto& d) { d.decoder = {{{"type", "Foo"}}}; });
  expect_refused([](auto& d) { d.pre_tokenizer = {1}; });
  expect_refused([](auto& d) { d.normalizer = Json::array({Json::object()}); });
  expect_refused([](auto& d) { d.pre_tokenizer[0]["foo"] = 1; });
  expect_refused([](auto& d) { d.added[0].id = 99; });
  expect_refused([](auto& d) { d.model.outside = {99}; });
  expect_refused([](auto& d) { d.model.unknown = 99; });
  expect_refused([](auto& d) { d.model.merges = {{3, 4}}; });
  expect_refused([](auto& d) { d.model = {.type = detail::PieceModelType::unigram}; });
}

}  // namespace
}  // namespace attend
