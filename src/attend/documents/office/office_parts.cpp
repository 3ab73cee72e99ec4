#include "attend/documents/office/office_parts.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/documents/markup/xml.h"
#include "attend/documents/office/book_parts.h"
#include "attend/documents/office/drawing_part.h"
#include "attend/documents/office/open_document_part.h"
#include "attend/documents/office/word_part.h"

namespace attend {
namespace {

struct PartName {
  std::string_view begin;
  PartReader read;
};

constexpr std::array<PartName, 7> kWordParts{{{"word/document", word_part},
                                              {"word/header", word_part},
                                              {"word/footer", word_part},
                                              {"word/footnotes", word_part},
                                              {"word/endnotes", word_part},
                                              {"word/charts/chart", drawing_part},
                                              {"word/diagrams/", drawing_part}}};
// The text of layouts and masters is seen on slides, but for that of placeholders.
constexpr std::array<PartName, 6> kPresentationParts{
    {{"ppt/slides/slide", drawing_part},
     {"ppt/slideLayouts/slideLayout", drawing_part_without_placeholders},
     {"ppt/slideMasters/slideMaster", drawing_part_without_placeholders},
     {"ppt/notesSlides/notesSlide", drawing_part},
     {"ppt/charts/chart", drawing_part},
     {"ppt/diagrams/", drawing_part}}};
// Headers, footers and masters stand among the styles.
constexpr std::array<PartName, 2> kOpenDocumentParts{
    {{"content.xml", open_document_part}, {"styles.xml", open_document_part}}};

std::span<const PartName> names_of(OfficeKind kind) {
  if (kind == OfficeKind::word) return kWordParts;
  if (kind == OfficeKind::presentation) return kPresentationParts;
  return kOpenDocumentParts;
}

}  // namespace

PartReaders part_readers(const ZipArchive& archive, OfficeKind kind) {
  if (kind == OfficeKind::book) return book_part_readers(archive);
  PartReaders readers;
  for (const ZipEntry& entry : archive.entries()) {
    const std::string_view name = entry.name;
    for (const PartName& part : names_of(kind)) {
      const bool is_whole = part.begin.ends_with(".xml");
      // Nothing of a folder within, such as word/charts/_rels/.
      if (is_whole ? name == part.begin
                   : name.starts_with(part.begin) && name.ends_with(".xml") &&
                         name.find('/', part.begin.size()) == name.npos)
        readers.emplace(entry.name, part.read);
    }
  }
  return readers;
}

std::string read_xml_part(const ZipArchive& archive, const ZipEntry& entry) {
  const std::string name = fmt::format("{}: {}", archive.path(), quote(entry.name));
  const std::vector<std::byte> bytes = archive.read(entry, kLargestPart);
  std::string xml = xml_in_utf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  require_well_formed(xml, name);
  return xml;
}

std::string_view main_part(OfficeKind kind) {
  if (kind == OfficeKind::word) return "word/document.xml";
  if (kind == OfficeKind::presentation) return "ppt/slides/slide1.xml";
  if (kind == OfficeKind::book) return "META-INF/container.xml and the texts that it leads to";
  return "content.xml";
}

}  // namespace attend
