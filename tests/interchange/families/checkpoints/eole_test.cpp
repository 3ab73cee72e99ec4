// Directories of eole with other settings. What it computes with them: checkpoint_model_test.cpp
// and checkpoint_language_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using nlohmann::json;

// A directory of eole in memory.
class ChangedEole : public testing::Test {
 protected:
  void read(const std::string& name) {
    files_.clear();
    for (const auto& entry : std::filesystem::directory_iterator(fixture("models") / name)) {
      const std::string file = entry.path().filename().string();
      files_[file] = fixture_bytes("models/" + name + "/" + file);
    }
    original_ = files_;
  }
  // Sets what a path such as "/model/heads" leads to, in a file as it was.
  void set(const std::string& path, const json& value, const char* file = "config.json") {
    json whole = parse_json(original_[file], file);
    whole[json::json_pointer(path)] = value;
    files_[file] = whole.dump();
  }
  ImportedModel imported() const { return import_model(ModelDirectory("memory", files_)); }
  void expect_refused(std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { imported(); }, fragments);
    files_ = original_;
  }
  void expect_refused(const std::string& path, const json& value) {
    set(path, value);
    const std::string key = path.substr(path.rfind('/') + 1), found = value.dump();
    expect_refused({"memory/config.json, \"model\"", key, found});
  }

  TextFiles files_, original_;
};

TEST_F(ChangedEole, IsRefusedForWhatTranslatorsRarelyHave) {
  read("eole_joined");
  using Setting = std::pair<const char*, json>;
  for (const auto& [key, value] : {Setting{"relative_positions_buckets", 32},
                                   {"num_experts", 4},
                                   {"q_gating", true},
                                   {"sliding_window", 8},
                                   {"ffn_layernorm", true},
                                   {"parallel_residual", true},
                                   {"query_norm", true},
                                   {"value_norm", true},
                                   {"add_key_bias", false},
                                   {"layer_types", json::array({"linear_attention"})},
                                   {"LM_type", "prefix"},
                                   {"heads", 3},
                                   {"mlp_activation_fn", "fused-gated-silu"},
                                   {"layer_norm", "layer"},
                                   {"unheard_of", 1}})
    expect_refused(std::string("/model/decoder/") + key, value);
  for (const auto& [key, value] :
       {Setting{"encoder_layer_style", "postnorm"}, {"final_encoder_layer_norm", false}})
    expect_refused(std::string("/model/encoder/") + key, value);
  for (const auto& [key, value] : {Setting{"embedding_type", "roberta"},
                                   {"position_encoding_type", "Alibi"},
                                   {"position_encoding_type", "Relative"},
                                   {"normalize", true}})
    expect_refused(std::string("/model/embeddings/") + key, value);
  for (const auto& [key, value] : {Setting{"architecture", "whisper"},
                                   {"add_estimator", true},
                                   {"generator_function", "sparsemax"},
                                   {"unheard_of", 1}})
    expect_refused(std::string("/model/") + key, value);
}

TEST_F(ChangedEole, IsRefusedForRotationsThatAreNotSupported) {
  read("eole_lm_rotary");
  using Setting = std::pair<const char*, json>;
  for (const auto& [key, value] : {Setting{"scaling_type", "dynamic"},
                                   {"interleave_local", 6},
                                   {"rotary_dim", 3},
                                   {"partial_rotary_factor", 0.25},
                                   {"multidimensional_rope", true},
                                   {"xdrope_section", json::array({1, 2})}})
    expect_refused(std::string("/model/decoder/rope_config/") + key, value);
  expect_refused("/model/decoder/key_norm", false);
  expect_refused("/model/decoder/qk_norm_post_rope", true);
  expect_refused("/model/decoder/num_mtp_heads", 1);
}

// A part has what the whole model says, unless it says otherwise itself.
TEST_F(ChangedEole, HasSettingsOfItsPartsBeforeThoseOfAll) {
  read("eole_joined");
  const auto heads = [&] {
    const ImportedModel model = imported();
    return std::get<TransformerConfig>(translation_model(model.checkpoint).network->architecture())
        .n_heads;
  };
  EXPECT_EQ(heads(), 2);
  set("/model/heads", 4);
  EXPECT_EQ(heads(), 2);
  json config = parse_json(original_["config.json"], "config.json");
  config["model"]["heads"] = 4;
  for (const char* part : {"encoder", "decoder"}) config["model"][part].erase("heads");
  files_["config.json"] = config.dump();
  EXPECT_EQ(heads(), 4);
  set("/model/decoder/norm_eps", 1e-3);
  expect_refused({"memory/config.json", "norm_epsilon", "in the encoder and", "in the decoder"});
}

TEST_F(ChangedEole, IsRefusedForOtherTexts) {
  read("eole_joined");
  for (const char* name : {"onmt_tokenize", "huggingface_tokenize", "prefix", "docify"}) {
    set("/transforms", json::array({name}));
    expect_refused({"memory/config.json", "transforms", name, "is not supported"});
  }
  set("/transforms", json::array({"bpe", "filtertoolong", "tokendrop"}));
  EXPECT_NO_THROW(imported());
  files_ = original_;
  files_.erase("bpe.codes");
  expect_refused({"'bpe.codes', which splits words"});
  json bpe = parse_json(original_["config.json"], "config.json")["transforms_configs"]["bpe"];
  bpe["src_subword_vocab"] = "vocabulary.txt";
  bpe["src_vocab_threshold"] = 50;
  set("/transforms_configs/bpe", bpe);
  expect_refused({"src_vocab_threshold", "50"});
  set("/specials/unk_token", "<UNK>", "vocab.json");
  expect_refused({"memory/vocab.json", "unk_token", "<UNK>"});
  set("/specials/bos_token", "<begin>", "vocab.json");
  expect_refused({"memory/vocab.json, src: expected the entry '<begin>' of specials"});
  set("/decoder_start_token", "<begin>", "vocab.json");
  expect_refused({"decoder_start_token: expected the bos, eos or pad token", "found '<begin>'"});
  const json words = parse_json(original_["vocab.json"], "vocab.json")["tgt"];
  set("/decoder_start_token", words[8], "vocab.json");
  expect_refused({"decoder_start_token: expected the bos, eos or pad token"});
  set("/tgt/7", words[8], "vocab.json");
  expect_refused({"memory/vocab.json, tgt: expected every entry once", "twice"});
  set("/tgt/7", "another", "vocab.json");
  expect_refused({"share embeddings", "vocabularies"});
  read("eole_lm_codes");
  set("/tgt/7", "another", "vocab.json");
  expect_refused({"a language model has one vocabulary"});
}

TEST_F(ChangedEole, IsRefusedForOtherWeights) {
  read("eole_joined");
  files_["model.01.safetensors"] = files_["model.00.safetensors"];
  expect_refused({"safetensors"});
  std::string& weights = files_["model.00.safetensors"];
  const std::string name = "decoder.transformer_layers.0.mlp.down_proj.bias";
  weights.replace(weights.find(name), name.size(),
                  "decoder.transformer_layers.0.mlp.down_proj.bia2");
  expect_refused({name});
  set("/model/share_decoder_embeddings", false);
  expect_refused({"generator.weight"});
}

// Where positions have no last one, a length for training.
TEST_F(ChangedEole, KeepsTheLengthOfTexts) {
  const auto length = [&] { return language_model(imported().checkpoint).context.sequence_length; };
  read("eole_lm_rotary");
  EXPECT_EQ(length(), 2048);
  set("/model/decoder/max_position_embeddings", 100);
  EXPECT_EQ(length(), 100);
  read("eole_lm_words");
  EXPECT_EQ(length(), 80);
}

}  // namespace
}  // namespace attend
