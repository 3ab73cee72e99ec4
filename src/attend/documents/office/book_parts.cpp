#include "attend/documents/office/book_parts.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/xml_attributes.h"
#include "attend/documents/office/paragraphs.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::string_view kContainer = "META-INF/container.xml";
// Forms of one book, each with parts of its own.
constexpr int kMostPackages = 8;

std::string_view own_name(std::string_view name) { return name.substr(name.find(':') + 1); }

std::string without_percents(std::string_view address) {
  std::string path;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned value = 0;
    const char* const begin = address.data() + i + 1;
    if (address[i] == '%' && i + 2 < address.size() &&
        std::from_chars(begin, begin + 2, value, 16).ptr == begin + 2) {
      path += static_cast<char>(value);
      i += 2;
    } else {
      path += address[i];
    }
  }
  return path;
}

// The name of the part that an address in the part `from` leads to.
std::string resolved(std::string_view from, std::string_view address) {
  std::string path(from.substr(0, from.rfind('/') + 1));
  path += without_percents(address.substr(0, address.find('#')));
  std::vector<std::string_view> steps;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view step = std::string_view(path).substr(at, end - at);
    if (step == "..") {
      if (!steps.empty()) steps.pop_back();
    } else if (step != ".") {
      steps.push_back(step);
    }
    at = end + 1;
  }
  return fmt::format("{}", fmt::join(steps, "/"));
}

std::string read_named(const ZipArchive& archive, const std::string& name) {
  const ZipEntry* const entry = archive.find(name);
  if (entry == nullptr)
    throw DataError(fmt::format("{}: no book: there is no {}", archive.path(), quote(name)));
  return read_xml_part(archive, *entry);
}

// Tags of this name, whatever their prefix.
std::vector<std::string> tags_of(std::string_view xml, std::string_view name) {
  std::vector<std::string> tags;
  for (const MarkupPiece& piece : all_pieces(xml, MarkupLanguage::xml))
    if (!piece.closes && own_name(piece.name) == name) tags.emplace_back(piece.raw);
  return tags;
}

std::string unescaped_value_of(std::string_view tag, std::string_view attribute) {
  return unescaped_html(xml_attribute(tag, attribute).value_or(""));
}

// Reads the texts that stand right in some elements.
class ElementTexts {
 public:
  virtual ~ElementTexts() = default;

  MarkupDocument read(std::string_view xml) {
    std::vector<MarkupPiece> pieces = all_pieces(xml, MarkupLanguage::xml), chosen;
    for (MarkupPiece& piece : pieces) {
      if (piece.is_text && !open_.empty() && is_text(piece.text())) {
        chosen.push_back(std::move(piece));
        continue;
      }
      chosen.push_back({.raw = piece.raw});
      if (piece.name.empty()) continue;
      if (piece.closes) {
        if (!open_.empty()) open_.pop_back();
      } else if (!piece.closes_self) {
        open_.push_back(std::move(piece.name));
      }
    }
    return {blocks_of(chosen, false), escaped_markup};
  }

 protected:
  // The names of the open elements, outermost first.
  const std::vector<std::string>& open() const { return open_; }
  virtual bool is_text(const std::string& text) const = 0;

 private:
  std::vector<std::string> open_;
};

class PackageTexts final : public ElementTexts {
  bool is_text(const std::string& text) const override {
    return is_one_of(open().back(), {"dc:title", "dc:description"}) && text.find('<') == text.npos;
  }
};

class ContentsTexts final : public ElementTexts {
  bool is_text(const std::string&) const override {
    if (open().size() < 3 || own_name(open().back()) != "text") return false;
    const std::string_view parent = own_name(open()[open().size() - 2]),
                           holder = own_name(open()[open().size() - 3]);
    return parent == "doctitle" || (parent == "navlabel" && holder != "pagetarget");
  }
};

}  // namespace

PartReaders book_part_readers(const ZipArchive& archive) {
  PartReaders readers;
  int packages = 0;
  for (const std::string& root :
       tags_of(read_named(archive, std::string(kContainer)), "rootfile")) {
    const std::string package = resolved("", unescaped_value_of(root, "full-path"));
    if (!readers.emplace(package, package_part).second) continue;
    if (++packages > kMostPackages)
      throw DataError(
          fmt::format("{}: more than {} packages in a book", archive.path(), kMostPackages));
    for (const std::string& item : tags_of(read_named(archive, package), "item")) {
      const std::string part = resolved(package, unescaped_value_of(item, "href"));
      const std::string type = unescaped_value_of(item, "media-type");
      if (type == "application/xhtml+xml") readers.emplace(part, MarkupDocument::xhtml);
      if (type == "application/x-dtbncx+xml") readers.emplace(part, contents_part);
    }
  }
  return readers;
}

MarkupDocument package_part(std::string_view xml) { return PackageTexts().read(xml); }

MarkupDocument contents_part(std::string_view xml) { return ContentsTexts().read(xml); }

}  // namespace attend
