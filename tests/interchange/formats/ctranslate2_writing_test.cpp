#include "attend/interchange/formats/ctranslate2_writing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/formats/ctranslate2_file.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class WrittenCtranslate2File : public testing::Test {
 protected:
  ~WrittenCtranslate2File() override { std::filesystem::remove(path_); }

  Ctranslate2File written(const Ctranslate2Content& content) const {
    write_ctranslate2_file(path_, content);
    return read_ctranslate2_file(std::make_shared<const InputFile>(path_));
  }

  const std::filesystem::path path_ = scratch("written_model.bin");
};

TEST_F(WrittenCtranslate2File, IsReadAsItWasWritten) {
  const Tensor matrix = Tensor::from(std::vector{1.0f, -2.0f, 0.5f, 3.0f, 4.0f, 1e-9f}, {2, 3}),
               vector = Tensor::from(std::vector{7.0f, 8.0f}, {2});
  Ctranslate2File file = written({.specification = "TransformerDecoderSpec",
                                  .revision = 8,
                                  .weights = {{"a/weight", matrix}, {"a/bias", vector}},
                                  .settings = {{"flag", ElementType::i8, 1},
                                               {"heads", ElementType::i16, 300},
                                               {"distance", ElementType::i32, 70000},
                                               {"none", ElementType::i16, -1},
                                               {"scale", ElementType::f32, 0.125}},
                                  .aliases = {{"b/weight", "a/weight"}}});
  EXPECT_EQ(file.specification, "TransformerDecoderSpec");
  EXPECT_EQ(file.revision, 8u);
  TensorTable& read = file.variables;
  EXPECT_EQ(read.read("a/weight", {2, 3}).to_vector(), matrix.to_vector());
  EXPECT_EQ(read.read("b/weight", {2, 3}).to_vector(), matrix.to_vector());
  EXPECT_EQ(read.read("a/bias", {2}).to_vector(), vector.to_vector());
  EXPECT_EQ(read.read_integers("flag"), std::vector<std::int64_t>{1});
  EXPECT_EQ(read.read_integers("heads"), std::vector<std::int64_t>{300});
  EXPECT_EQ(read.read_integers("distance"), std::vector<std::int64_t>{70000});
  EXPECT_EQ(read.read_integers("none"), std::vector<std::int64_t>{-1});
  EXPECT_EQ(read.read("scale").to_vector(), std::vector<float>{0.125f});
  EXPECT_EQ(read.find("heads")->type, ElementType::i16);
}

TEST_F(WrittenCtranslate2File, MayHoldNothing) {
  const Ctranslate2File file = written({.specification = "TransformerSpec", .revision = 7});
  EXPECT_TRUE(file.variables.tensors().empty());
}

}  // namespace
}  // namespace attend
