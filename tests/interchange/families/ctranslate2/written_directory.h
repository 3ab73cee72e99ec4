// A directory of CTranslate2 with the weights of the fixture "marian", as its converter writes it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/foreign_model.h"
#include "attend/nn/positional_encoding.h"
#include "interchange/fixture_files.h"
#include "interchange/written_ctranslate2.h"
#include "tensor/expect_error.h"

namespace attend {

class WrittenDirectory : public testing::Test {
 protected:
  WrittenDirectory() {
    add_stack("encoder", 2);
    add_stack("decoder", 1);
    table("encoder/embeddings_0/weight", {"model.shared.weight"}, kPieces);
    table("decoder/projection/bias", {"final_logits_bias"}, kPieces);
    aliases_ = {{"decoder/embeddings/weight", "encoder/embeddings_0/weight"},
                {"decoder/projection/weight", "encoder/embeddings_0/weight"},
                {"decoder/position_encodings/encodings", "encoder/position_encodings/encodings"}};
    setting("decoder/start_from_zero_embedding", 1);
    const Tensor positions = sinusoids(PositionKind::sinusoidal_halves, 64, 16);
    number("encoder/position_encodings/encodings", {64, 16}, positions.to_vector());
    config_ = {{"bos_token", "<s>"},
               {"eos_token", "</s>"},
               {"unk_token", "<unk>"},
               {"decoder_start_token", "</s>"},
               {"add_source_bos", false},
               {"add_source_eos", false},
               {"layer_norm_epsilon", nullptr},
               {"multi_query_attention", false}};
    const nlohmann::json ids = nlohmann::json::parse(fixture_bytes("models/marian/vocab.json"));
    pieces_.resize(kPieces);
    for (const auto& [piece, id] : ids.items())
      if (id.get<std::size_t>() < kPieces) pieces_[id.get<std::size_t>()] = piece;
    for (const char* file : {"source.spm", "target.spm"})
      files_[file] = fixture_bytes("models/marian/" + std::string(file));
  }
  ~WrittenDirectory() override { std::filesystem::remove_all(folder_); }

  // All but the padding, which transformers adds to the vocabulary.
  static constexpr std::size_t kPieces = 102;

  void setting(const std::string& name, std::int8_t value) {
    variables_[name] = {name, 1, {}, bytes_of(value)};
  }
  void number(const std::string& name, std::vector<std::uint32_t> shape,
              const std::vector<float>& values) {
    std::string data;
    for (const float value : values) data += bytes_of(value);
    variables_[name] = {name, 0, std::move(shape), std::move(data)};
  }
  // The tensors of the fixture one after the other, or the first rows of one.
  void table(const std::string& name, const std::vector<std::string>& theirs,
             std::size_t first_rows = 0) {
    std::vector<float> values;
    std::size_t rows = 0, columns = 1;
    bool is_vector = true;
    for (const std::string& one : theirs) {
      const Tensor tensor = original_.tensor(one);
      const std::vector<float> own = tensor.to_vector();
      is_vector = tensor.shape().rank() == 1 || tensor.shape()[0] == 1;
      const auto cols = static_cast<std::size_t>(is_vector ? 1 : tensor.cols());
      columns = cols;
      rows += own.size() / cols;
      values.insert(values.end(), own.begin(), own.end());
    }
    if (first_rows > 0) values.resize((rows = first_rows) * columns);
    std::vector<std::uint32_t> shape{static_cast<std::uint32_t>(rows)};
    if (!is_vector) shape.push_back(static_cast<std::uint32_t>(columns));
    number(name, shape, values);
  }

  // The files of the directory, by name.
  std::map<std::string, std::string> files() const {
    std::vector<WrittenVariable> variables;
    for (const auto& [name, variable] : variables_) variables.push_back(variable);
    std::map<std::string, std::string> files = files_;
    files["model.bin"] = written_ctranslate2(variables, aliases_);
    files["shared_vocabulary.json"] = nlohmann::json(pieces_).dump();
    files["config.json"] = config_.dump();
    return files;
  }
  ImportedModel imported() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    for (const auto& [name, content] : files())
      std::ofstream(folder_ / name, std::ios::binary) << content;
    return import_model(ModelDirectory(folder_));
  }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  const SafetensorsFile original_ =
      SafetensorsFile::open(fixture("models") / "marian/model.safetensors");
  std::map<std::string, WrittenVariable> variables_;
  WrittenAliases aliases_;
  nlohmann::json config_;
  std::vector<std::string> pieces_;
  std::map<std::string, std::string> files_;
  const std::filesystem::path folder_ = scratch("ctranslate2");

 private:
  void norm(const std::string& name, const std::string& theirs) {
    table(name + "/gamma", {theirs + ".weight"});
    table(name + "/beta", {theirs + ".bias"});
  }
  void linear(const std::string& name, const std::vector<std::string>& theirs) {
    for (const char* part : {"weight", "bias"}) {
      std::vector<std::string> names;
      for (const std::string& one : theirs) names.push_back(one + "." + part);
      table(name + "/" + part, names);
    }
  }
  void add_stack(const std::string& side, int layers) {
    for (int i = 0; i < layers; ++i) {
      const std::string ours = side + "/layer_" + std::to_string(i),
                        theirs = "model." + side + ".layers." + std::to_string(i),
                        self = theirs + ".self_attn", cross = theirs + ".encoder_attn";
      linear(ours + "/self_attention/linear_0",
             {self + ".q_proj", self + ".k_proj", self + ".v_proj"});
      linear(ours + "/self_attention/linear_1", {self + ".out_proj"});
      norm(ours + "/self_attention/layer_norm", theirs + ".self_attn_layer_norm");
      if (side == "decoder") {
        linear(ours + "/attention/linear_0", {cross + ".q_proj"});
        linear(ours + "/attention/linear_1", {cross + ".k_proj", cross + ".v_proj"});
        linear(ours + "/attention/linear_2", {cross + ".out_proj"});
        norm(ours + "/attention/layer_norm", theirs + ".encoder_attn_layer_norm");
      }
      linear(ours + "/ffn/linear_0", {theirs + ".fc1"});
      linear(ours + "/ffn/linear_1", {theirs + ".fc2"});
      norm(ours + "/ffn/layer_norm", theirs + ".final_layer_norm");
    }
    setting(side + "/pre_norm", 0);
    setting(side + "/activation", 2);
    setting(side + "/num_heads", 2);
    number(side + "/scale_embeddings", {}, {4.0f});
  }
};

}  // namespace attend
