#include "attend/interchange/families/ctranslate2/ctranslate2_language.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/tasks/language/model.h"
#include "interchange/fixture_files.h"
#include "interchange/written_ctranslate2.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// The fixture "gpt2" as a directory of CTranslate2.
class Ctranslate2LanguageModel : public testing::Test {
 protected:
  Ctranslate2LanguageModel() {
    for (int i = 0; i < 2; ++i) {
      const std::string ours = "decoder/layer_" + std::to_string(i),
                        theirs = "transformer.h." + std::to_string(i);
      linear(ours + "/self_attention/linear_0", theirs + ".attn.c_attn");
      linear(ours + "/self_attention/linear_1", theirs + ".attn.c_proj");
      linear(ours + "/ffn/linear_0", theirs + ".mlp.c_fc");
      linear(ours + "/ffn/linear_1", theirs + ".mlp.c_proj");
      norm(ours + "/self_attention/layer_norm", theirs + ".ln_1");
      norm(ours + "/ffn/layer_norm", theirs + ".ln_2");
    }
    norm("decoder/layer_norm", "transformer.ln_f");
    add("decoder/embeddings/weight", original_.tensor("transformer.wte.weight"));
    add("decoder/position_encodings/encodings", original_.tensor("transformer.wpe.weight"));
    for (const auto& [name, value] :
         {std::pair{"num_heads", 2}, {"activation", 1}, {"pre_norm", 1}, {"scale_embeddings", 0}})
      variables_["decoder/" + std::string(name)] = {
          "decoder/" + std::string(name), 1, {}, bytes_of(static_cast<std::int8_t>(value))};
    const LanguageModel model = language_model(original());
    for (std::int32_t id = 0; id < model.tokenizer.vocab_size(); ++id)
      pieces_.push_back(model.tokenizer.piece(id));
  }
  ~Ctranslate2LanguageModel() override { std::filesystem::remove_all(folder_); }

  static Checkpoint original() {
    return import_model(ModelDirectory(fixture("models") / "gpt2")).checkpoint;
  }
  void add(const std::string& name, const Tensor& tensor) {
    std::string data;
    for (const float value : tensor.to_vector()) data += bytes_of(value);
    std::vector<std::uint32_t> shape;
    for (int axis = 0; axis < tensor.shape().rank(); ++axis)
      shape.push_back(static_cast<std::uint32_t>(tensor.shape()[axis]));
    variables_[name] = {name, 0, shape, data};
  }
  void linear(const std::string& name, const std::string& theirs) {
    const Tensor x = original_.tensor(theirs + ".weight").clone();
    const Tensor y = Tensor::empty_on_host({x.cols(), x.rows()});
    for (std::int64_t r = 0; r < x.rows(); ++r)
      for (std::int64_t c = 0; c < x.cols(); ++c) y.row(c)[r] = x.row(r)[c];
    add(name + "/weight", y);
    add(name + "/bias", original_.tensor(theirs + ".bias"));
  }
  void norm(const std::string& name, const std::string& theirs) {
    add(name + "/gamma", original_.tensor(theirs + ".weight"));
    add(name + "/beta", original_.tensor(theirs + ".bias"));
  }

  Checkpoint imported() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::vector<WrittenVariable> variables;
    for (const auto& [name, variable] : variables_) variables.push_back(variable);
    std::string bytes = written_ctranslate2(
        variables, {{"decoder/projection/weight", "decoder/embeddings/weight"}});
    const std::string other = written_ct2_text("TransformerSpec");
    bytes.replace(4, other.size(), written_ct2_text("TransformerDecoderSpec"));
    const auto write = [&](const char* name, const std::string& content) {
      std::ofstream(folder_ / name, std::ios::binary) << content;
    };
    write("model.bin", bytes);
    write("vocabulary.json", nlohmann::json(pieces_).dump());
    write("config.json", R"({"bos_token": ")" + pieces_[0] + R"(", "eos_token": ")" + pieces_[0] +
                             R"(", "multi_query_attention": true})");
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
      write(name, fixture_bytes("models/gpt2/" + std::string(name)));
    return import_model(ModelDirectory(folder_)).checkpoint;
  }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  const SafetensorsFile original_ =
      SafetensorsFile::open(fixture("models") / "gpt2/model.safetensors");
  std::map<std::string, WrittenVariable> variables_;
  std::vector<std::string> pieces_;
  const std::filesystem::path folder_ = scratch("ctranslate2_language");
};

TEST_F(Ctranslate2LanguageModel, IsTheModelThatItWasMadeOf) {
  const Checkpoint ours = imported(), theirs = original();
  ASSERT_EQ(ours.tensors.size(), theirs.tensors.size());
  for (std::size_t i = 0; i < ours.tensors.size(); ++i) {
    SCOPED_TRACE(theirs.tensors[i].name);
    ASSERT_EQ(ours.tensors[i].name, theirs.tensors[i].name);
    if (ours.tensors[i].tensor.dtype() == DType::f32) {
      EXPECT_EQ(ours.tensors[i].tensor.to_vector(), theirs.tensors[i].tensor.to_vector());
    }
  }
}

TEST_F(Ctranslate2LanguageModel, IsRefusedForPiecesOfAnotherTokenizer) {
  pieces_[20] += "x";
  expect_refused({"piece 20 is"});
  pieces_.pop_back();
  expect_refused({"'decoder/embeddings/weight'", "262 rows are not the 261 pieces"});
}

TEST_F(Ctranslate2LanguageModel, IsRefusedForFewerHeadsOfKeysThanItsMapHas) {
  const std::string name = "decoder/layer_0/self_attention/num_heads_kv";
  variables_[name] = {name, 1, {}, "\1"};
  expect_refused({"'decoder/layer_1/self_attention/num_heads_kv'"});
  const std::string next = "decoder/layer_1/self_attention/num_heads_kv";
  variables_[next] = {next, 1, {}, "\1"};
  expect_refused({"linear_0/weight'", "expected 32 rows, found [48, 16]"});
}

}  // namespace
}  // namespace attend
