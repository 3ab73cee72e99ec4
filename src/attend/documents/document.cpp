#include "attend/documents/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markdown/markdown_document.h"
#include "attend/documents/markup/markup_document.h"
#include "attend/documents/messages/json_file.h"
#include "attend/documents/messages/po_file.h"
#include "attend/documents/messages/table_file.h"
#include "attend/documents/messages/xliff_file.h"
#include "attend/documents/office/office_file.h"
#include "attend/documents/subtitles/subtitle_file.h"
#include "attend/error.h"

namespace attend {
namespace {

class PlainText : public Document {
 public:
  explicit PlainText(std::string text) : text_(std::move(text)) {}
  std::vector<SourceText> texts() const override { return {{text_}}; }
  std::size_t bytes() const override { return text_.size(); }
  std::string translation(std::span<const TranslatedText> texts, std::size_t k) const override {
    return texts[0].translation(k);
  }

 private:
  std::string text_;
};

// A document that is one part: HTML or Markdown.
template <class Part>
class PartDocument : public Document {
 public:
  explicit PartDocument(Part part) : part_(std::move(part)) {}
  std::vector<SourceText> texts() const override { return part_.texts(); }
  std::size_t bytes() const override { return part_.bytes(); }
  std::string translation(std::span<const TranslatedText> texts, std::size_t k) const override {
    return part_.translation(texts, k);
  }

 private:
  Part part_;
};

class OfficeDocument : public Document {
 public:
  explicit OfficeDocument(OfficeFile file) : file_(std::move(file)) {}
  std::vector<SourceText> texts() const override {
    std::vector<SourceText> all;
    for (const MarkupDocument& part : file_.parts())
      for (SourceText& text : part.texts()) all.push_back(std::move(text));
    return all;
  }
  std::size_t bytes() const override { return file_.bytes(); }
  std::string translation(std::span<const TranslatedText> texts, std::size_t k) const override {
    std::vector<std::string> parts;
    for (const MarkupDocument& part : file_.parts()) {
      const std::size_t count = part.count_texts();
      parts.push_back(part.translation(texts.first(count), k));
      texts = texts.subspan(count);
    }
    return file_.with_parts(parts);
  }

 private:
  OfficeFile file_;
};

using Reader = std::unique_ptr<const Document> (*)(std::string_view name, std::string_view content,
                                                   const DocumentFileOptions& options);

std::unique_ptr<const Document> read_text(std::string_view name, std::string_view content,
                                          const DocumentFileOptions&) {
  if (!is_utf8(content)) throw DataError(fmt::format("{}: expected UTF-8", quote(name)));
  return plain_text(std::string(content));
}

std::unique_ptr<const Document> read_html(std::string_view name, std::string_view content,
                                          const DocumentFileOptions&) {
  if (!is_utf8(content)) throw DataError(fmt::format("{}: expected UTF-8", quote(name)));
  return html_page(content);
}

std::unique_ptr<const Document> read_markdown(std::string_view name, std::string_view content,
                                              const DocumentFileOptions&) {
  if (!is_utf8(content)) throw DataError(fmt::format("{}: expected UTF-8", quote(name)));
  return std::make_unique<PartDocument<MarkdownDocument>>(MarkdownDocument(content));
}

template <OfficeKind kind>
std::unique_ptr<const Document> read_office(std::string_view name, std::string_view content,
                                            const DocumentFileOptions&) {
  return std::make_unique<OfficeDocument>(OfficeFile(name, content, kind));
}

template <std::unique_ptr<const Document> (*read)(std::string_view, std::string_view)>
std::unique_ptr<const Document> read_without_options(std::string_view name,
                                                     std::string_view content,
                                                     const DocumentFileOptions&) {
  return read(name, content);
}

struct FileType {
  std::string_view extension;
  std::string_view type;
  Reader read;
  bool keeps_source = false;
};

constexpr std::array<FileType, 21> kFileTypes{
    {{".txt", "text/plain; charset=utf-8", read_text},
     {".html", "text/html; charset=utf-8", read_html},
     {".htm", "text/html; charset=utf-8", read_html},
     {".md", "text/markdown; charset=utf-8", read_markdown},
     {".markdown", "text/markdown; charset=utf-8", read_markdown},
     {".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      read_office<OfficeKind::word>},
     {".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      read_office<OfficeKind::presentation>},
     {".odt", "application/vnd.oasis.opendocument.text", read_office<OfficeKind::open_document>},
     {".odp", "application/vnd.oasis.opendocument.presentation",
      read_office<OfficeKind::open_document>},
     {".odg", "application/vnd.oasis.opendocument.graphics",
      read_office<OfficeKind::open_document>},
     {".epub", "application/epub+zip", read_office<OfficeKind::book>},
     {".json", "application/json", read_without_options<read_json_strings>},
     {".arb", "application/json", read_arb},
     {".csv", "text/csv; charset=utf-8", read_csv},
     {".tsv", "text/tab-separated-values; charset=utf-8", read_tsv},
     {".po", "text/x-gettext-translation; charset=utf-8", read_po, true},
     {".pot", "text/x-gettext-translation; charset=utf-8", read_po, true},
     {".xlf", "application/xliff+xml", read_xliff, true},
     {".xliff", "application/xliff+xml", read_xliff, true},
     {".srt", "application/x-subrip", read_without_options<read_srt>},
     {".vtt", "text/vtt; charset=utf-8", read_without_options<read_vtt>}}};

const FileType* find_type(std::string_view extension) {
  for (const FileType& one : kFileTypes)
    if (one.extension == extension) return &one;
  return nullptr;
}

}  // namespace

std::unique_ptr<const Document> plain_text(std::string text) {
  return std::make_unique<PlainText>(std::move(text));
}

std::unique_ptr<const Document> html_page(std::string_view html) {
  return std::make_unique<PartDocument<MarkupDocument>>(MarkupDocument::html(html));
}

std::unique_ptr<const Document> xml_text(std::string_view xml) {
  return std::make_unique<PartDocument<MarkupDocument>>(MarkupDocument::xml(xml));
}

std::unique_ptr<const Document> read_document(std::string_view name, std::string_view content,
                                              const DocumentFileOptions& options) {
  require_known_format(name);
  return find_type(extension_of(name))->read(name, content, options);
}

void require_known_format(std::string_view name) {
  if (find_type(extension_of(name)) == nullptr)
    throw DataError(fmt::format("{}: expected a file with the extension {}", quote(name),
                                fmt::join(document_extensions(), ", ")));
}

bool keeps_source(std::string_view name) {
  const FileType* const type = find_type(extension_of(name));
  return type != nullptr && type->keeps_source;
}

std::string extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  std::string extension(name.substr(dot));
  for (char& c : extension) c = ascii_lower(c);
  return extension;
}

std::string type_of_extension(std::string_view extension) {
  const FileType* const type = find_type(extension);
  return type == nullptr ? std::string() : std::string(type->type);
}

std::vector<std::string> document_extensions() {
  std::vector<std::string> all;
  for (const FileType& one : kFileTypes) all.emplace_back(one.extension);
  return all;
}

std::vector<SourceText> texts_of(const Documents& documents) {
  std::vector<SourceText> all;
  for (const auto& document : documents)
    for (SourceText& text : document->texts()) all.push_back(std::move(text));
  return all;
}

std::vector<std::string> translations_of(const Documents& documents, const TranslatedTexts& all,
                                         std::size_t k) {
  std::vector<std::string> translated;
  std::span<const TranslatedText> rest(all.texts);
  for (const auto& document : documents) {
    const std::size_t count = document->texts().size();
    translated.push_back(document->translation(rest.first(count), k));
    rest = rest.subspan(count);
  }
  return translated;
}

}  // namespace attend
