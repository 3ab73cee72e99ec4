// Files of word processors, made here and read back.
#include "attend/documents/office/office_file.h"

#include <gtest/gtest.h>

#include "attend/core/too_long.h"
#include "attend/error.h"
#include "core/written_zip.h"
#include "documents/in_capitals.h"
#include "documents/strings_of.h"
#include "documents/word_document.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(OfficeFile, KeepsEverythingButItsTexts) {
  const std::string image("\x89PNG\0\1", 6);
  const std::string file = file_in_capitals(
      "a.DOCX", written_zip({{"[Content_Types].xml", "<t>text</t>"},
                             {"word/media/i.png", image},
                             {"word/document.xml", kWordDocument},
                             {"word/header1.xml", "<w:p><w:r><w:t>head</w:t></w:r></w:p>"}}));
  // Again, and nothing is left to change.
  EXPECT_EQ(file_in_capitals("b.docx", file), file);
  EXPECT_NE(file.find(image), std::string::npos);
  EXPECT_NE(file.find("<t>text</t>"), std::string::npos);
  const OfficeFile read("b.docx", file, OfficeKind::word);
  ASSERT_EQ(read.parts().size(), 2u);
  EXPECT_EQ(read.parts()[0].blocks()[0].text, "A BOLD WORD & \tA LINK");
  EXPECT_EQ(read.parts()[1].blocks()[0].text, "HEAD");
}

TEST(OfficeFile, OfSlidesAndDrawingsIsReadByItsName) {
  const std::string slide = "<p:sld><a:p><a:r><a:t>a dog</a:t></a:r></a:p></p:sld>";
  const std::string slides = written_zip({{"ppt/slides/slide1.xml", slide}});
  EXPECT_EQ(file_in_capitals("a.pptx", file_in_capitals("a.pptx", slides)),
            file_in_capitals("a.pptx", slides));
  Documents documents;
  documents.push_back(read_document("a.pptx", file_in_capitals("a.pptx", slides)));
  const std::string content = written_zip({{"content.xml", "<text:p>a cat</text:p>"}});
  for (const char* name : {"a.odp", "a.odg"}) documents.push_back(read_document(name, content));
  EXPECT_EQ(strings_of(texts_of(documents)), (std::vector<std::string>{"A DOG", "a cat", "a cat"}));
}

TEST(OfficeFile, RefusesWhatIsNone) {
  const auto refused = [](const std::string& name, const std::string& content,
                          std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { read_document(name, content); }, fragments);
  };
  refused("a.docx", "text", {"'a.docx': ", "not a zip file"});
  refused("a.odt", "", {"'a.odt': ", "not a zip file"});
  refused("a.docx", written_zip({{"x", "y"}}),
          {"'a.docx': there is no text in it; expected word/document.xml"});
  refused("a.odt", written_zip({{"word/document.xml", kWordDocument}}),
          {"'a.odt': there is no text in it; expected content.xml"});
  std::string damaged = written_zip({{"content.xml", "<text:p>a</text:p>"}});
  damaged.resize(damaged.size() - 10);
  refused("a.odt", damaged, {"'a.odt': "});
}

TEST(OfficeFile, RefusesTextsThatAreTooLarge) {
  const std::string blank(33 << 20, ' ');
  expect_error<TooLongError>(
      [&] {
        read_document("a.odt",
                      written_zip({{.name = "content.xml", .bytes = blank, .deflate = true}}));
      },
      {"'a.odt': its texts are larger than 33554432 bytes"});
}

}  // namespace
}  // namespace attend
