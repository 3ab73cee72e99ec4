// Expected values are those of seqeval 1.2.2, for random tags.
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

std::vector<std::string> tags_in(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

struct EntityGolden {
  std::vector<std::string> gold, predicted;
  std::vector<double> micro, macro;  // precision, recall, F1
  double accuracy;
};

const std::vector<EntityGolden> kEntityGoldens{
    {{"I-B I-B", "I-A I-B", "I-B O I-B O", "B-B I-A I-B B-A B-A B-B I-B",
      "I-B B-B B-B B-A B-A B-A I-B", "O O B-A I-B"},
     {"I-B I-A", "I-A B-B", "B-B O B-B B-A", "O I-A I-B B-A I-A B-B I-B",
      "I-B B-B B-B O I-B B-A I-A", "I-B O B-A I-B"},
     {0.631578947368421, 0.6, 0.6153846153846154},
     {0.5892857142857143, 0.5625, 0.575},
     0.5769230769230769},
    {{"I-A O O", "I-B S-B E-A O", "I-B O E-A", "O I-A", "I-B E-A I-B O", "S-A"},
     {"O O O", "I-B I-A E-A I-A", "I-B O E-A", "E-A I-A", "I-B I-B I-B O", "S-A"},
     {0.5555555555555556, 0.45454545454545453, 0.5},
     {0.5833333333333333, 0.45, 0.5},
     0.7058823529411765},
    {{"B B B B O I-B B", "I-A I-B B I-B I-B I-B", "B", "I-B O B I-A O", "I-B B I-B I-B I-B B", "O"},
     {"O I-B I-B B O I-B B", "I-A I-B B I-B O I-A", "B", "I-B I-A B O O", "I-B B B I-A I-B I-A",
      "B"},
     {0.55, 0.6111111111111112, 0.5789473684210527},
     {0.5071428571428571, 0.5888888888888889, 0.5225885225885225},
     0.5769230769230769},
};

TEST(Entities, HaveTheScoresOfSeqeval) {
  for (const EntityGolden& golden : kEntityGoldens) {
    EntityCounts counts;
    for (std::size_t i = 0; i < golden.gold.size(); ++i)
      counts.add(tags_in(golden.gold[i]), tags_in(golden.predicted[i]));
    const ClassScores micro = counts.micro(), macro = counts.macro();
    EXPECT_NEAR(micro.precision, golden.micro[0], 1e-12);
    EXPECT_NEAR(micro.recall, golden.micro[1], 1e-12);
    EXPECT_NEAR(micro.f1, golden.micro[2], 1e-12);
    EXPECT_NEAR(macro.precision, golden.macro[0], 1e-12);
    EXPECT_NEAR(macro.recall, golden.macro[1], 1e-12);
    EXPECT_NEAR(macro.f1, golden.macro[2], 1e-12);
    EXPECT_NEAR(counts.token_accuracy(), golden.accuracy, 1e-12);
  }
}

TEST(Entities, BeginAndEndAtTheirMarksAndTypes) {
  const auto found = [](const std::string& tags) { return entities_of(tags_in(tags)); };
  using Entities = std::vector<Entity>;
  EXPECT_EQ(found("O B-A I-A O"), (Entities{{"A", 1, 3}}));
  EXPECT_EQ(found("B-A B-A"), (Entities{{"A", 0, 1}, {"A", 1, 2}}));
  EXPECT_EQ(found("I-A I-B"), (Entities{{"A", 0, 1}, {"B", 1, 2}})) << "another type";
  EXPECT_EQ(found("O I-A"), (Entities{{"A", 1, 2}})) << "an entity at the end";
  EXPECT_EQ(found("S-A I-A E-A"), (Entities{{"A", 0, 1}, {"A", 1, 3}}));
  EXPECT_EQ(found("B-part-of I-part-of"), (Entities{{"part-of", 0, 2}}));
  EXPECT_EQ(found("B I"), (Entities{{"_", 0, 2}})) << "without a type";
  EXPECT_TRUE(found("").empty());
  EXPECT_TRUE(found("O O").empty());
}

TEST(Entities, AreRightWithTheirTypeAndBothEndsOnly) {
  EntityCounts counts;
  counts.add(tags_in("B-A I-A O B-B"), tags_in("B-A O O B-A"));
  EXPECT_EQ(counts.micro().f1, 0);
  EXPECT_EQ(counts.token_accuracy(), 0.5);
  counts.add(tags_in("B-A I-A"), tags_in("B-A I-A"));
  EXPECT_DOUBLE_EQ(counts.micro().recall, 1.0 / 3);
  EXPECT_DOUBLE_EQ(counts.micro().precision, 1.0 / 3);
  ASSERT_EQ(counts.types().size(), 2u);
  EXPECT_EQ(counts.types()[1].name, "B");
  EXPECT_EQ(counts.types()[1].scores.support, 1);
}

TEST(Entities, ArePrintedByType) {
  EntityCounts counts;
  counts.add(tags_in("B-A O"), tags_in("B-A O"));
  const std::string table = counts.table();
  EXPECT_NE(table.find("entity  precision  recall      F1   support"), table.npos) << table;
  EXPECT_NE(table.find("right tags: 1.0000 of 2 tokens"), table.npos) << table;
  EXPECT_EQ(EntityCounts().micro().f1, 0);
  EXPECT_EQ(EntityCounts().token_accuracy(), 0);
}

TEST(Entities, NeedAsManyTagsOnBothSides) {
  EntityCounts counts;
  EXPECT_THROW(counts.add(tags_in("O O"), tags_in("O")), ConfigError);
}

}  // namespace
}  // namespace attend
