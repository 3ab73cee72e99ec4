#include "attend/text/huggingface/subword_nmt.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/text/tokenizer_file.h"
#include "attend/tokenizer.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using detail::PieceModelType;
using detail::StepsDescription;

StepsDescription subword_description(std::vector<std::string> pieces,
                                     std::vector<std::string> codes) {
  StepsDescription d{.vocabulary = {}};
  d.vocabulary.pieces = {"<s>", "</s>", "<unk></w>"};
  d.vocabulary.pieces.insert(d.vocabulary.pieces.end(), pieces.begin(), pieces.end());
  d.vocabulary.controls = {0, 1};
  d.vocabulary.special = {.bos = 0, .eos = 1, .pad = -1, .unk = 2};
  d.pre_tokenizer = nlohmann::json::array({{{"type", "WhitespaceSplit"}}});
  d.decoder = nlohmann::json::array({{{"type", "BPEDecoder"}, {"suffix", "</w>"}}});
  d.model.type = PieceModelType::subword_nmt;
  d.model.unknown = 2;
  d.model.outside = {0, 1, 2};
  d.model.codes = std::move(codes);
  d.model.word_suffix = "</w>";
  return d;
}

std::vector<std::string> pieces_of(const StepsDescription& description, const std::string& text) {
  const Tokenizer tokenizer = Tokenizer::from_bytes(detail::tokenizer_bytes(description));
  std::vector<std::string> pieces;
  for (const std::int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(SubwordNmt, MergesEarliestFirst) {
  const StepsDescription d = subword_description(
      {"lo", "l", "o", "w", "low</w>", "er</w>", "w</w>"}, {"l o", "lo w</w>", "e r</w>"});
  EXPECT_EQ(pieces_of(d, "low"), Pieces{"low</w>"});
  EXPECT_EQ(pieces_of(d, " lower  low "), (Pieces{"lo", "w", "er</w>", "low</w>"}));
  EXPECT_EQ(pieces_of(d, ""), Pieces{});
}

// A symbol that the vocabulary does not have is unknown as a whole, also where others know its
// parts.
TEST(SubwordNmt, DoesNotTakeBackMerges) {
  const StepsDescription d = subword_description({"a", "b", "c</w>", "b</w>"}, {"a b", "ab c</w>"});
  EXPECT_EQ(pieces_of(d, "abc"), Pieces{"<unk></w>"});
  EXPECT_EQ(pieces_of(d, "ababb"), (Pieces{"<unk></w>", "<unk></w>", "b</w>"}));
  EXPECT_EQ(pieces_of(d, "☃c"), (Pieces{"<unk></w>", "c</w>"}));
}

// All pairs of a merge are joined before another is looked for.
TEST(SubwordNmt, JoinsAllPairsOfAMerge) {
  const std::vector<std::string> pieces{"ab", "aba", "b</w>", "ab</w>", "a"};
  const std::vector<std::string> codes{"ab a", "a b", "a b</w>"};
  EXPECT_EQ(pieces_of(subword_description(pieces, codes), "ababab"),
            (Pieces{"ab", "aba", "b</w>"}));
  std::string text;
  Pieces expected;
  for (int i = 0; i < 40; ++i, text += "ab")
    if (i < 38) expected.emplace_back("ab");
  expected.insert(expected.end(), {"aba", "b</w>"});
  EXPECT_EQ(pieces_of(subword_description(pieces, codes), text), expected) << "a long word";
}

// Version 0.1: "w" and the end of the word are two symbols, which a merge may join.
TEST(SubwordNmt, MayHaveTheEndOfAWordApart) {
  StepsDescription d =
      subword_description({"lo", "w</w>", "lo</w>", "low</w>", "e"}, {"l o", "w </w>"});
  d.model.suffix_apart = true;
  EXPECT_EQ(pieces_of(d, "low lo"), (Pieces{"lo", "w</w>", "lo</w>"}));
  EXPECT_EQ(pieces_of(d, "e"), Pieces{"<unk></w>"}) << "only e@@ is known";
}

TEST(SubwordNmt, KnowsItsWords) {
  const StepsDescription d = subword_description({"lo", "w</w>"}, {"l o"});
  const Tokenizer tokenizer = Tokenizer::from_bytes(detail::tokenizer_bytes(d));
  const std::vector<std::int32_t> ids = tokenizer.encode("low low");
  EXPECT_EQ(tokenizer.decode(ids), "low low");
  ASSERT_EQ(tokenizer.words(ids).size(), 2u);
  EXPECT_EQ(tokenizer.words(ids)[1].text, "low");
  const std::vector<TokenSpan> spans = tokenizer.spans("low low");
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[2].begin, 4u);
  EXPECT_EQ(spans[2].end, 6u);
  EXPECT_EQ(spans[3].end, 7u);
}

TEST(SubwordNmt, RefusesOtherMerges) {
  for (const char* code : {"a", "a b c", " a", "a "}) {
    const StepsDescription d = subword_description({"a"}, {code});
    expect_error<DataError>([&] { pieces_of(d, "a"); }, {"expected two symbols, found the merge"});
  }
  StepsDescription d = subword_description({"a"}, {});
  d.model.word_suffix = "";
  expect_error<DataError>([&] { pieces_of(d, "a"); }, {"its words have no suffix"});
  EXPECT_EQ(pieces_of(subword_description({"ab"}, {"a b", "a b"}), "aba"),
            (Pieces{"ab", "<unk></w>"}))
      << "the first of two counts";
}

}  // namespace
}  // namespace attend
