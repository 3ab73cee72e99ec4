#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/gguf_export.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/translation/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class GgufOfDirectory : public FolderTest {
 protected:
  Checkpoint fixture_model(const char* name) const {
    return import_model(ModelDirectory(fixture("models") / name)).checkpoint;
  }
  // A T5 with the distance that llama.cpp has for all.
  Checkpoint t5_of_usual_distance(const char* name) const {
    Checkpoint model = fixture_model(name);
    std::string& config = model.metadata["attend.config"];
    const std::string mine = "\"relative_distance\":12", usual = "\"relative_distance\":128";
    const std::size_t place = config.find(mine);
    EXPECT_NE(place, config.npos);
    config.replace(place, mine.size(), usual);
    return model;
  }
  Checkpoint exported(const Checkpoint& model) {
    result_ = write_gguf_model(model, GgufWeights::f32, path("model.gguf"));
    return import_model(path("model.gguf")).checkpoint;
  }
  void expect_equal_tensors(const Checkpoint& model, const Checkpoint& again) {
    for (const NamedTensor& tensor : again.tensors) {
      if (tensor.name == "tokenizer" || tensor.name.starts_with("golden")) continue;
      EXPECT_EQ(model.tensor(tensor.name).to_vector(), tensor.tensor.to_vector()) << tensor.name;
    }
  }
  void expect_refused(const Checkpoint& model, std::initializer_list<std::string_view> fragments) {
    expect_error<ConfigError>([&] { write_gguf_model(model, GgufWeights::f32, path("x.gguf")); },
                              fragments);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }

  GgufExport result_;
};

TEST_F(GgufOfDirectory, IsImportedAgainAsTheSameEmbeddingModel) {
  const Checkpoint model = fixture_model("bert_sentences"), again = exported(model);
  EXPECT_EQ(result_.architecture, "bert");
  expect_equal_tensors(model, again);
  const EmbeddingModel ours = embedding_model(model), theirs = embedding_model(again);
  EXPECT_EQ(ours.network->config().pooling, theirs.network->config().pooling);
  for (const char* text : {"", " Two  men, walking.", "Éa\tb 中文 x\u0301", "[MASK] unaffordable"})
    EXPECT_EQ(ours.tokenizer.encode(text, SpecialText::as_tokens),
              theirs.tokenizer.encode(text, SpecialText::as_tokens))
        << text;
}

TEST_F(GgufOfDirectory, IsImportedAgainAsTheSameT5) {
  for (const char* name : {"t5", "flan_t5"}) {
    SCOPED_TRACE(name);
    const Checkpoint model = t5_of_usual_distance(name), again = exported(model);
    EXPECT_EQ(result_.architecture, "t5");
    expect_equal_tensors(model, again);
    const TranslationModel ours = translation_model(model), theirs = translation_model(again);
    EXPECT_EQ(ours.format.marks.before_target, theirs.format.marks.before_target);
    for (const char* text : {"", " Two  men, walking.", "Éa\tb 中文 x", "<extra_id_0> </s>"})
      EXPECT_EQ(ours.tgt_tokenizer.encode(text), theirs.tgt_tokenizer.encode(text)) << text;
  }
}

// llama.cpp ends with an abort when it adds rows in another type.
TEST_F(GgufOfDirectory, KeepsWhatIsAddedInThirtyTwoBits) {
  const Checkpoint model = fixture_model("bert_sentences");
  write_gguf_model(model, GgufWeights::f16, path("model.gguf"));
  const Checkpoint again = import_model(path("model.gguf")).checkpoint;
  const auto is_exact = [&](const char* name) {
    return model.tensor(name).to_vector() == again.tensor(name).to_vector();
  };
  EXPECT_TRUE(is_exact("token_types.weight"));
  EXPECT_TRUE(is_exact("positions.weight"));
  EXPECT_FALSE(is_exact("embedding.weight"));
}

TEST_F(GgufOfDirectory, SaysWhatTheFileLacks) {
  Checkpoint model = fixture_model("bert_sentences");
  EmbeddingModel changed = embedding_model(model);
  changed.prompts.texts["query"] = "query: ";
  Checkpoint with_prompts;
  changed.describe(with_prompts);
  for (const ParameterSet::Entry& entry : changed.parameters().entries())
    with_prompts.tensors.push_back({entry.name, model.tensor(entry.name)});
  exported(with_prompts);
  ASSERT_FALSE(result_.remarks.empty());
  EXPECT_NE(result_.remarks.front().find("prompts"), std::string::npos);
}

TEST_F(GgufOfDirectory, RefusesWhatLlamaCppCannotSay) {
  expect_refused(fixture_model("t5"), {"relative-distance is 12 instead of 128"});
  expect_refused(fixture_model("xlm_roberta_sentences"), {"positions that leave out a token"});
  expect_refused(fixture_model("bert_dense"), {"no such pooling; it has mean, first and last"});
  expect_refused(fixture_model("gte_sentences"), {"llama.cpp has no tensor for"});
  expect_refused(fixture_model("bert_classifier"), {"expected a language model"});
}

}  // namespace
}  // namespace attend
