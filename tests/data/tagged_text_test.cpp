#include "attend/data/tagged_text.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"

namespace attend {
namespace {

using Words = std::vector<std::string>;
using Texts = std::vector<Words>;

class TaggedTexts : public WithFiles {
 protected:
  static TaggedText read(const std::string& file, const LabeledOptions& options = {},
                         const Words& known = {}) {
    return read_tagged(Words{file}, options, known);
  }
  static std::string complaint(const std::string& file, const LabeledOptions& options = {},
                               const Words& known = {}) {
    return message_of<DataError>([&] { read(file, options, known); });
  }
};

TEST_F(TaggedTexts, AreReadFromConll) {
  const TaggedText text = read(write("a.conll",
                                     "-DOCSTART- -X- -X- O\n\nAnna NNP B-PER\nBell\tNNP\tI-PER\n"
                                     "sleeps VBZ O\n\n\nParis NNP B-LOC\n"));
  EXPECT_EQ(text.words, (Texts{{"Anna", "Bell", "sleeps"}, {"Paris"}}));
  EXPECT_EQ(text.tags, (Words{"B-LOC", "B-PER", "I-PER", "O"}));
  EXPECT_EQ(text.labels, (std::vector<TokenIds>{{1, 2, 3}, {0}}));
}

TEST_F(TaggedTexts, AreReadFromTables) {
  const Texts expected{{"Anna", "sleeps"}, {"no"}};
  const TaggedText csv = read(write("a.csv", "label,text\nB-PER O,Anna sleeps\nO,no\n"));
  EXPECT_EQ(csv.words, expected);
  EXPECT_EQ(csv.labels, (std::vector<TokenIds>{{0, 1}, {1}}));
  const TaggedText json =
      read(write("a.jsonl",
                 "{\"label\": [\"B-PER\", \"O\"], \"text\": [\"Anna\", \"sleeps\"]}\n"
                 "{\"label\": \"O\", \"text\": \"no\"}\n"));
  EXPECT_EQ(json.words, expected);
  const TaggedText tabs =
      read(write("a.tsv", "Anna sleeps\tB-PER O\nno\tO\n"),
           {.label_column = "2", .text_column = "1", .table = TableFormat::tsv});
  EXPECT_EQ(tabs.words, expected);
}

TEST_F(TaggedTexts, HaveATagForEveryWord) {
  const std::string table = write("a.csv", "O O,one two\nO O,one two three\n");
  EXPECT_TRUE(contains(complaint(table),
                       table + ":2: expected as many tags as words, found 3 words and 2 tags"));
  const std::string empty = write("b.csv", "O, \n");
  EXPECT_TRUE(contains(complaint(empty), empty + ":1: the text is empty"));
  const std::string conll = write("c", "one O\ntwo\n");
  EXPECT_TRUE(contains(complaint(conll), conll + ":2: expected a word and its tag, found 'two'"));
}

TEST_F(TaggedTexts, HaveTagsOfTheModelWhereThereIsOne) {
  const Words known{"O", "B-A"};
  const TaggedText text = read(write("a", "x B-A\ny O\n"), {}, known);
  EXPECT_EQ(text.tags, known);
  EXPECT_EQ(text.labels, (std::vector<TokenIds>{{1, 0}}));
  const std::string other = write("b", "x O\ny B-B\n");
  EXPECT_TRUE(contains(complaint(other, {}, known),
                       other + ":2: unknown tag 'B-B', expected one of: O, B-A"));
}

TEST_F(TaggedTexts, NeedTwoTags) {
  EXPECT_TRUE(contains(complaint(write("a", "x O\ny O\n")), "all words have the tag 'O'"));
  EXPECT_TRUE(contains(complaint(write("b", "\n\n")), "expected tagged texts, found none"));
  EXPECT_THROW(read_tagged({}, {}), ConfigError);
}

TEST_F(TaggedTexts, KnowTheTagsOfEntities) {
  EXPECT_TRUE(are_entity_tags(Words{"O", "B-PER", "I-PER", "E-X", "S-X"}));
  EXPECT_FALSE(are_entity_tags(Words{"O", "NOUN"}));
  EXPECT_FALSE(are_entity_tags(Words{"B-"}));
}

TEST_F(TaggedTexts, AreCutBetweenWords) {
  const Tokenizer tokenizer = characters();
  const SpecialTokens special{.bos = tokenizer.bos_id(), .eos = tokenizer.eos_id()};
  const Words words{"ab", "abc", "b", "abcdefgh"};
  const auto length = [&](const std::string& word) { return tokenizer.encode(word).size(); };
  const int most = static_cast<int>(2 + length("ab") + length("abc"));
  const std::vector<TaggedPart> parts = tagged_parts(words, tokenizer, special, {most});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].first, 0u);
  EXPECT_EQ(parts[0].rows, (TokenIds{1, 1 + static_cast<std::int32_t>(length("ab"))}));
  EXPECT_EQ(std::ssize(parts[0].ids), most);
  EXPECT_EQ(parts[0].ids.front(), special.bos);
  EXPECT_EQ(parts[0].ids.back(), special.eos);
  EXPECT_EQ(parts[1].first, 2u);
  EXPECT_EQ(parts[1].rows, TokenIds{1});
  EXPECT_EQ(parts[2].first, 3u);
  EXPECT_EQ(std::ssize(parts[2].ids), most) << "the beginning of a word that is too long";
  const std::vector<TaggedPart> without = tagged_parts(words, tokenizer, {.eos = special.eos}, {});
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].rows[0], 0);
}

TEST_F(TaggedTexts, AreBatchedWithTheRowsOfTheirWords) {
  const Tokenizer tokenizer = characters();
  const SpecialTokens special{.bos = tokenizer.bos_id(), .eos = tokenizer.eos_id()};
  const TaggedText text{{"O", "X"}, {{"a", "b"}, {"c"}, {"d", "e", "f"}}, {{0, 1}, {1}, {0, 0, 1}}};
  TaggedReport report;
  std::vector<TokenIds> labels;
  std::vector<TaggedPart> parts = encode_tagged(text, tokenizer, special, {}, labels, report);
  EXPECT_EQ(report.summary(), "3 texts with 6 words");
  EXPECT_EQ(labels, text.labels);
  const TaggedBatcher batcher(parts, labels, {1000}, std::nullopt);
  ASSERT_EQ(batcher.batches(0), 1);
  const TaggedBatch batch = batcher.batch(0, 0);
  EXPECT_EQ(batch.labels, (TokenIds{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(batcher.size(0, 0).words, 6);
  EXPECT_EQ(batcher.size(0, 0).tokens, batch.text.tokens());
  ASSERT_EQ(batch.rows.size(), 6);
  std::size_t at = 0;
  for (std::size_t t = 0; t < text.words.size(); ++t)
    for (const std::string& word : text.words[t])
      EXPECT_EQ(batch.text.ids[batch.rows[static_cast<std::int64_t>(at++)]],
                tokenizer.encode(word).front());
}

TEST_F(TaggedTexts, HaveNoSpacesInTheElementsOfLists) {
  const std::string file =
      write("a.jsonl", "{\"text\": [\"New\\u00a0York\", \"is\"], \"label\": [\"B-LOC\", \"O\"]}\n");
  EXPECT_TRUE(contains(complaint(file), file + ":1: text: expected a word without spaces"));
  const std::string tags =
      write("b.jsonl", "{\"text\": [\"York\", \"is\"], \"label\": [\"B\\tLOC\", \"O\"]}\n");
  EXPECT_TRUE(contains(complaint(tags), "label: expected a word without spaces"));
}

using Views = std::vector<std::string_view>;

TEST(WordsOfText, EndAtWhiteSpace) {
  EXPECT_EQ(words_of_text(" in  \"(Berlin),\tor U.S.", false),
            (Views{"in", "\"(Berlin),", "or", "U.S."}));
}

TEST(WordsOfText, HavePunctuationApart) {
  const auto words = [](std::string_view text) { return words_of_text(text, true); };
  EXPECT_EQ(words("in \"(Berlin),\" Paris."),
            (Views{"in", "\"", "(", "Berlin", ")", ",", "\"", "Paris", "."}));
  EXPECT_EQ(words("The U.S. and Mr. J. Smith's dog's"),
            (Views{"The", "U.S.", "and", "Mr.", "J.", "Smith's", "dog's"}));
  EXPECT_EQ(words("He lives in the U.S."), (Views{"He", "lives", "in", "the", "U.S."}));
  EXPECT_EQ(words("\u201EMünchen\u201C \u00ABParis\u00BB 3,5 -1 $5 ..."),
            (Views{"\u201E", "München", "\u201C", "\u00AB", "Paris", "\u00BB", "3,5", "-1", "$5",
                   "..."}));
  EXPECT_EQ(words("\u6771\u4EAC\u3002"), (Views{"\u6771\u4EAC", "\u3002"}));
  EXPECT_EQ(words("((("), (Views{"(", "(", "("}));
  EXPECT_TRUE(words(" ").empty());
}

// Tokenized text stays as it is.
TEST(WordsOfText, KeepTheStopOfTokenizedText) {
  EXPECT_EQ(words_of_text("Smith , Inc.", true), (Views{"Smith", ",", "Inc."}));
  EXPECT_EQ(words_of_text("EU rejects ( German ) call .", true),
            (Views{"EU", "rejects", "(", "German", ")", "call", "."}));
}

TEST(WordsOfText, AreThoseOfTheTrainingText) {
  const auto apart = [](Texts words) {
    return has_punctuation_apart({{"O", "X"}, std::move(words), {}});
  };
  EXPECT_TRUE(apart({{"in", "Berlin", "."}, {"(", "U.S.", ")"}}));
  EXPECT_TRUE(apart({{"no", "marks"}}));
  EXPECT_FALSE(apart({{"in", "Berlin."}}));
  EXPECT_FALSE(apart({{"in", "(Berlin)", "."}}));
}

}  // namespace
}  // namespace attend
