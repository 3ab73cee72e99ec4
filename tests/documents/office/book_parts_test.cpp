#include "attend/documents/office/book_parts.h"

#include <gtest/gtest.h>

#include <memory>

#include "attend/error.h"
#include "core/written_zip.h"
#include "documents/office/part_in_capitals.h"
#include "documents/strings_of.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr const char* kBookContainer =
    "<container><rootfiles><rootfile full-path=\"o/package.opf\"/></rootfiles></container>";
constexpr const char* kPackage =
    "<package><metadata><dc:title id=\"t\">a book</dc:title><dc:language>en</dc:language>"
    "<dc:description>of dogs &amp; cats</dc:description><dc:creator>ann</dc:creator></metadata>"
    "<manifest><item href=\"a%20b.xhtml\" media-type=\"application/xhtml+xml\"/>"
    "<item href=\"../nav.xhtml\" media-type=\"application/xhtml+xml\"/>"
    "<item href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>"
    "<item href=\"i.svg\" media-type=\"image/svg+xml\"/></manifest></package>";
constexpr const char* kChapter =
    "<?xml version=\"1.0\"?><!DOCTYPE html><html><head><title>one</title></head><body><p>a "
    "<i>dog</i>&nbsp;sleeps.<br/>yes</p><hr/></body></html>";

std::string book() {
  return written_zip(
      {{.name = "mimetype", .bytes = "application/epub+zip"},
       {.name = "META-INF/container.xml", .bytes = kBookContainer},
       {.name = "o/package.opf", .bytes = kPackage, .deflate = true},
       {.name = "o/a b.xhtml", .bytes = kChapter, .deflate = true},
       {.name = "nav.xhtml", .bytes = "<nav><a href=\"a\">one</a></nav>"},
       {.name = "o/other.xhtml", .bytes = "not in the list <"},
       {.name = "o/toc.ncx", .bytes = "<ncx><navLabel><text>one</text></navLabel></ncx>"}});
}

TEST(Book, HasTheTextsThatItsPackageLists) {
  const std::string bytes = book();
  const ZipArchive archive(std::make_shared<const InputFile>("a", bytes));
  Strings names;
  for (const auto& [name, reader] : book_part_readers(archive)) names.push_back(name);
  EXPECT_EQ(names, (Strings{"nav.xhtml", "o/a b.xhtml", "o/package.opf", "o/toc.ncx"}));
}

TEST(Book, KeepsEverythingButItsTexts) {
  const std::string file = file_in_capitals("a.epub", book());
  EXPECT_EQ(file_in_capitals("b.epub", file), file);
  EXPECT_EQ(file.substr(30, 28), "mimetypeapplication/epub+zip");
  Documents documents;
  documents.push_back(read_document("a.epub", file));
  EXPECT_EQ(strings_of(texts_of(documents)), (Strings{"A BOOK", "OF DOGS & CATS", "ONE",
                                                      "A DOG\u00a0SLEEPS.", "YES", "ONE", "ONE"}));
}

TEST(Book, IsRefusedWithoutItsList) {
  expect_error<DataError>(
      [] {
        read_document("a.epub", written_zip({{"x", "y"}}));
      },
      {"'a.epub': no book: there is no 'META-INF/container.xml'"});
  expect_error<DataError>(
      [] {
        read_document("a.epub", written_zip({{"META-INF/container.xml", kBookContainer}}));
      },
      {"there is no 'o/package.opf'"});
  std::string container;
  std::vector<WrittenEntry> entries;
  for (int i = 0; i < 9; ++i) {
    const std::string name = "p" + std::to_string(i);
    container += "<rootfile full-path=\"" + name + "\"/><rootfile full-path=\"" + name + "\"/>";
    entries.push_back({.name = name, .bytes = "<package/>"});
  }
  entries.push_back({.name = "META-INF/container.xml", .bytes = "<c>" + container + "</c>"});
  expect_error<DataError>([&] { read_document("a.epub", written_zip(entries)); },
                          {"'a.epub': more than 8 packages in a book"});
}

TEST(PackagePart, HasATitleAndADescriptionThatIsNoHtml) {
  EXPECT_EQ(strings_of(package_part(kPackage).texts()), (Strings{"a book", "of dogs & cats"}));
  const char* html = "<package><dc:description>&lt;p&gt;a dog</dc:description></package>";
  EXPECT_EQ(checked_capitals(package_part(html)), html);
}

TEST(ContentsPart, HasLabelsButNoPages) {
  const char* contents =
      "<ncx><docTitle><text>book</text></docTitle><docAuthor><text>ann</text></docAuthor><navMap>"
      "<navPoint><navLabel><text>one</text></navLabel></navPoint></navMap><pageList><pageTarget>"
      "<navLabel><text>iv</text></navLabel></pageTarget></pageList></ncx>";
  EXPECT_EQ(strings_of(contents_part(contents).texts()), (Strings{"book", "one"}));
}

}  // namespace
}  // namespace attend
