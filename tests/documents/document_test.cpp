#include "attend/documents/document.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/in_capitals.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(Document, IsReadByTheNameOfItsFile) {
  EXPECT_EQ(file_in_capitals("a.txt", "one.\n\ntwo"), "ONE.\n\nTWO");
  EXPECT_EQ(file_in_capitals("a.HTML", "<p>one</p>"), "<p>ONE</p>");
}

TEST(Document, MayKeepItsSource) {
  for (const char* name : {"a.po", "a.pot", "a.xlf", "a.XLIFF"}) EXPECT_TRUE(keeps_source(name));
  for (const char* name : {"a.srt", "a.html", "a"}) EXPECT_FALSE(keeps_source(name));
}

TEST(Document, OfAnotherKindIsRefusedByItsName) {
  expect_error<DataError>([] { read_document("a.pdf", "x"); },
                          {"'a.pdf': expected a file with the extension .txt, .html"});
  expect_error<DataError>([] { read_document("a", "x"); }, {"'a': expected a file"});
  expect_error<DataError>([] { read_document("a.txt", "\xff"); }, {"'a.txt': expected UTF-8"});
}

}  // namespace
}  // namespace attend
