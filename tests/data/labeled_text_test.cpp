#include "attend/data/labeled_text.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

using Files = std::vector<std::string>;
using Numbers = std::vector<float>;

class LabeledTexts : public WithFiles {
 protected:
  static LabeledText several(const std::string& file, const LabeledOptions& options = {}) {
    return read_labeled(Files{file}, options, {.problem = ProblemType::multi_label});
  }
  static LabeledText numbers(const std::string& file, const LabeledOptions& options = {}) {
    return read_labeled(Files{file}, options, {.problem = ProblemType::regression});
  }
};

TEST_F(LabeledTexts, MayHaveSeveralLabelsOrNone) {
  const LabeledText text = several(write("a", "red,\tone\nblue, red\ttwo\n\tthree\n"));
  EXPECT_EQ(text.classes, (Files{"blue", "red"}));
  EXPECT_EQ(text.texts, (Files{"one", "two", "three"}));
  EXPECT_EQ(text.targets, (Numbers{0, 1, 1, 1, 0, 0}));
  EXPECT_TRUE(text.labels.empty());
}

TEST_F(LabeledTexts, HaveTheSeparatorAskedForBetweenTheirLabels) {
  const LabeledText text = several(write("a", "a,b;;c\tone\n"), {.label_separator = ";;"});
  EXPECT_EQ(text.classes, (Files{"a,b", "c"}));
  const std::string file = write("b", "a\tone\n");
  EXPECT_THROW(several(file, {.label_separator = ""}), ConfigError);
}

TEST_F(LabeledTexts, TakeListsOfJsonLines) {
  const LabeledText text = several(write(
      "a.jsonl", "{\"label\": [\"b\", 1], \"text\": \"x\"}\n{\"label\": [], \"text\": \"y\"}\n"));
  EXPECT_EQ(text.classes, (Files{"1", "b"}));
  EXPECT_EQ(text.targets, (Numbers{1, 1, 0, 0}));
  const std::string joined = write("b.jsonl", "{\"label\": [\"a,b\"], \"text\": \"x\"}\n");
  const std::string message = message_of<DataError>([&] { several(joined); });
  EXPECT_TRUE(contains(message, joined + ":1: label: 'a,b' contains the separator of the list"))
      << message;
  const std::string nested = write("c.jsonl", "{\"label\": [[]], \"text\": \"x\"}\n");
  EXPECT_TRUE(contains(message_of<DataError>([&] { several(nested); }), "found a list"));
}

TEST_F(LabeledTexts, HaveNoSpacesAroundTheirLabels) {
  const LabeledText text =
      read_labeled(Files{write("a.csv", " neg,one\nneg,two\n\"pos\u00A0\",three\n")}, {});
  EXPECT_EQ(text.classes, (Files{"neg", "pos"}));
  EXPECT_EQ(text.labels, (std::vector<std::int32_t>{0, 0, 1}));
}

TEST_F(LabeledTexts, KeepTheSpacesOfLabelsThatAreKnown) {
  const Files known{" neg", "pos"};
  const LabeledText text = read_labeled(Files{write("a.csv", " neg,one\n pos ,two\n")}, {},
                                        {ProblemType::single_label, known});
  EXPECT_EQ(text.labels, (std::vector<std::int32_t>{0, 1}));
}

TEST_F(LabeledTexts, RefuseALabelWithATab) {
  const std::string csv = write("a.csv", "pos,one\n\"ne\tg\",two\n");
  EXPECT_TRUE(contains(message_of<DataError>([&] { read_labeled(Files{csv}, {}); }),
                       csv + ":2: expected a label without a tab"));
  const std::string json = write("b.jsonl", "{\"label\": [\"a\", \"ne\\tg\"], \"text\": \"x\"}\n");
  EXPECT_TRUE(
      contains(message_of<DataError>([&] { several(json); }), json + ":1: expected a label"));
}

TEST_F(LabeledTexts, HaveOneLineForALabelOfSeveral) {
  const std::string file = write("a.csv", "\"two\nlines\",one\npos,two\n");
  EXPECT_EQ(read_labeled(Files{file}, {}).classes, (Files{"pos", "two lines"}));
}

TEST_F(LabeledTexts, WithoutAnyLabelAreRefused) {
  const std::string file = write("a", ",\tone\n\ttwo\n");
  const std::string message = message_of<DataError>([&] { several(file); });
  EXPECT_TRUE(contains(message, file + ": expected labels, found none in 2 texts")) << message;
}

TEST_F(LabeledTexts, KeepTheLabelsThatAreKnown) {
  const Files known{"red", "blue"};
  const ExpectedLabels expected{ProblemType::multi_label, known};
  const LabeledText text = read_labeled(Files{write("a", "blue\tone\n")}, {}, expected);
  EXPECT_EQ(text.targets, (Numbers{0, 1}));
  const std::string file = write("b", "blue\tone\nred,green\ttwo\n");
  const std::string message =
      message_of<DataError>([&] { read_labeled(Files{file}, {}, expected); });
  EXPECT_TRUE(contains(message, file + ":2: unknown label \"green\", expected one of: red, blue"))
      << message;
}

TEST_F(LabeledTexts, MayHaveNumbers) {
  const LabeledText text = numbers(write("a", "1.5\tone\n -2e-1 \ttwo\n3\tthree\n"));
  EXPECT_EQ(text.classes, Files{"score"});
  EXPECT_EQ(text.targets, (Numbers{1.5f, -0.2f, 3}));
  const LabeledText json = numbers(write("b.jsonl", "{\"label\": 0.25, \"text\": \"x\"}\n"));
  EXPECT_EQ(json.targets, Numbers{0.25f});
}

TEST_F(LabeledTexts, NameTheLineWithoutANumber) {
  for (const char* label : {"good", "1,5", "nan", "inf", "1e99", "0x1", "1 2"}) {
    const std::string file = write("a", std::string("1\tone\n") + label + "\ttwo\n");
    const std::string message = message_of<DataError>([&] { numbers(file); });
    EXPECT_TRUE(contains(message, file + ":2: expected a number, found '" + label)) << message;
    EXPECT_TRUE(contains(message, "problem_type")) << message;
  }
}

TEST_F(LabeledTexts, MayBePairs) {
  const LabeledText text = numbers(write("a.csv", "1,\"a\tb\",c\n2,d,e\n"), {.second_column = "3"});
  EXPECT_EQ(text.texts, (Files{"a b\tc", "d\te"}));
  EXPECT_EQ(separate_texts(text.texts), (Files{"a b", "d", "c", "e"}));
  const LabeledText named =
      numbers(write("b", "label\ttext\tclaim\n1\tx\ty\n"),
              {.label_column = "label", .text_column = "claim", .second_column = "text"});
  EXPECT_EQ(named.texts, Files{"y\tx"});
}

TEST_F(LabeledTexts, NeedBothTextsOfAPair) {
  const std::string file = write("a", "1\tone\ttwo\n1\tone\t \n");
  const std::string message = message_of<DataError>([&] { numbers(file, {.second_column = "3"}); });
  EXPECT_TRUE(contains(message, file + ":2: the second text is empty")) << message;
  const std::string short_line = write("b", "1\tone\n");
  EXPECT_TRUE(contains(message_of<DataError>([&] { numbers(short_line, {.second_column = "3"}); }),
                       "expected at least 3 columns"));
  EXPECT_THROW(numbers(file, {.second_column = "2"}), ConfigError) << "that of the first text";
}

}  // namespace
}  // namespace attend
