#include "attend/interchange/formats/gguf/gguf_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_gguf.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

GgufFile gguf_of(const std::string& bytes) { return read_gguf(memory_file(bytes)); }

void expect_gguf_error(const std::string& bytes,
                       std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { gguf_of(bytes); }, fragments);
}

std::string gguf_floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += bytes_of(value);
  return bytes;
}

const WrittenGguf kSmall{.entries = {{"general.architecture", gguf_string("llama")},
                                     {"llama.block_count", gguf_u32(2)},
                                     {"tokenizer.ggml.tokens", gguf_strings({"a", "", "\xff"})}},
                         .tensors = {{"a", 0, {2, 3}, gguf_floats({1, 2, 3, 4, 5, 6})},
                                     {"b", 1, {2}, bytes_of(0x3c00c000u)},
                                     {"c", 30, {}, bytes_of(std::uint16_t{0xc000})},
                                     {"d", 27, {1}, bytes_of(std::int64_t{-7})}}};

TEST(GgufFile, HoldsTensorsWithTheOutermostExtentFirst) {
  for (const std::uint32_t version : {2u, 3u}) {
    WrittenGguf file = kSmall;
    file.version = version;
    GgufFile content = gguf_of(written_gguf(file));
    EXPECT_EQ(content.version, version);
    EXPECT_FALSE(content.is_quantized);
    expect_tensor(content.tensors, "a", ElementType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor(content.tensors, "b", ElementType::f16, {2}, {-2, 1});
    expect_tensor(content.tensors, "c", ElementType::bf16, {}, {-2});
    EXPECT_EQ(content.tensors.read_integers("d"), std::vector<std::int64_t>{-7});
  }
}

TEST(GgufFile, HoldsValuesOfEveryType) {
  const std::vector<std::pair<std::string, std::string>> entries{
      {"u8", bytes_of(0u) + "\xff"},
      {"i8", bytes_of(1u) + "\xff"},
      {"u16", bytes_of(2u) + bytes_of(std::uint16_t{65535})},
      {"i16", bytes_of(3u) + bytes_of(std::int16_t{-2})},
      {"u32", gguf_u32(~0u)},
      {"i32", bytes_of(5u) + bytes_of(-3)},
      {"f32", gguf_f32(0.5f)},
      {"flag", gguf_flag(true)},
      {"text", gguf_string("text")},
      {"numbers", gguf_array(5, {bytes_of(1), bytes_of(-2)})},
      {"texts", gguf_strings({"a", "b"})},
      {"u64", bytes_of(10u) + bytes_of(~std::uint64_t{0})},
      {"i64", bytes_of(11u) + bytes_of(std::int64_t{-5})},
      {"f64", bytes_of(12u) + bytes_of(0.25)}};
  const nlohmann::json expected{
      {"u8", 255},      {"i8", -1},           {"u16", 65535},        {"i16", -2},
      {"u32", ~0u},     {"i32", -3},          {"f32", 0.5},          {"flag", true},
      {"text", "text"}, {"numbers", {1, -2}}, {"texts", {"a", "b"}}, {"u64", ~std::uint64_t{0}},
      {"i64", -5},      {"f64", 0.25}};
  EXPECT_EQ(gguf_of(written_gguf({.entries = entries})).metadata, expected);
}

TEST(GgufFile, HasAnAlignmentOfItsOwn) {
  WrittenGguf file = kSmall;
  file.alignment = 128;
  file.entries.emplace_back("general.alignment", gguf_u32(128));
  GgufFile content = gguf_of(written_gguf(file));
  expect_tensor(content.tensors, "b", ElementType::f16, {2}, {-2, 1});
  EXPECT_FALSE(content.metadata.contains("general.alignment"));
  for (const std::uint32_t other : {0u, 24u, 1u << 21}) {
    file.entries.back().second = gguf_u32(other);
    expect_gguf_error(written_gguf(file), {"general.alignment", "a power of two"});
  }
}

TEST(GgufFile, IsRefusedWhereverItIsCutShort) {
  const std::string whole = written_gguf(kSmall);
  const std::size_t filling = 32 - 8;  // after the last tensor
  EXPECT_NO_THROW(gguf_of(whole.substr(0, whole.size() - filling)));
  for (std::size_t size = 0; size < whole.size() - filling; ++size)
    EXPECT_THROW(gguf_of(whole.substr(0, size)), DataError) << size;
  expect_gguf_error(whole + "x", {"1 bytes follow its last tensor"});
}

TEST(GgufFile, IsRefusedInOtherVersions) {
  expect_gguf_error("GGML" + std::string(30, '\0'), {"expected a file that begins with GGUF"});
  for (const std::uint32_t version : {0u, 1u, 4u})
    expect_gguf_error(written_gguf({.version = version}), {"expected version 2 or 3"});
  expect_gguf_error(written_gguf({.version = 3u << 24}), {"big-endian"});
}

TEST(GgufFile, DoesNotBelieveCounts) {
  const std::string many = bytes_of(~std::uint64_t{0} / 2);
  expect_gguf_error("GGUF" + bytes_of(3u) + many + bytes_of(std::uint64_t{0}), {"truncated?"});
  expect_gguf_error("GGUF" + bytes_of(3u) + bytes_of(std::uint64_t{0}) + many, {"truncated?"});
  expect_gguf_error(written_gguf({.entries = {{"k", bytes_of(8u) + many}}}), {"truncated?"});
  expect_gguf_error(written_gguf({.entries = {{"k", bytes_of(9u) + bytes_of(0u) + many}}}),
                    {"'k': it claims", "truncated?"});
  expect_gguf_error(written_gguf({.entries = {{"k", bytes_of(13u)}}}),
                    {"'k': expected a value of type 0 to 12, found 13"});
  expect_gguf_error(written_gguf({.entries = {{"k", gguf_array(13, {})}}}), {"found 13"});
  expect_gguf_error(written_gguf({.entries = {{"k", gguf_array(9, {})}}}),
                    {"'k': arrays of arrays"});
  expect_gguf_error(written_gguf({.entries = {{"k", gguf_u32(1)}, {"k", gguf_u32(1)}}}),
                    {"two entries have the key 'k'"});
}

TEST(GgufFile, ComparesShapesWithTheirData) {
  const auto expect = [](std::uint32_t type, std::vector<std::uint64_t> shape,
                         std::initializer_list<std::string_view> fragments) {
    expect_gguf_error(
        written_gguf({.tensors = {{"w", type, std::move(shape), std::string(32, 'x')}}}),
        fragments);
  };
  expect(0, {9}, {"tensor 'w': expected 36 bytes for F32 [9]", "truncated?"});
  expect(0, {~0ull}, {"tensor 'w'", "[-1]"});
  expect(0, {1ull << 40, 1ull << 40}, {"tensor 'w'"});
  expect(2, {2, 16}, {"expected rows of blocks of 32, found Q4_0 [2, 16]"});
  expect(0, {1, 1, 1, 1, 1}, {"at most 4 dimensions, found 5"});
  expect(10, {256}, {"its elements are Q2_K, which is not supported"});
  expect(77, {8}, {"its elements are type 77"});
  expect_gguf_error(written_gguf({.tensors = {{"w", 0, {0}, ""}, {"w", 0, {0}, ""}}}),
                    {"two tensors have the name 'w'"});
}

TEST(GgufFile, WantsTensorsOneAfterTheOther) {
  std::string bytes = written_gguf({.tensors = {{"wwww", 0, {1}, "1234"}}});
  bytes.replace(bytes.find("wwww") + 4 + 4 + 8 + 4, 8, bytes_of(std::uint64_t{32}));
  expect_gguf_error(bytes, {"tensor 'wwww': expected its elements at 0, found 32"});
}

}  // namespace
}  // namespace attend
