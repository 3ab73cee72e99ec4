#include "attend/tasks/translation/breakdown/breakdown_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace attend {
namespace {

TEST(BreakdownJson, CountsLinesFromOne) {
  TranslationBreakdown breakdown;
  breakdown.metrics = {"BLEU"};
  breakdown.source_lengths = {{"0-10", 12, {41.5}}};
  breakdown.copied = {{"numbers", {4, 2, 1}}};
  breakdown.flags = {{"copy", {2, 5}}, {"length", {}}};
  EXPECT_EQ(to_json(breakdown), nlohmann::ordered_json::parse(R"({
      "source_lengths": [{"words": "0-10", "lines": 12, "BLEU": 41.5}],
      "copied": [{"words": "numbers", "reference": 4, "translation": 2, "both": 1}],
      "negation": null,
      "flags": {"copy": [3, 6], "length": []}})"));
  breakdown.negation_known = true;
  breakdown.negated = 5;
  breakdown.not_negated = 10;
  breakdown.lost_negation.lines = {0};
  breakdown.added_negation.lines = {8, 9};
  EXPECT_EQ(to_json(breakdown)["negation"],
            nlohmann::ordered_json::parse(
                R"({"negated": 5, "lost": [1], "not_negated": 10, "added": [9, 10]})"));
  breakdown.rarest_words = {{"0", 3, {7}}};
  breakdown.word_frequencies = {{"1-9", {3, 2, 1}}};
  EXPECT_EQ(to_json(breakdown)["rarest_words"],
            nlohmann::ordered_json::parse(R"([{"times": "0", "lines": 3, "BLEU": 7.0}])"));
  EXPECT_EQ(to_json(breakdown)["word_frequencies"],
            nlohmann::ordered_json::parse(
                R"([{"times": "1-9", "reference": 3, "translation": 2, "both": 1}])"));
}

}  // namespace
}  // namespace attend
