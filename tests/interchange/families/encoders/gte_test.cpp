// GTE as transformers writes it and as its authors do: what families_test does not compare with
// transformers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "attend/interchange/foreign_model.h"
#include "attend/tasks/embedding/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class ChangedGte : public DamagedDirectory {
 protected:
  // The fixture in the words of the authors, with more settings.
  void copy_of_authors(const std::string& more) const {
    copy("gte_sentences");
    replace("config.json", "\"gte\"", "\"new\"");
    replace("config.json", "\"GteModel\"", "\"NewModel\"");
    replace("config.json",
            "\"rope_parameters\": {\n    \"rope_theta\": 160000.0,\n    \"rope_type\": "
            "\"default\"\n  }",
            "\"rope_theta\": 160000.0, \"layer_norm_type\": \"layer_norm\", \"pack_qkv\": true, "
            "\"logn_attention_scale\": false, \"position_embedding_type\": \"rope\", "
            "\"auto_map\": {\"AutoModel\": \"a/b--modeling.NewModel\"}" +
                more);
  }
  EmbedderConfig config() const { return embedding_model(imported().checkpoint).network->config(); }
};

TEST_F(ChangedGte, OfItsAuthorsIsTheSameModel) {
  copy("gte_sentences");
  const Checkpoint wanted = imported().checkpoint;
  copy_of_authors("");
  const Checkpoint found = imported().checkpoint;
  EXPECT_EQ(found.metadata.at("attend.config"), wanted.metadata.at("attend.config"));
  for (const NamedTensor& tensor : wanted.tensors)
    EXPECT_TRUE(same_bits(found.tensor(tensor.name), tensor.tensor)) << tensor.name;
}

// The angle of pair i of a head of width w is p (theta f)^(-2 i / w) / f^(2 / w).
TEST_F(ChangedGte, StretchesItsAnglesAsItsAuthorsDo) {
  copy_of_authors(", \"rope_scaling\": {\"type\": \"ntk\", \"factor\": 2.0}");
  const RotaryOptions rotary = config().rotary;
  EXPECT_EQ(rotary.scaling, RotaryScaling::linear);
  EXPECT_EQ(rotary.theta, 320000.0);
  EXPECT_NEAR(rotary.factor, std::pow(2.0, 2.0 / 8), 1e-12) << "heads of width 8";
}

TEST_F(ChangedGte, IsRefusedForWhatItsAuthorsAlsoHave) {
  copy_of_authors(", \"rope_scaling\": {\"type\": \"ntk\", \"factor\": 2.0, \"mixed_b\": 0.6}");
  expect_refused({"mixed_b"});
  copy_of_authors(", \"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2.0}");
  expect_refused({"dynamic"});
  copy_of_authors(", \"logn_attention_clip1\": true");
  expect_refused({"logn_attention_clip1"});
}

}  // namespace
}  // namespace attend
