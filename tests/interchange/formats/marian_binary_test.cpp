#include "attend/interchange/formats/marian_binary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

void expect_marian_error(const std::string& file,
                         std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { read_marian_binary(memory_file(file)); }, fragments);
}

TEST(MarianBinary, HoldsTensorsAndOptions) {
  TensorTable table = read_marian_binary(open_fixture("marian.bin"));
  EXPECT_EQ(table.tensors().size(), 3u);
  expect_tensor(table, "Wemb", ElementType::f32, {3, 4}, ramp(12));
  expect_tensor(table, "decoder_ff_logit_out_b", ElementType::f32, {1, 3}, ramp(3));
  EXPECT_EQ(table.read_text("special:model.yml"),
            "# made up\ndim-emb: 8\ndim-vocabs:\n  - 12\n  - 12\ntype: transformer\n");
}

TEST(MarianBinary, IsRefusedWhereverItIsCutShort) {
  const std::string whole_file = fixture_bytes("marian.bin");
  for (std::size_t size = 0; size < whole_file.size(); ++size)
    EXPECT_THROW(read_marian_binary(memory_file(whole_file.substr(0, size))), DataError) << size;
  expect_marian_error(whole_file + "x", {"1 bytes follow its last tensor"});
}

TEST(MarianBinary, NamesTypesThatItCannotRead) {
  const auto refuse = [](std::uint64_t type, std::string_view name) {
    expect_marian_error(
        written_marian({{"Wemb", type, {2}, std::string(8, 'x')}}),
        {"tensor 'Wemb': expected float32, found ", name, "convert the model that was trained"});
  };
  refuse(0x402, "float16");
  refuse(0x2801, "packed8avx512");
  refuse(0x13001, "intgemm8avx512vnni");
  refuse(0x14002, "intgemm16sse2");
  refuse(0x4102, "intgemm16;");
  refuse(0x777, "type 0x777");
}

// Matrices lie column after column, tables row after row; the scale follows.
TEST(MarianBinary, HoldsWeightsInEightBitsForAnyProcessor) {
  const std::string bytes{1, 2, 3, 4, 5, -6}, stored = bytes + bytes_of(2.0f) + "padding";
  for (const std::uint64_t type : {0x10001, 0x4101}) {
    TensorTable table = read_marian_binary(memory_file(written_marian(
        {{"encoder_l1_self_Wq", type, {3, 2}, stored}, {"Wemb", type, {3, 2}, stored}})));
    EXPECT_EQ(table.read("encoder_l1_self_Wq", {3, 2}).to_vector(),
              (std::vector<float>{0.5f, 2.0f, 1.0f, 2.5f, 1.5f, -3.0f}));
    EXPECT_EQ(table.read("Wemb", {3, 2}).to_vector(),
              (std::vector<float>{0.5f, 1.0f, 1.5f, 2.0f, 2.5f, -3.0f}));
  }
}

TEST(MarianBinary, RefusesWeightsInEightBitsWithoutAScale) {
  const auto read = [](const std::string& data) {
    return read_marian_binary(memory_file(written_marian({{"Wemb", 0x10001, {1, 2}, data}})))
        .read("Wemb");
  };
  expect_error<DataError>([&] { read("ab"); }, {"tensor 'Wemb'", "truncated?"});
  for (const float scale : {0.0f, -1.0f, INFINITY, NAN})
    expect_error<DataError>([&] { read("ab" + bytes_of(scale)); },
                            {"tensor 'Wemb': expected a positive scale"});
}

TEST(MarianBinary, ComparesShapesWithTheirData) {
  const std::string data(8, 'x');
  EXPECT_EQ(read_marian_binary(memory_file(written_marian({{"w", 0x404, {1, 2}, data}})))
                .read("w", {1, 2})
                .size(),
            2);
  for (const std::vector<std::int32_t>& shape :
       std::vector<std::vector<std::int32_t>>{{3}, {-1, -2}, {1 << 30, 1 << 30}, {65536, 65536}})
    expect_marian_error(written_marian({{"w", 0x404, shape, data}}),
                        {"tensor 'w': expected F32 [", "found 8 bytes left for 8; truncated?"});
}

TEST(MarianBinary, BoundsEveryNumber) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::string version = bytes_of(std::uint64_t{1});
  expect_marian_error("", {"truncated?"});
  expect_marian_error(bytes_of(std::uint64_t{2}) + version,
                      {"expected version 1 of Marian's format, found 2"});
  expect_marian_error(version + bytes_of(kHuge), {"it claims 18446744073709551615 tensors"});
  const std::string file = written_marian({{"w", 0x404, {1}, "1234"}});
  for (const std::size_t field : {16u, 32u, 40u}) {  // the length of name, shape and data
    std::string changed = file;
    changed.replace(field, 8, bytes_of(kHuge));
    EXPECT_THROW(read_marian_binary(memory_file(changed)), DataError) << field;
  }
  std::string padding = file;
  padding.replace(file.size() - 12, 8, bytes_of(kHuge));
  expect_marian_error(padding, {"expected 18446744073709551615 bytes more, found 4"});
}

TEST(MarianBinary, WantsNamesThatEnd) {
  std::string file = written_marian({{"name", 0x404, {1}, "1234"}});
  file.replace(file.find("name"), 4, std::string("n\0me", 4));
  expect_marian_error(file, {"expected a name that ends with a zero byte, found 'n\\x00me\\x00'"});
  expect_marian_error(written_marian({{"w", 0x404, {1}, "1234"}, {"w", 0x404, {1}, "1234"}}),
                      {"two tensors have the name 'w'"});
}

}  // namespace
}  // namespace attend
