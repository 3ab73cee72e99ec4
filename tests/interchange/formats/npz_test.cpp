#include "attend/interchange/formats/npz.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class Npz : public testing::TestWithParam<const char*> {};

TEST_P(Npz, HoldsWhatNumPyWrote) {
  TensorTable table = read_npz(open_fixture(GetParam()));
  EXPECT_EQ(table.tensors().size(), 15u);
  expect_tensor(table, "f8", ElementType::f64, {2, 3}, ramp(6));
  expect_tensor(table, "f4", ElementType::f32, {3, 4}, ramp(12));
  expect_tensor(table, "f2", ElementType::f16, {5}, ramp(5));
  expect_tensor(table, "i8", ElementType::i64, {3}, whole(3));
  expect_tensor(table, "i4", ElementType::i32, {2, 2}, whole(4));
  expect_tensor(table, "i2", ElementType::i16, {3}, whole(3));
  expect_tensor(table, "i1", ElementType::i8, {4}, whole(4));
  expect_tensor(table, "u1", ElementType::u8, {4}, whole(4, 200));
  expect_tensor(table, "b1", ElementType::boolean, {5}, positive(5));
  expect_tensor(table, "scalar", ElementType::f32, {}, {2.5f});
  expect_tensor(table, "empty", ElementType::f32, {0, 3}, {});
  expect_tensor(table, "flat", ElementType::f32, {2000}, std::vector<float>(2000, 0.0f));
}

TEST_P(Npz, ReadsColumnMajorArraysRowAfterRow) {
  TensorTable table = read_npz(open_fixture(GetParam()));
  expect_tensor(table, "columns", ElementType::f32, {3, 4}, ramp(12));
  expect_tensor(table, "cube", ElementType::f32, {2, 3, 4}, ramp(24));
}

TEST_P(Npz, KeepsTheOptionsOfMarian) {
  TensorTable table = read_npz(open_fixture(GetParam()));
  EXPECT_EQ(table.read_text("special:model.yml"),
            "# made up\ndim-emb: 8\ndim-vocabs:\n  - 12\n  - 12\ntype: transformer\n");
}

TEST_P(Npz, IsRefusedWhereverItIsCutShort) {
  const std::string whole_file = fixture_bytes(GetParam());
  for (std::size_t size = 0; size < whole_file.size(); size += size < 200 ? 1 : 7)
    EXPECT_THROW(read_npz(memory_file(std::string_view(whole_file).substr(0, size))), DataError)
        << size;
}

INSTANTIATE_TEST_SUITE_P(Packings, Npz, testing::Values("arrays.npz", "arrays_deflated.npz"));

TensorTable read_array(const std::string& npy, bool deflate = false) {
  return read_npz(memory_file(written_zip({{.name = "w.npy", .bytes = npy, .deflate = deflate}})));
}

void expect_array_error(const std::string& header, std::string_view message) {
  expect_error<DataError>([&] { read_array(written_npy(header, "12345678")); }, {message});
}

TEST(NpzTest, ReadsHeadersAsMarianWritesThem) {
  const std::string data = bytes_of(1.5f) + bytes_of(-2.0f);
  for (const char* const header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2), }     \n",
        "{'shape':(2,),'fortran_order':False,'descr':'=f4'}"})
    EXPECT_EQ(read_array(written_npy(header, data)).read("w").to_vector(),
              (std::vector<float>{1.5f, -2.0f}))
        << header;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  const std::string second_version = "\x93NUMPY" + std::string("\2\0", 2) +
                                     bytes_of(static_cast<std::uint32_t>(header.size())) + header;
  EXPECT_EQ(read_array(second_version + data).read("w", {1, 2}).size(), 2);
}

TEST(NpzTest, NamesElementsThatItCannotRead) {
  for (const char* const type : {">f4", "<f16", "<c8", "<U3", "|O", "<f", "f4", "", "<f4 "})
    expect_array_error(
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}", type),
        fmt::format("array 'w': expected elements <f8, <f4, <f2, <i8, <i4, <i2, |i1, |u1 or |b1, "
                    "found '{}'",
                    type));
}

TEST(NpzTest, RefusesHeadersThatAreNone) {
  for (const char* const header :
       {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 'x'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}"})
    expect_array_error(header,
                       "expected the header of a NumPy array with descr, fortran_order and "
                       "shape, found");
}

TEST(NpzTest, ComparesTheShapeWithTheBytes) {
  expect_array_error("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
                     "array 'w': expected F32 [3], found 8 bytes");
  expect_array_error("{'descr': '<f4', 'fortran_order': True, 'shape': (4611686018427387904, 4), }",
                     "found 8 bytes");
  expect_array_error("{'descr': '|i1', 'fortran_order': False, 'shape': (), }",
                     "expected I8 [], found 8 bytes");
}

TEST(NpzTest, HoldsArraysAndNothingElse) {
  expect_error<DataError>(
      [] {
        read_npz(memory_file(written_zip({{"w.txt", "x"}})));
      },
      {"expected arrays (.npy) in the zip file, found 'w.txt'"});
  expect_error<DataError>([] { read_array("hello world"); },
                          {"array 'w': expected a NumPy array, found something else"});
  expect_error<DataError>([] { read_array("\x93NUMPY\3" + std::string(9, '\0')); },
                          {"expected version 1.0 or 2.0 of the array format, found 3.0"});
  expect_error<DataError>([] { read_array("\x93NUMPY" + std::string("\1\0\xff\xff", 4)); },
                          {"array 'w': expected 65535 bytes at byte 10, found 0; truncated?"});
}

TEST(NpzTest, NoticesDamagedArrays) {
  std::string file = fixture_bytes("arrays.npz");
  const std::string data = bytes_of(ramp(3)[0]) + bytes_of(ramp(3)[1]) + bytes_of(ramp(3)[2]);
  file[file.find(data)] ^= 1;
  expect_error<DataError>([&] { read_npz(memory_file(file)).read("f4"); },
                          {"entry 'f4.npy'", "checksum is wrong"});
}

}  // namespace
}  // namespace attend
