#include "attend/data/classification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Files = std::vector<std::string>;

class Classification : public WithFiles {};

TEST_F(Classification, ReadsLabelsAndTexts) {
  const LabeledText text = read_labeled(
      Files{write("a", "pos\tgood film\nneg\tbad film\n"), write("b", "so-so\tit is\n")}, {});
  EXPECT_EQ(text.classes, (Files{"neg", "pos", "so-so"}));
  EXPECT_EQ(text.texts, (Files{"good film", "bad film", "it is"}));
  EXPECT_EQ(text.labels, (TokenIds{1, 0, 2}));
}

TEST_F(Classification, TakesTheColumnsAskedFor) {
  LabeledOptions options;
  options.text_column = "1";
  options.label_column = "3";
  const LabeledText text =
      read_labeled(Files{write("a", "one\tx\t1\nzwei\ty\t0\trest\n")}, options);
  EXPECT_EQ(text.texts, (Files{"one", "zwei"}));
  EXPECT_EQ(text.labels, (TokenIds{1, 0}));
}

TEST_F(Classification, ChecksTheColumnNumbers) {
  const std::string file = write("a", "1\ta\n0\tb\n");
  EXPECT_THROW(read_labeled(Files{file}, {.label_column = "0"}), ConfigError);
  EXPECT_THROW(read_labeled(Files{file}, {.label_column = "2", .text_column = "2"}), ConfigError);
  EXPECT_THROW(read_labeled(Files{file}, {.label_column = "2"}), ConfigError)
      << "the second is that of the text";
  EXPECT_THROW(read_labeled(Files{}, {}), ConfigError);
}

TEST_F(Classification, NamesTheLineWithoutTheColumn) {
  const std::string file = write("a", "1\tgood\n0 bad\n");
  const std::string message = message_of<DataError>([&] { read_labeled(Files{file}, {}); });
  EXPECT_TRUE(
      contains(message, file + ":2: expected at least 2 columns separated by tabs, found 1"))
      << message;
}

TEST_F(Classification, NamesTheLineWithoutALabel) {
  const std::string file = write("a", "1\tgood\n \tbad\n");
  const std::string message = message_of<DataError>([&] { read_labeled(Files{file}, {}); });
  EXPECT_TRUE(contains(message, file + ":2: the label is empty")) << message;
}

TEST_F(Classification, NamesTheLineWithoutAText) {
  const std::string file = write("a", "1\tgood\n0\t \u00A0\n");
  const std::string message = message_of<DataError>([&] { read_labeled(Files{file}, {}); });
  EXPECT_TRUE(contains(message, file + ":2: the text is empty")) << message;
}

TEST_F(Classification, FindsGivenClassesInAnyOrder) {
  const std::string file = write("a", "a\tone\nm\ttwo\nz\tthree\n");
  const Files classes{"z", "a", "m"};
  const LabeledText text = read_labeled(Files{file}, {}, {.classes = classes});
  EXPECT_EQ(text.classes, classes);
  EXPECT_EQ(text.labels, (TokenIds{1, 2, 0}));
}

TEST_F(Classification, LeavesOutAHeader) {
  const std::string file = write("a", "label\ttext\n1\tgood\n0\tbad\n");
  const LabeledText text = read_labeled(Files{file, file}, {.header = true});
  EXPECT_EQ(text.classes, (Files{"0", "1"}));
  EXPECT_EQ(text.texts, (Files{"good", "bad", "good", "bad"}));
  const std::string alone = write("b", "label\ttext\n");
  const std::string message =
      message_of<DataError>([&] { read_labeled(Files{alone}, {.header = true}); });
  EXPECT_TRUE(contains(message, alone + ": expected labeled texts, found none")) << message;
}

TEST_F(Classification, NeedsTwoClasses) {
  const std::string file = write("a", "1\tgood\n1\tbad\n");
  const std::string message = message_of<DataError>([&] { read_labeled(Files{file}, {}); });
  EXPECT_TRUE(contains(message, file + ": all 2 texts have the label \"1\"")) << message;
  const std::string of_both = message_of<DataError>([&] { read_labeled(Files{file, file}, {}); });
  EXPECT_TRUE(contains(of_both, file + " and 1 more: all 4 texts have the label \"1\"")) << of_both;
}

TEST_F(Classification, NumbersValidationLabelsAsInTraining) {
  const Files classes{"a", "b", "c"};
  const LabeledText text =
      read_labeled(Files{write("v", "c\tx\nc\ty\n")}, {}, {.classes = classes});
  EXPECT_EQ(text.labels, (TokenIds{2, 2}));  // one class only is fine here
  EXPECT_EQ(text.classes, classes);
}

TEST_F(Classification, NamesTheLineWithAnUnknownLabel) {
  const Files classes{"neg", "pos"};
  const std::string file = write("v", "neg\tx\nneutral\ty\n");
  const std::string message =
      message_of<DataError>([&] { read_labeled(Files{file}, {}, {.classes = classes}); });
  EXPECT_TRUE(contains(message, file + ":2: unknown label \"neutral\", expected one of: neg, pos"))
      << message;
}

TEST_F(Classification, CutsTheSideAskedFor) {
  const TokenIds ids{10, 11, 12, 13, 14};
  EXPECT_EQ(classifier_ids(ids, {.eos = 3}, {.max_length = 4, .truncation = Truncation::right}),
            (TokenIds{10, 11, 12, 3}));
  EXPECT_EQ(classifier_ids(ids, {.eos = 3}, {.max_length = 4, .truncation = Truncation::left}),
            (TokenIds{12, 13, 14, 3}));
  EXPECT_EQ(classifier_ids(ids, {.eos = 3}, {.max_length = 6, .truncation = Truncation::left}),
            (TokenIds{10, 11, 12, 13, 14, 3}));
  EXPECT_EQ(classifier_ids({}, {.eos = 3}, {}), TokenIds{3});
  EXPECT_THROW(classifier_ids(ids, {.eos = 3}, {.max_length = 1}), ConfigError);
}

TEST_F(Classification, PutsAMarkInFrontForModelsThatLookThere) {
  const TokenIds ids{10, 11, 12, 13, 14};
  const SpecialTokens special{.bos = 2, .eos = 3};
  EXPECT_EQ(classifier_ids(ids, special, {.max_length = 5}), (TokenIds{2, 10, 11, 12, 3}));
  EXPECT_EQ(classifier_ids(ids, special, {.max_length = 7, .truncation = Truncation::left}),
            (TokenIds{2, 10, 11, 12, 13, 14, 3}));
  EXPECT_EQ(classifier_ids({}, special, {}), (TokenIds{2, 3}));
  EXPECT_THROW(classifier_ids(ids, special, {.max_length = 2}), ConfigError);
}

TEST_F(Classification, CountsEmptyAndShortenedTexts) {
  const Tokenizer tokenizer = characters();
  const LabeledText text{{"0", "1"}, {"abc", "", "abcdefgh"}, {0, 1, 0}};
  LabeledReport report;
  const ClassificationBatch all =
      encode_labeled(text, tokenizer,
                     {.special = {.eos = tokenizer.eos_id()}, .length = {.max_length = 5}}, report);
  EXPECT_EQ(report.summary(), "3 texts; 1 empty; 1 truncated to the maximum length");
  EXPECT_EQ(all.labels, (TokenIds{0, 1, 0}));
  EXPECT_EQ(all.text.length(0), 5);  // meta, a, b, c, eos
  EXPECT_EQ(copy(all.text[1]), TokenIds{tokenizer.eos_id()});
  EXPECT_EQ(tokenizer.decode(all.text[2]), "abc");
}

TEST_F(Classification, PutsEndsBetweenTheTextsOfAPair) {
  const SpecialTokens special{.bos = 2, .eos = 3};
  const auto ids = [&](TokenIds first, TokenIds second, TextLengthOptions length, int separators) {
    return pair_ids(std::move(first), std::move(second), special, length, separators);
  };
  EXPECT_EQ(ids({10, 11}, {20}, {}, 1), (TokenIds{2, 10, 11, 3, 20, 3}));
  EXPECT_EQ(ids({10, 11}, {20}, {}, 2), (TokenIds{2, 10, 11, 3, 3, 20, 3}));
  EXPECT_EQ(pair_ids({10}, {20}, {.eos = 3}, {}, 1), (TokenIds{10, 3, 20, 3}));
  EXPECT_EQ(ids({}, {}, {}, 1), (TokenIds{2, 3, 3}));
  expect_error<ConfigError>([&] { ids({10}, {20}, {}, 0); }, {"reads no pairs"});
}

// Five tokens in a length of eight: both are cut to their half, or one to what the other leaves.
TEST_F(Classification, CutsTheLongerTextOfAPair) {
  const SpecialTokens special{.bos = 2, .eos = 3};
  const auto lengths = [&](int first, int second, Truncation side) {
    TokenIds a, b;
    for (int i = 0; i < first; ++i) a.push_back(10 + i);
    for (int i = 0; i < second; ++i) b.push_back(50 + i);
    return pair_ids(a, b, special, {.max_length = 8, .truncation = side}, 1);
  };
  constexpr auto kRight = Truncation::right, kLeft = Truncation::left;
  EXPECT_EQ(lengths(3, 2, kRight), (TokenIds{2, 10, 11, 12, 3, 50, 51, 3}));
  EXPECT_EQ(lengths(9, 1, kRight), (TokenIds{2, 10, 11, 12, 13, 3, 50, 3}));
  EXPECT_EQ(lengths(1, 9, kRight), (TokenIds{2, 10, 3, 50, 51, 52, 53, 3}));
  EXPECT_EQ(lengths(9, 9, kRight), (TokenIds{2, 10, 11, 3, 50, 51, 52, 3}));
  EXPECT_EQ(lengths(9, 5, kRight), (TokenIds{2, 10, 11, 12, 3, 50, 51, 3}))
      << "an odd token is for the longer one";
  EXPECT_EQ(lengths(4, 3, kLeft), (TokenIds{2, 11, 12, 13, 3, 51, 52, 3}));
  EXPECT_EQ(lengths(3, 4, kLeft), (TokenIds{2, 11, 12, 3, 51, 52, 53, 3}));
  EXPECT_EQ(lengths(3, 3, kLeft), (TokenIds{2, 11, 12, 3, 50, 51, 52, 3}));
  EXPECT_EQ(lengths(0, 9, kLeft), (TokenIds{2, 3, 54, 55, 56, 57, 58, 3}));
  EXPECT_THROW(pair_ids({1}, {1}, special, {.max_length = 4}, 1), ConfigError);
}

TEST_F(Classification, EncodesPairsAndKeepsTheirTargets) {
  const Tokenizer tokenizer = characters();
  LabeledText text{{"0", "1"}, {"abc\tb", "a\tabcdefgh"}, {}};
  text.targets = {0, 1, 1, 1};
  LabeledReport report;
  const ClassificationBatch all = encode_labeled(
      text, tokenizer,
      {.special = {.eos = tokenizer.eos_id()}, .length = {.max_length = 10}, .pairs = true},
      report);
  EXPECT_EQ(report.summary(), "2 texts; 1 truncated to the maximum length");
  const TokenIds first = tokenizer.encode("abc"), second = tokenizer.encode("b");
  TokenIds expected = first;
  expected.push_back(tokenizer.eos_id());
  expected.insert(expected.end(), second.begin(), second.end());
  expected.push_back(tokenizer.eos_id());
  EXPECT_EQ(copy(all.text[0]), expected);
  const ClassificationBatcher batcher(all, {1}, std::nullopt);
  ASSERT_EQ(batcher.batches(0), 2);
  EXPECT_EQ(batcher.batch(0, 0).targets, (std::vector<float>{0, 1}));
  EXPECT_EQ(batcher.batch(0, 1).targets, (std::vector<float>{1, 1}));
}

TEST_F(Classification, BatchesEveryTextOnceWithItsLabel) {
  RaggedBuilder texts;
  TokenIds labels;
  for (int i = 0; i < 200; ++i) {
    texts.add(TokenIds(i % 11 + 1, i));
    labels.push_back(i % 3);
  }
  const ClassificationBatch all{texts.build(), labels};
  const ClassificationBatcher batcher(all, {40}, 5);
  EXPECT_NE(batcher.batch(0, 0).text.ids, batcher.batch(1, 0).text.ids);
  for (const std::int64_t epoch : {0, 1}) {
    TokenIds seen;
    for (std::int64_t index = 0; index < batcher.batches(epoch); ++index) {
      const ClassificationBatch batch = batcher.batch(epoch, index);
      EXPECT_LE(batch.text.tokens(), 40);
      EXPECT_EQ(batcher.size(epoch, index).tokens, batch.text.tokens());
      EXPECT_EQ(batcher.size(epoch, index).texts, batch.text.sequences());
      for (std::int64_t i = 0; i < batch.text.sequences(); ++i) {
        const std::int32_t text = batch.text[i][0];
        EXPECT_EQ(copy(batch.text[i]), TokenIds(text % 11 + 1, text));
        EXPECT_EQ((*batch.labels)[i], text % 3);
        seen.push_back(text);
      }
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 200u);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST_F(Classification, ReadsRealReviews) {
  const std::string file = real_data("sst2/train.tsv");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no SST-2 at " << file;
  const LabeledText text = read_labeled(Files{file}, {});
  EXPECT_EQ(text.texts.size(), 6920u);
  EXPECT_EQ(text.classes, (Files{"0", "1"}));
  LabeledOptions imdb;
  imdb.text_column = "4";
  const std::string reviews = real_data("imdb/valid.tsv");
  if (!std::filesystem::exists(reviews)) GTEST_SKIP() << "no IMDB at " << reviews;
  EXPECT_EQ(read_labeled(Files{reviews}, imdb, {.classes = text.classes}).texts.size(), 5000u);
}

}  // namespace
}  // namespace attend
