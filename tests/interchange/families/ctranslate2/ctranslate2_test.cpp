#include "attend/interchange/families/ctranslate2/ctranslate2.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/tasks/translation/model.h"
#include "interchange/families/ctranslate2/written_directory.h"

namespace attend {
namespace {

using Ctranslate2Directory = WrittenDirectory;

// All but the last row, which is that of the padding.
std::vector<float> without_padding(const NamedTensor& tensor) {
  std::vector<float> values = tensor.tensor.to_vector();
  if (tensor.name == "embedding.weight" || tensor.name == "output_proj.bias")
    values.resize(values.size() - static_cast<std::size_t>(tensor.tensor.shape().rank() == 1
                                                               ? 1
                                                               : tensor.tensor.cols()));
  return values;
}

TEST_F(Ctranslate2Directory, IsTheModelThatItWasMadeOf) {
  const Checkpoint ours = imported().checkpoint,
                   original = import_model(ModelDirectory(fixture("models") / "marian")).checkpoint;
  for (const char* key : {"attend.config", "attend.pair_format"})
    EXPECT_EQ(ours.metadata.contains(key) ? ours.text(key) : "",
              original.metadata.contains(key) ? original.text(key) : "");
  ASSERT_EQ(ours.tensors.size(), original.tensors.size());
  for (std::size_t i = 0; i < ours.tensors.size(); ++i) {
    SCOPED_TRACE(ours.tensors[i].name);
    ASSERT_EQ(ours.tensors[i].name, original.tensors[i].name);
    if (ours.tensors[i].tensor.dtype() == DType::f32) {
      EXPECT_EQ(without_padding(ours.tensors[i]), without_padding(original.tensors[i]));
    }
  }
}

// The decoder begins with zeros; its token is never chosen.
TEST_F(Ctranslate2Directory, HasATokenThatTheDecoderBeginsWith) {
  for (const bool has_bias : {true, false}) {
    if (!has_bias) variables_.erase("decoder/projection/bias");
    const Checkpoint model = imported().checkpoint;
    const Tensor table = model.tensor("embedding.weight"), bias = model.tensor("output_proj.bias");
    ASSERT_EQ(table.rows(), static_cast<std::int64_t>(kPieces) + 1);
    for (const float value : table.slice_rows(kPieces, kPieces + 1).span()) EXPECT_EQ(value, 0.0f);
    EXPECT_EQ(bias.data()[kPieces], -1e9f);
    if (!has_bias) {
      EXPECT_EQ(bias.data()[kPieces - 1], 0.0f);
    }
  }
}

TEST_F(Ctranslate2Directory, SearchesAsCtranslate2Does) {
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_EQ(model.decoding.beam_size, 2);
  EXPECT_EQ(model.decoding.length_penalty, 1.0f);
  EXPECT_EQ(model.decoding.min_length, 1);
}

TEST_F(Ctranslate2Directory, SaysThatItsVocabularyMapIsNotRead) {
  files_["vmap.txt"] = "x\ty\n";
  const std::vector<std::string> remarks = imported().remarks;
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks.back().find("vmap.txt"), std::string::npos);
}

TEST_F(Ctranslate2Directory, IsRefusedForAVariableThatNobodyReads) {
  number("decoder/final_logit_softcapping", {}, {30.0f});
  expect_refused({"decoder/final_logit_softcapping"});
}

TEST_F(Ctranslate2Directory, IsRefusedForAVariableThatIsMissing) {
  variables_.erase("decoder/layer_0/attention/linear_1/weight");
  expect_refused({"decoder/layer_0/attention/linear_1/weight"});
}

TEST_F(Ctranslate2Directory, IsRefusedForASettingThatNobodyKnows) {
  config_["new_trick"] = 1;
  expect_refused({"config.json", "new_trick"});
}

TEST_F(Ctranslate2Directory, IsRefusedForAnotherSizeOfItsVocabulary) {
  pieces_.pop_back();
  expect_refused({"the vocabulary of the source has 101 pieces, its table 102 rows"});
}

TEST_F(Ctranslate2Directory, SaysWhatSplitsTextsIfNothingDoes) {
  files_.clear();
  expect_refused({"source.spm and target.spm", "found none of them"});
}

}  // namespace
}  // namespace attend
