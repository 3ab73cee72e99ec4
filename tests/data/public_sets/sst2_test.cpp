#include <gtest/gtest.h>

#include "data/public_sets/set_files.h"

namespace attend {
namespace {

const std::string kTrees =
    "(3 (2 (2 The) (2 Rock)) (4 (3 (2 -LRB-) (4 shines)) (2 (2 -RRB-) (2 .))))\n"
    "(2 (2 So) (2 so))\n(1 Dull)\n(0 (1 No) (0 (2 8) (2 1\\/2)))\n(4 (4 Good) (2 ;-)))\n";
const std::string kRows = "1\tThe Rock ( shines ) .\n0\tDull\n0\tNo 8 1\\/2\n1\tGood\n";

class Sst2 : public PublicSetTest {};

TEST_F(Sst2, ReadsTrees) {
  const std::string zip = write(
      "trees.zip", written_zip({{"trees/train.txt",
                                 kTrees.substr(0, kTrees.rfind("(4 (4 Good)")) + "(4 (4 Good))\n"},
                                {"__MACOSX/trees/._train.txt", "\x05"},
                                {"trees/dev.txt", "(3 (2 A) (4 gem))\n"},
                                {"trees/test.txt", "(0 (2 A) (0 dud))\n"}}));
  EXPECT_EQ(names(prepare("sst2", {zip})),
            (std::vector<std::string>{"dev.tsv", "test.tsv", "train.tsv"}));
  EXPECT_EQ(made("train.tsv"), kRows);
  EXPECT_EQ(made("dev.tsv"), "1\tA gem\n");
  EXPECT_EQ(made("test.tsv"), "0\tA dud\n");
}

TEST_F(Sst2, ReadsTheTablesOfGlue) {
  const std::string zip = write(
      "SST-2.zip", written_zip({{"SST-2/train.tsv", "sentence\tlabel\nhide new secretions \t0\n"},
                                {"SST-2/dev.tsv", "sentence\tlabel\na gem\t1\n"},
                                {"SST-2/test.tsv", "index\tsentence\n0\ta gem\n"}}));
  EXPECT_EQ(names(prepare("sst2", {zip})), (std::vector<std::string>{"dev.tsv", "train.tsv"}));
  EXPECT_EQ(made("train.tsv"), "0\thide new secretions\n");
  EXPECT_EQ(made("dev.tsv"), "1\ta gem\n");
}

TEST_F(Sst2, RefusesOtherTexts) {
  const auto prepare_files = [&](const std::vector<WrittenEntry>& entries) {
    prepare("sst2", {write("a.zip", written_zip(entries))});
  };
  const WrittenEntry dev{"dev.txt", "(3 (2 A) (4 gem))\n"};
  expect_error<DataError>(
      [&] {
        prepare_files({{"train.txt", "(5 x)\n"}, dev});
      },
      {"train.txt:1", "a tree"});
  expect_error<DataError>([&] { prepare_files({dev}); }, {"lack trees/train.txt"});
  expect_error<DataError>(
      [&] {
        prepare_files({{"train.tsv", "a\tb\n"}, dev});
      },
      {"train.tsv:1", "heading"});
  expect_error<DataError>(
      [&] {
        prepare_files({{"train.tsv", "sentence\tlabel\nx\t2\n"}, dev});
      },
      {"train.tsv:2", "0 or 1"});
  expect_error<DataError>(
      [&] {
        prepare_files({{"a/dev.txt", "(3 x)\n"}, dev});
      },
      {"dev", "a second"});
}

}  // namespace
}  // namespace attend
