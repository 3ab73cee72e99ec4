#include "attend/server/http/form.h"

#include <gtest/gtest.h>

#include "attend/server/http/message.h"

namespace attend {
namespace {

TEST(Form, DecodesPlusAndPercent) {
  const auto fields = parse_form("q=a+b%20c%C3%A4&&empty=&alone&r=1=2");
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[0].name, "q");
  EXPECT_EQ(fields[0].value, "a b cä");
  EXPECT_EQ(fields[1].value, "");
  EXPECT_EQ(fields[2].name, "alone");
  EXPECT_EQ(fields[3].value, "1=2");
}

TEST(Form, RefusesBrokenEscapesAndTooManyFields) {
  for (const char* wrong : {"q=%", "q=%4", "q=%zz", "%g1=a"})
    EXPECT_THROW(parse_form(wrong), HttpError) << wrong;
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "a=b&";
  EXPECT_THROW(parse_form(many), HttpError);
}

constexpr const char* kType = "multipart/form-data; boundary=\"xy z\"";

TEST(Multipart, ReadsPartsAndFiles) {
  const auto fields = parse_multipart(
      "preamble\r\n--xy z\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\ntwo\r\nlines\r\n"
      "--xy z\r\ncontent-disposition: form-data; name=file; filename=\"a \\\"b\\\".txt\"\r\n"
      "Content-Type: text/plain\r\n\r\n\r\n--xy z--\r\nafter",
      kType);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].name, "q");
  EXPECT_EQ(fields[0].value, "two\r\nlines");
  EXPECT_EQ(fields[1].name, "file");
  EXPECT_EQ(fields[1].file, "a \"b\".txt");
  EXPECT_EQ(fields[1].value, "");
}

TEST(Multipart, RefusesBrokenOnes) {
  for (const char* wrong :
       {"", "--xy z", "--xy z\r\n", "--xy z\r\n\r\nno name\r\n--xy z--",
        "--xy z\r\nContent-Disposition: form-data; name=q\r\n--xy z--",
        "--xy z\r\nContent-Disposition: form-data; name=q\r\n\r\nvalue\r\n--xy z",
        "--xy z\r\nContent-Disposition: form-data; name=q\r\n\r\nvalue"})
    EXPECT_THROW(parse_multipart(wrong, kType), HttpError) << wrong;
  EXPECT_THROW(parse_multipart("--a--", "multipart/form-data"), HttpError);
  EXPECT_THROW(parse_multipart("--a--", "multipart/form-data; boundary="), HttpError);
}

TEST(HeaderParameter, FindsTheOneOfThatName) {
  EXPECT_EQ(header_parameter("a; b=1; c=\"2;\\\"3\" ;d=4", "c"), "2;\"3");
  EXPECT_EQ(header_parameter("a; b=1; c=\"2;3\" ;d=4", "D"), "4");
  EXPECT_EQ(header_parameter("a; flag; b = 1", "b"), "1");
  EXPECT_EQ(header_parameter("a", "b"), "");
  EXPECT_EQ(header_parameter("a;b=\"1", "b"), "1");
}

TEST(MediaType, IsInSmallLettersWithoutParameters) {
  EXPECT_EQ(media_type(" Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type(""), "");
}

}  // namespace
}  // namespace attend
