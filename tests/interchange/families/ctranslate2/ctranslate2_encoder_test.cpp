#include "attend/interchange/families/ctranslate2/ctranslate2_encoder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/formats/ctranslate2_writing.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// The fixture "bert_sentences" as a directory of CTranslate2, as its converter writes it.
class Ctranslate2Encoder : public testing::Test {
 protected:
  Ctranslate2Encoder() {
    add("encoder/embeddings_0/weight", "embeddings.word_embeddings.weight");
    add("encoder/embeddings_1/weight", "embeddings.token_type_embeddings.weight");
    add("encoder/position_encodings/encodings", "embeddings.position_embeddings.weight");
    norm("encoder/layernorm_embedding", "embeddings.LayerNorm");
    linear("pooler_dense", "pooler.dense");
    for (int i = 0; i < 2; ++i) {
      const std::string ours = "encoder/layer_" + std::to_string(i),
                        theirs = "encoder.layer." + std::to_string(i);
      for (const char* part : {"weight", "bias"}) join_heads(ours, theirs, part);
      linear(ours + "/self_attention/linear_1", theirs + ".attention.output.dense");
      linear(ours + "/ffn/linear_0", theirs + ".intermediate.dense");
      linear(ours + "/ffn/linear_1", theirs + ".output.dense");
      norm(ours + "/self_attention/layer_norm", theirs + ".attention.output.LayerNorm");
      norm(ours + "/ffn/layer_norm", theirs + ".output.LayerNorm");
    }
    content_.settings = {{"encoder/num_heads", ElementType::i16, 2},
                         {"encoder/activation", ElementType::i8, 3},
                         {"encoder/pre_norm", ElementType::i8, 0},
                         {"encoder/scale_embeddings", ElementType::i8, 0},
                         {"encoder/embeddings_merge", ElementType::i8, 1},
                         {"encoder/multi_query_attention", ElementType::i8, 0},
                         {"pooler_activation", ElementType::i8, 5}};
    const std::unique_ptr<SavedModel> model = load_model(original());
    const Tokenizer& tokenizer = dynamic_cast<const EmbeddingModel&>(*model).tokenizer;
    for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
      pieces_.push_back(tokenizer.piece(id));
    for (std::size_t i = pieces_.size(); i < 140; ++i)
      pieces_.push_back("<extra_id_" + std::to_string(i) + ">");
  }
  ~Ctranslate2Encoder() override { std::filesystem::remove_all(folder_); }

  static Checkpoint original() {
    return import_model(ModelDirectory(fixture("models") / "bert_sentences")).checkpoint;
  }

  void add(const std::string& name, const std::string& theirs) {
    content_.weights.push_back({name, original_.tensor(theirs)});
  }
  void linear(const std::string& name, const std::string& theirs) {
    add(name + "/weight", theirs + ".weight");
    add(name + "/bias", theirs + ".bias");
  }
  void norm(const std::string& name, const std::string& theirs) {
    add(name + "/gamma", theirs + ".weight");
    add(name + "/beta", theirs + ".bias");
  }
  void join_heads(const std::string& ours, const std::string& theirs, const std::string& part) {
    std::vector<float> values;
    for (const char* what : {"query", "key", "value"}) {
      const auto own =
          original_.tensor(theirs + ".attention.self." + what + "." + part).to_vector();
      values.insert(values.end(), own.begin(), own.end());
    }
    const Shape shape = part == "bias" ? Shape{48} : Shape{48, 16};
    content_.weights.push_back(
        {ours + "/self_attention/linear_0/" + part, Tensor::from(values, shape)});
  }
  void set(const std::string& name, double value) {
    for (Ctranslate2Setting& setting : content_.settings)
      if (setting.name == name) setting.value = value;
  }

  ImportedModel imported() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(fixture("models") / "bert_sentences", folder_,
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder_ / "model.safetensors");
    if (!has_modules_) std::filesystem::remove(folder_ / "modules.json");
    std::ofstream(folder_ / "vocabulary.json") << nlohmann::json(pieces_).dump();
    std::ofstream(folder_ / "config.json")
        << R"({"bos_token": "<s>", "eos_token": "</s>", "layer_norm_epsilon": 1e-12,)"
        << R"("multi_query_attention": false, "unk_token": "[UNK]"})";
    write_ctranslate2_file(folder_ / "model.bin", content_);
    return import_model(ModelDirectory(folder_));
  }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  const SafetensorsFile original_ =
      SafetensorsFile::open(fixture("models") / "bert_sentences/model.safetensors");
  Ctranslate2Content content_{.specification = "TransformerEncoderSpec", .revision = 1};
  std::vector<std::string> pieces_;
  bool has_modules_ = true;
  const std::filesystem::path folder_ = scratch("ctranslate2_encoder");
};

TEST_F(Ctranslate2Encoder, IsTheModelThatItWasMadeOf) {
  const Checkpoint ours = imported().checkpoint, theirs = original();
  ASSERT_EQ(ours.tensors.size(), theirs.tensors.size());
  for (std::size_t i = 0; i < ours.tensors.size(); ++i) {
    SCOPED_TRACE(theirs.tensors[i].name);
    ASSERT_EQ(ours.tensors[i].name, theirs.tensors[i].name);
    if (ours.tensors[i].tensor.dtype() == DType::f32) {
      EXPECT_EQ(ours.tensors[i].tensor.to_vector(), theirs.tensors[i].tensor.to_vector());
    }
  }
}

TEST_F(Ctranslate2Encoder, SaysThatTheMeanOfTheTokensIsUsedWhereNothingElseIsSaid) {
  has_modules_ = false;
  const ImportedModel model = imported();
  ASSERT_FALSE(model.remarks.empty());
  EXPECT_NE(model.remarks.back().find("the mean of the tokens is used"), std::string::npos);
}

TEST_F(Ctranslate2Encoder, IsRefusedForEmbeddingsThatAreNotAdded) {
  set("encoder/embeddings_merge", 0);
  expect_refused({"'encoder/embeddings_merge'", "expected 1: the embeddings are added"});
}

TEST_F(Ctranslate2Encoder, IsRefusedForPiecesOfAnotherTokenizer) {
  pieces_[9] += "x";
  expect_refused({"piece 9 is"});
  pieces_.pop_back();
  expect_refused({"the vocabulary has 139 pieces, its table 140 rows"});
}

TEST_F(Ctranslate2Encoder, IsRefusedForAVariableThatNobodyReads) {
  add("encoder/layer_0/input_layer_norm/gamma", "embeddings.LayerNorm.weight");
  expect_refused({"encoder/layer_0/input_layer_norm/gamma"});
}

}  // namespace
}  // namespace attend
