#include "attend/interchange/writing/gguf_export.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/language/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class GgufExported : public FolderTest {
 protected:
  Checkpoint fixture_model(const char* name) const {
    return import_model(ModelDirectory(fixture("models") / name)).checkpoint;
  }
  Checkpoint exported(const Checkpoint& model, GgufWeights weights = GgufWeights::f32) {
    result_ = write_gguf_model(model, weights, path("model.gguf"));
    return import_model(path("model.gguf")).checkpoint;
  }
  void expect_refused(const Checkpoint& model, std::initializer_list<std::string_view> fragments) {
    expect_error<ConfigError>([&] { write_gguf_model(model, GgufWeights::f32, path("x.gguf")); },
                              fragments);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }

  GgufExport result_;
};

TEST_F(GgufExported, IsImportedAgainAsTheSameModel) {
  for (const char* name : {"llama", "mistral", "qwen2", "gpt2", "bloom"}) {
    SCOPED_TRACE(name);
    const Checkpoint model = fixture_model(name), again = exported(model);
    const LanguageModel ours = language_model(model), theirs = language_model(again);
    EXPECT_EQ(ours.text.prefix, theirs.text.prefix);
    EXPECT_EQ(ours.context.sequence_length, theirs.context.sequence_length);
    for (const ParameterSet::Entry& entry : ours.parameters().entries())
      EXPECT_EQ(model.tensor(entry.name).to_vector(), again.tensor(entry.name).to_vector())
          << entry.name;
  }
}

TEST_F(GgufExported, HasALlamaThatCameFromSuchAFile) {
  write(path("first.gguf"), written_gguf(written_llama()));
  const Checkpoint model = import_model(path("first.gguf")).checkpoint;
  const Checkpoint again = exported(model);
  EXPECT_EQ(result_.architecture, "llama");
  EXPECT_TRUE(result_.remarks.empty());
  for (const auto& [key, value] : model.metadata) EXPECT_EQ(again.text(key), value) << key;
  EXPECT_EQ(language_model(again).tokenizer.bytes(), language_model(model).tokenizer.bytes());
}

TEST_F(GgufExported, SaysWhatLlamaCppDoesOtherwise) {
  exported(fixture_model("qwen2"));
  ASSERT_FALSE(result_.remarks.empty());
  EXPECT_NE(result_.remarks.front().find("NFC"), std::string::npos);
}

TEST_F(GgufExported, MayHaveSmallerWeights) {
  const Checkpoint model = fixture_model("gpt2");
  const std::string name = "decoder.layers.0.feed_forward.linear2.weight";
  for (const GgufWeights weights : {GgufWeights::f16, GgufWeights::q8_0}) {
    const std::vector<float> x = model.tensor(name).to_vector(),
                             y = exported(model, weights).tensor(name).to_vector();
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 0.02f);
  }
}

TEST_F(GgufExported, RefusesWhatLlamaCppCannotSay) {
  expect_refused(fixture_model("qwen3"), {"rotary-low-factor is 0.25 instead of 1"});
  expect_refused(fixture_model("marian"),
                 {"expected a language model, an embedding model or a T5"});
  expect_refused(fixture_model("opt"), {"llama.cpp has no"});
}

}  // namespace
}  // namespace attend
