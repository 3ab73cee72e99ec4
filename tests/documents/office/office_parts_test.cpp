#include "attend/documents/office/office_parts.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/written_zip.h"

namespace attend {
namespace {

std::vector<std::string> names_of(OfficeKind kind, const std::vector<std::string>& names) {
  std::vector<WrittenEntry> entries;
  for (const std::string& name : names) entries.push_back({.name = name});
  const std::string bytes = written_zip(entries);
  const ZipArchive archive(std::make_shared<const InputFile>("a", bytes));
  std::vector<std::string> found;
  for (const auto& [name, reader] : part_readers(archive, kind)) found.push_back(name);
  return found;
}

TEST(OfficeParts, AreThoseWithTextThatPeopleSee) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      names_of(OfficeKind::word, {"word/document.xml", "word/header1.xml", "word/styles.xml",
                                  "word/charts/chart1.xml", "word/charts/_rels/chart1.xml.rels",
                                  "word/charts/colors1.xml", "word/diagrams/data1.xml"}),
      (Names{"word/charts/chart1.xml", "word/diagrams/data1.xml", "word/document.xml",
             "word/header1.xml"}));
  EXPECT_EQ(
      names_of(OfficeKind::presentation,
               {"ppt/presentation.xml", "ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels",
                "ppt/notesSlides/notesSlide1.xml", "ppt/notesMasters/notesMaster1.xml",
                "ppt/slideLayouts/slideLayout1.xml", "ppt/comments/comment1.xml"}),
      (Names{"ppt/notesSlides/notesSlide1.xml", "ppt/slideLayouts/slideLayout1.xml",
             "ppt/slides/slide1.xml"}));
  EXPECT_EQ(names_of(OfficeKind::open_document, {"content.xml", "meta.xml", "styles.xml"}),
            (Names{"content.xml", "styles.xml"}));
}

}  // namespace
}  // namespace attend
