// Models whose files hold other tables of embeddings than their settings say. What transformers
// computes with them: tests/interchange/variants_test.py.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/models/transformer.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

using EmbeddingsOfAFile = DamagedDirectory;

TiedEmbeddings ties_of(const ImportedModel& imported) {
  const TranslationModel model = translation_model(imported.checkpoint);
  return std::get<TransformerConfig>(model.network->architecture()).tie_embeddings;
}

std::vector<float> values(const ImportedModel& imported, const char* name) {
  return imported.checkpoint.tensor(name).to_vector();
}

std::vector<float> negated_from_one(std::vector<float> table) {
  for (float& value : table) value = 1 - value;
  return table;
}

TEST_F(EmbeddingsOfAFile, AreAnOutputOfItsOwnIfTheFileHasOne) {
  for (const char* family : {"bart", "pegasus", "marian", "m2m_100", "mbart50"}) {
    copy(family);
    const std::vector<float> table = values(imported(), "embedding.weight");
    add_weight("lm_head.weight", "model.shared.weight");
    const ImportedModel model = imported();
    EXPECT_EQ(ties_of(model), TiedEmbeddings::inputs) << family;
    EXPECT_EQ(values(model, "embedding.weight"), table) << family;
    EXPECT_EQ(values(model, "output_proj.weight"), negated_from_one(table)) << family;
  }
}

TEST_F(EmbeddingsOfAFile, AreAnOutputOfItsOwnOfLanguageModels) {
  for (const auto& [family, embedding] : {std::pair{"gpt2", "transformer.wte.weight"},
                                          std::pair{"opt", "model.decoder.embed_tokens.weight"},
                                          std::pair{"bloom", "transformer.word_embeddings.weight"},
                                          std::pair{"qwen2", "model.embed_tokens.weight"}}) {
    SCOPED_TRACE(family);
    copy(family);
    const ImportedModel tied = imported();
    EXPECT_EQ(tied.checkpoint.find("output_proj.weight"), nullptr);
    const std::vector<float> table = values(tied, "embedding.weight");
    add_weight("lm_head.weight", embedding);
    const ImportedModel model = imported();
    EXPECT_EQ(values(model, "embedding.weight"), table);
    EXPECT_EQ(values(model, "output_proj.weight"), negated_from_one(table));
  }
}

TEST_F(EmbeddingsOfAFile, AreOneTableIfTheFileRepeatsIt) {
  copy("t5");
  const std::vector<float> table = values(imported(), "embedding.weight");
  rename_weights([](const std::string& name) {
    return name == "shared.weight" ? "decoder.embed_tokens.weight" : name;
  });
  const ImportedModel model = imported();
  EXPECT_EQ(ties_of(model), TiedEmbeddings::all);
  EXPECT_EQ(values(model, "embedding.weight"), table);
}

TEST_F(EmbeddingsOfAFile, AreATableOfTheDecoderOrOfTheEncoder) {
  copy("t5");
  const std::vector<float> table = values(imported(), "embedding.weight");
  add_weight("decoder.embed_tokens.weight", "shared.weight");
  ImportedModel model = imported();
  EXPECT_EQ(ties_of(model), TiedEmbeddings::none);  // the output is tied to the shared table
  EXPECT_EQ(values(model, "src_embedding.weight"), table);
  EXPECT_EQ(values(model, "tgt_embedding.weight"), negated_from_one(table));
  EXPECT_EQ(values(model, "output_proj.weight"), table);

  copy("bart");
  const std::vector<float> of_bart = values(imported(), "embedding.weight");
  add_weight("model.encoder.embed_tokens.weight", "model.shared.weight");
  model = imported();
  EXPECT_EQ(ties_of(model), TiedEmbeddings::target);
  EXPECT_EQ(values(model, "src_embedding.weight"), negated_from_one(of_bart));
  EXPECT_EQ(values(model, "tgt_embedding.weight"), of_bart);
}

TEST_F(EmbeddingsOfAFile, AreRefusedWithoutTheOutputThatTheSettingsPromise) {
  copy("bart");
  replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  expect_refused({"lm_head.weight"});
}

}  // namespace
}  // namespace attend
