#include "attend/interchange/formats/npy_header.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

// Version 1 with this text; the rest stands after the header.
std::string header_with(const std::string& text, const std::string& rest = "") {
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + rest;
}

NpyHeader npy_header_of(const std::string& bytes) {
  return read_npy_header(std::as_bytes(std::span(bytes)), "a.npy");
}

TEST(NpyHeader, ReadsWhatNumPyWrites) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
  const NpyHeader header = npy_header_of(header_with(text, "elements"));
  EXPECT_EQ(header.bytes, 10 + text.size());
  EXPECT_EQ(header.type, ElementType::f32);
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_FALSE(header.column_major);
}

TEST(NpyHeader, ReadsItsKeysInAnyOrder) {
  const NpyHeader header =
      npy_header_of(header_with("{'shape':(),'fortran_order':True,'descr':'|b1'}"));
  EXPECT_TRUE(header.shape.empty());
  EXPECT_TRUE(header.column_major);
  EXPECT_EQ(header.type, ElementType::boolean);
}

TEST(NpyHeader, ReadsVersionTwo) {
  std::string bytes = header_with("{'descr': '<i8', 'fortran_order': False, 'shape': (0,)}");
  bytes[6] = '\x02';
  bytes.insert(10, 2, '\0');  // a length of four bytes
  EXPECT_EQ(npy_header_of(bytes).shape, std::vector<std::int64_t>{0});
}

TEST(NpyHeader, RefusesOtherTexts) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<f4', 'fortran_order': false, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3",
        "{'descr': '>f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': ()}"})
    EXPECT_THROW(npy_header_of(header_with(text)), DataError) << text;
}

TEST(NpyHeader, RefusesMoreThan64Dimensions) {
  std::string shape;
  for (int i = 0; i < 65; ++i) shape += "1,";
  EXPECT_THROW(npy_header_of(header_with("{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                                         shape + ")}")),
               DataError);
}

TEST(NpyHeader, RefusesFilesThatEndInIt) {
  const std::string whole = header_with("{'descr': '<f4', 'fortran_order': False, 'shape': ()}");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(npy_header_of(whole.substr(0, length)), DataError) << length;
  std::string other = whole;
  other[6] = '\x03';
  EXPECT_THROW(npy_header_of(other), DataError) << "an unknown version";
}

}  // namespace
}  // namespace attend
