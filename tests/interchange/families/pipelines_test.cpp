// Imported taggers against what the pipelines of transformers answer
// (tools/golden_of_pipelines.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/core/strings/character_index.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/tagging/engine.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

class TaggingPipeline : public testing::TestWithParam<const char*> {
 protected:
  TaggingPipeline()
      : directory_(fixture("models") / GetParam()),
        tagger_(tagging_model(import_model(ModelDirectory(directory_)).checkpoint)) {}

  nlohmann::json cases() const {
    std::ifstream file(directory_ / "pipeline.json");
    return nlohmann::json::parse(file);
  }
  Tagging tagged(const std::string& text, const TaggingOptions& options = {}) const {
    return tagger_.tag(std::vector<std::string>{text}, options).front();
  }

  std::filesystem::path directory_;
  TaggingEngine tagger_;
};

INSTANTIATE_TEST_SUITE_P(Of, TaggingPipeline,
                         testing::Values("bert_tagger", "distilbert_tagger", "roberta_tagger",
                                         "xlm_roberta_tagger", "mpnet_tagger", "electra_tagger",
                                         "camembert_tagger", "albert_tagger", "nomic_bert_tagger",
                                         "deberta_tagger"),
                         [](const auto& test) { return std::string(test.param); });

TaggingOptions options_of(const nlohmann::json& one) {
  TaggingOptions options;
  const auto names = enum_names(TagAggregation{});
  const auto found = std::find(names.begin(), names.end(), one["strategy"].get<std::string>());
  options.aggregation_strategy = static_cast<TagAggregation>(found - names.begin());
  options.ignore_labels = {};
  options.stride = one["stride"].get<int>();
  return options;
}

TEST_P(TaggingPipeline, HasTheWordsAndEntitiesOfTransformers) {
  const nlohmann::json all = cases();
  ASSERT_GE(all.size(), 40u);
  for (const nlohmann::json& one : all) {
    const auto text = one["text"].get<std::string>();
    SCOPED_TRACE(one["strategy"].dump() + " " + one["stride"].dump() + " " + text);
    const Tagging found = tagged(text, options_of(one));
    ASSERT_EQ(found.groups.size(), one["groups"].size());
    CharacterIndex characters(text);
    for (std::size_t i = 0; i < found.groups.size(); ++i) {
      const TagGroup& group = found.groups[i];
      const nlohmann::json& wanted = one["groups"][i];
      EXPECT_EQ(group.label, wanted[0].get<std::string>());
      EXPECT_EQ(group.text, wanted[1].get<std::string>());
      EXPECT_EQ(characters.of(group.span.begin), wanted[2]) << group.text;
      EXPECT_EQ(characters.of(group.span.end), wanted[3]) << group.text;
      EXPECT_NEAR(group.score, wanted[4].get<double>(), 2e-5);
    }
  }
}

TEST_P(TaggingPipeline, GroupsTokensOfOneTypeByDefault) {
  const std::string text = "A man is walking.";
  TaggingOptions simple;
  simple.aggregation_strategy = TagAggregation::simple;
  const Tagging found = tagged(text), wanted = tagged(text, simple);
  EXPECT_EQ(found.words, wanted.words);
  ASSERT_EQ(found.groups.size(), wanted.groups.size());
  EXPECT_EQ(found.entities(tagger_.labels()).size(), found.groups.size()) << "O is left out";
  EXPECT_EQ(found.text, text);
}

TEST_P(TaggingPipeline, TagsWordsBetweenSpacesOnRequest) {
  TaggingOptions words;
  words.aggregation_strategy = TagAggregation::words;
  EXPECT_EQ(tagged("A man, walking.", words).words,
            (std::vector<std::string>{"A", "man,", "walking."}));
  words.stride = 2;
  EXPECT_THROW(tagged("A man", words), ConfigError);
}

TEST_P(TaggingPipeline, RefusesAStrideWithoutRoomOrAim) {
  TaggingOptions options;
  options.stride = 1000;
  EXPECT_THROW(tagged("A man", options), ConfigError);
  options.stride = 2;
  options.aggregation_strategy = TagAggregation::none;
  EXPECT_THROW(tagged("A man", options), ConfigError);
}

}  // namespace
}  // namespace attend
