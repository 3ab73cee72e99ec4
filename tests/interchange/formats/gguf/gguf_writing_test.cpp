#include "attend/interchange/formats/gguf/gguf_writing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "attend/error.h"
#include "attend/interchange/formats/gguf/gguf_file.h"
#include "checkpoint/test_folder.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

class GgufWriting : public FolderTest {};

TEST_F(GgufWriting, IsReadAgain) {
  GgufEntries entries;
  entries.add("text", "a text");
  entries.add("texts", std::vector<std::string>{"a", ""});
  entries.add("integers", std::span<const std::int32_t>(std::array{-1, 2}));
  entries.add("floats", std::span<const float>(std::array{0.5f}));
  entries.add_count("count", 7);
  entries.add_number("number", 0.25);
  entries.add_flag("flag", true);
  const std::vector<float> ramp{1, 2, 3, 4, 5, 6};
  std::vector<float> block(32, 1.0f);
  block[3] = -127;
  write_gguf(path("x.gguf"), entries,
             {{"vector", &gguf_type("F32"), Tensor::from(ramp, {6})},
              {"matrix", &gguf_type("F16"), Tensor::from(ramp, {2, 3})},
              {"blocks", &gguf_type("Q8_0"), Tensor::from(block, {1, 32})}});
  GgufFile read_again = read_gguf(std::make_shared<const InputFile>(path("x.gguf")));
  EXPECT_EQ(read_again.metadata, (nlohmann::json{{"text", "a text"},
                                                 {"texts", {"a", ""}},
                                                 {"integers", {-1, 2}},
                                                 {"floats", {0.5}},
                                                 {"count", 7},
                                                 {"number", 0.25},
                                                 {"flag", true}}));
  expect_tensor(read_again.tensors, "vector", ElementType::f32, {6}, ramp);
  expect_tensor(read_again.tensors, "matrix", ElementType::f16, {2, 3}, ramp);
  expect_tensor(read_again.tensors, "blocks", ElementType::f32, {1, 32}, block);
}

TEST_F(GgufWriting, RoundsAsTheOriginal) {
  std::vector<float> values(32, 0.0f);
  EXPECT_EQ(gguf_bytes(gguf_type("Q8_0"), values), std::string(34, '\0'));
  values[0] = 254.0f;
  values[1] = 3.0f;   // 1.5 becomes 2
  values[2] = -1.0f;  // -0.5 becomes -1
  const std::string bytes = gguf_bytes(gguf_type("Q8_0"), values);
  EXPECT_EQ(bytes.substr(0, 5), std::string("\x00\x40\x7f\x02\xff", 5));
  EXPECT_THROW(gguf_bytes(gguf_type("Q4_0"), values), Error);
}

}  // namespace
}  // namespace attend
