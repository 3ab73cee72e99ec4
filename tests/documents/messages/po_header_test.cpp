#include "attend/documents/messages/po_header.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(PoHeader, HasFields) {
  EXPECT_EQ(po_header_field("X-Language: x\nLanguage:  de \nY: z\n", "Language"), "de");
  EXPECT_EQ(po_header_field("Languages: x\n", "Language"), "");
}

TEST(PoHeader, HasItsEmptyFieldsFilled) {
  EXPECT_EQ(filled_po_header("Language: \nPlural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"
                             "Content-Type: text/plain; charset=CHARSET\n",
                             "pt-BR"),
            "Language: pt_BR\nPlural-Forms: nplurals=2; plural=(n > 1);\n"
            "Content-Type: text/plain; charset=UTF-8\n");
  EXPECT_EQ(filled_po_header("X: charset=CHARSET\n", ""), "X: charset=CHARSET\n");
  const std::string full = "Language: fr\nPlural-Forms: nplurals=2; plural=n;\n";
  EXPECT_EQ(filled_po_header(full, "de"), full);
  EXPECT_EQ(filled_po_header("A: b\n", "de"), "A: b\nLanguage: de\n");
  EXPECT_EQ(filled_po_header("A: b\nLanguage: \n", ""), "A: b\nLanguage: \n");
}

}  // namespace
}  // namespace attend
