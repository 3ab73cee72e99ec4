// Decoders with rotary positions of a part of each head, with factors for longer texts, and with
// parallel sublayers, as transformers writes them (tools/make_import_fixtures.py): what
// families_test does not compare with transformers.
#include "attend/interchange/families/decoders/rotary_settings.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/ctranslate2_export.h"
#include "attend/interchange/writing/gguf_export.h"
#include "attend/tasks/language/model.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

class DamagedDecoder : public DamagedDirectory {
 protected:
  LanguageTransformerConfig shape_of(const char* name) const {
    copy(name);
    return shape();
  }
  LanguageTransformerConfig shape() const {
    return language_model(imported().checkpoint).network->config();
  }
  void refuse(const char* name, const std::string& old, const std::string& setting,
              std::initializer_list<std::string_view> fragments) const {
    copy(name);
    replace("config.json", old, setting);
    expect_refused(fragments);
  }
};

TEST_F(DamagedDecoder, OfPhi4HasFactorsForLongerTexts) {
  const LanguageTransformerConfig found = shape_of("phi4_mini");
  EXPECT_EQ(found.rotary.width, 6) << "of 8 columns";
  EXPECT_EQ(found.rotary.scaling, RotaryScaling::longrope);
  EXPECT_EQ(found.rotary.short_factors, "1,1.25,1.5");
  EXPECT_EQ(found.rotary.long_factors, "1.5,4,9");
  EXPECT_EQ(found.rotary.original_length, 64);
  EXPECT_EQ(found.rotary.factor, 1.5) << "96 / 64";
}

// As files of transformers 4 have them.
TEST_F(DamagedDecoder, OfPhi3IsReadWithOlderNames) {
  copy("phi4_mini");
  replace("config.json", "\"rope_parameters\"", "\"rope_theta\": 500.0, \"rope_scaling\"");
  replace("config.json", "\"rope_type\": \"longrope\"", "\"type\": \"su\"");
  replace("config.json", "\"partial_rotary_factor\": 0.75,", "");
  replace("config.json", "\"rope_theta\": 500.0, \"rope_scaling\"",
          "\"rope_theta\": 500.0, \"partial_rotary_factor\": 0.75, \"rope_scaling\"");
  EXPECT_EQ(shape().rotary.scaling, RotaryScaling::longrope);
  EXPECT_EQ(shape().rotary.width, 6);
  replace("config.json", "\"original_max_position_embeddings\": 64,\n  \"pad", "\"pad");
  expect_refused({"original_max_position_embeddings", "beside"});
}

TEST_F(DamagedDecoder, IsRefusedForRotationsThatCannotBeComputed) {
  refuse("phi4_mini", "\"rope_type\"", "\"attention_factor\": 2.0, \"rope_type\"",
         {"attention_factor", "2.0"});
  refuse("phi4_mini", "9.0\n", "9.0, 10.0\n", {"long_factor", "3 numbers"});
  refuse("phi4_mini", "9.0\n", "0.0\n", {"long_factor", "from 0.001"});
  refuse("phi4_mini", "\"longrope\"", "\"dynamic\"", {"rope_type", "dynamic"});
  refuse("gpt_neox", "\"partial_rotary_factor\": 0.5", "\"partial_rotary_factor\": 0.4",
         {"partial_rotary_factor", "even part of the 8 columns"});
  refuse("gptj", "\"rotary_dim\": 4", "\"rotary_dim\": 10", {"rotary_dim", "10"});
}

TEST_F(DamagedDecoder, HasTheDefaultsOfItsFamily) {
  const auto without_positions = [&](const char* name) {
    copy(name);
    // An object without settings of its own.
    replace("config.json", "\"rope_parameters\": {", "\"rope_parameters\": null, \"id2label\": {");
    return shape().rotary;
  };
  EXPECT_EQ(without_positions("stablelm").width, 2) << "a quarter";
  EXPECT_EQ(without_positions("phi").width, 4) << "a half";
  EXPECT_EQ(without_positions("cohere").theta, 5e5);
}

TEST_F(DamagedDecoder, HasTheSublayersOfItsFile) {
  EXPECT_EQ(shape_of("gpt_neox").sublayers, Sublayers::parallel);
  EXPECT_EQ(shape_of("falcon_new").sublayers, Sublayers::parallel);
  EXPECT_EQ(shape_of("falcon").sublayers, Sublayers::parallel_shared);
  EXPECT_EQ(shape_of("phi").sublayers, Sublayers::parallel_shared);
  EXPECT_EQ(shape_of("stablelm").sublayers, Sublayers::sequential);
  EXPECT_EQ(shape_of("falcon").n_key_heads, 1);
  EXPECT_EQ(shape_of("falcon_new").n_key_heads, 2);
}

TEST_F(DamagedDecoder, IsRefusedForWhatIsNotComputed) {
  refuse("stablelm", "\"qk_layernorm\": false", "\"qk_layernorm\": true", {"qk_layernorm"});
  refuse("cohere", "\"use_qk_norm\": false", "\"use_qk_norm\": true", {"use_qk_norm"});
  refuse("falcon", "\"alibi\": false", "\"alibi\": true", {"alibi"});
  refuse("mpt", "\"clip_qkv\": null", "\"clip_qkv\": 6.0", {"clip_qkv", "6.0"});
  refuse("mpt", "\"alibi_bias_max\": 8", "\"alibi_bias_max\": 16", {"alibi_bias_max", "16"});
}

// Neither has names for these options, let alone tensors.
TEST_F(DamagedDecoder, IsRefusedByOtherProgramsByTheNamesOfItsOptions) {
  const auto exported = scratch("other_program");
  for (const auto& [name, option] : {std::pair{"mpt", "norm-bias is false"},
                                     {"olmo2", "qk-norm-span is all"},
                                     {"gpt_neox", "rotary-width is 4"},
                                     {"phi", "sublayers is parallel_shared"},
                                     {"granite", "residual-scale is 0.375"},
                                     {"gptj", "output-bias is true"},
                                     {"cohere", "output-scale is 0.5"}}) {
    copy(name);
    const Checkpoint model = imported().checkpoint;
    expect_error<ConfigError>([&] { write_ctranslate2_directory(model, exported); },
                              {"CTranslate2", option});
    expect_error<ConfigError>([&] { write_gguf_model(model, GgufWeights::f32, exported); },
                              {"llama.cpp", option});
  }
  EXPECT_FALSE(std::filesystem::exists(exported));
}

// A model that does not say where it came from.
TEST_F(DamagedDecoder, IsExportedAsTheFamilyThatComputesTheSame) {
  for (const char* name : {"phi3", "olmo2", "gpt_neox", "stablelm", "granite", "phi", "falcon",
                           "falcon_new", "gptj", "cohere", "mpt"}) {
    const std::string family = family_by_what_it_computes(name);
    EXPECT_TRUE(std::string(name).starts_with(family) ||
                (std::string(name) == "phi3" && family == "mistral"))
        << name << " as " << family;
  }
}

}  // namespace
}  // namespace attend
