// The model directories of tests/interchange/data/models that transformers has written: one list
// for the tests that every family has to pass.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/tasks/translation/model.h"
#include "interchange/fixture_files.h"

namespace attend {

struct FamilyFixture {
  std::string name;
  LanguagePair languages = {};   // those of its records, of a model of several
  bool has_older_names = false;  // of weights, or is of pretraining; an export is not

  std::filesystem::path folder() const { return fixture("models") / name; }
  // The name of the family: "bert".
  std::string model_type() const {
    return parse_json(fixture_bytes("models/" + name + "/config.json"), name).at("model_type");
  }
  bool has(const char* file) const { return std::filesystem::exists(folder() / file); }
};

inline void PrintTo(const FamilyFixture& fixture, std::ostream* out) { *out << fixture.name; }

inline std::vector<FamilyFixture> family_fixtures() {
  return {
      {"marian"},
      {"marian_separate"},
      {"m2m_100", {"en", "de"}},
      {"nllb", {"eng_Latn", "fra_Latn"}},
      {"nllb_legacy", {"eng_Latn", "deu_Latn"}},
      {"mbart", {"en_XX", "ro_RO"}},
      {"mbart50", {"en_XX", "fr_XX"}},
      {"mbart50_v4", {"en_XX", "fr_XX"}},
      {"bart"},
      {"bart_widths"},
      {"pegasus"},
      {"pegasus_v4"},
      {"gpt2"},
      {"llama"},
      {"mistral"},
      {"qwen2"},
      {"qwen3"},
      {"mixtral"},
      {"qwen2_moe"},
      {"qwen3_moe"},
      {"mistral_window"},
      {"qwen2_window"},
      {"smollm3"},
      {"qwen3_sentences"},
      {"mistral_sentences"},
      {"embedding_gemma_sentences"},
      {"phi3"},
      {"phi4_mini"},
      {"olmo2"},
      {"gpt_neox"},
      {"stablelm"},
      {"granite"},
      {"phi"},
      {"falcon"},
      {"falcon_new"},
      {"gptj"},
      {"cohere"},
      {"mpt"},
      {"gemma"},
      {"gemma2"},
      {"gemma3"},
      {"t5"},
      {"flan_t5"},
      {"mt5"},
      {"umt5"},
      {"longt5"},
      {"t5gemma"},
      {"opt"},
      {"opt_post_norm"},
      {"opt_narrow"},
      {"bloom"},
      {"bert_sentences"},
      {"bert_dense"},
      {"bert_older", {}, true},
      {"bert_classifier"},
      {"bert_regression"},
      {"bert_tagger"},
      {"distilbert_classifier"},
      {"distilbert_tagger"},
      {"roberta_classifier"},
      {"roberta_multi_label"},
      {"roberta_tagger"},
      {"xlm_roberta_sentences"},
      {"xlm_roberta_classifier"},
      {"xlm_roberta_tagger"},
      {"mpnet_sentences"},
      {"mpnet_classifier"},
      {"mpnet_tagger"},
      {"electra_encoder", {}, true},
      {"electra_classifier"},
      {"electra_tagger"},
      {"camembert_sentences"},
      {"camembert_classifier"},
      {"camembert_tagger"},
      {"albert_sentences"},
      {"albert_classifier"},
      {"albert_tagger"},
      {"nomic_bert_sentences"},
      {"nomic_bert_classifier"},
      {"nomic_bert_tagger"},
      {"gte_sentences"},
      {"gte_classifier"},
      {"gte_tagger"},
      {"gte_authors", {}, true},
      {"jina_bert", {}, true},
      {"modernbert_sentences"},
      {"modernbert_classifier"},
      {"modernbert_tagger"},
      {"deberta_sentences"},
      {"deberta_classifier"},
      {"deberta_tagger"},
  };
}

template <class Predicate>
std::vector<FamilyFixture> fixtures_that(const Predicate& holds) {
  std::vector<FamilyFixture> chosen;
  for (const FamilyFixture& fixture : family_fixtures())
    if (holds(fixture)) chosen.push_back(fixture);
  return chosen;
}

inline std::string name_of_fixture(const testing::TestParamInfo<FamilyFixture>& suite) {
  return suite.param.name;
}

}  // namespace attend
