#include "attend/data/documents.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Units = std::vector<std::string>;

class Documents : public WithFiles {};

TEST_F(Documents, AreWholeFilesWithTheirLineBreaks) {
  const DocumentOptions documents{.documents = true, .document_end = ""};
  for (const std::string content : {"one", "one\n", "one\n\n two \n", "\n", "a\n<end>\nb"})
    EXPECT_EQ(read_units(write("a", content), documents), Units{content});
  EXPECT_EQ(read_units(write("a", "one\r\ntwo\r\n"), documents), Units{"one\ntwo\n"});
  EXPECT_EQ(read_units(write("a", "one\ntwo\n"), {}), (Units{"one", "two"}));
}

TEST_F(Documents, EndAtALineThatIsNoPartOfThem) {
  const DocumentOptions documents{.documents = true, .document_end = "<end>"};
  EXPECT_EQ(read_units(write("a", "one\n\ntwo\n<end>\nthree\n<end> \nfour\n"), documents),
            (Units{"one\n\ntwo", "three\n<end> \nfour\n"}));
  EXPECT_EQ(read_units(write("a", "<end>\n<end>\none\n<end>\n"), documents), Units{"one"});
  expect_error<ConfigError>([] { check(DocumentOptions{.documents = false, .document_end = "x"}); },
                            {"document_end", "documents"});
}

TEST_F(Documents, HaveLinesWithTheirBreaks) {
  EXPECT_EQ(lines_of(Units{"one\n\ntwo", "three\n"}), (Units{"one\n", "\n", "two", "three\n"}));
}

}  // namespace
}  // namespace attend
