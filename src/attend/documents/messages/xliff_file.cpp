#include "attend/documents/messages/xliff_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/element_tree.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/markup_pieces.h"
#include "attend/documents/markup/xml.h"
#include "attend/documents/markup/xml_attributes.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/documents/messages/xliff_text.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kAnyElementDepth = static_cast<std::size_t>(-1);

class XliffFile : public EditedFile {
 public:
  XliffFile(std::string_view name, std::string_view bytes, std::string_view target)
      : EditedFile(xml_in_utf8(bytes, quote(name))), target_(target) {
    std::replace(target_.begin(), target_.end(), '_', '-');
    require_well_formed(content(), quote(name));
    const std::vector<MarkupPiece> pieces = all_pieces(content(), MarkupLanguage::xml);
    require_known_elements(name, pieces);
    const std::vector<std::size_t> partners = partners_of(pieces, kAnyElementDepth);
    pieces_ = pieces;
    partners_ = partners;
    read_all(name);
    pieces_ = {};
    partners_ = {};
  }

 protected:
  std::string written(const Edit& edit, const TranslatedText& translated,
                      std::size_t k) const override {
    return with_marks(text(edit.text), translated, k, [](std::string_view text) {
      std::string out = escaped_markup(text);
      for (std::size_t at = 0; (at = out.find('\r', at)) != out.npos;) out.replace(at, 1, "&#13;");
      return out;
    });
  }

 private:
  // A unit of version 1, a segment of version 2: numbers of pieces, 0: there is none.
  struct Unit {
    std::size_t element = 0, source = 0, target = 0, last = 0;
  };

  // A tag whose name begins with another character than a letter is none to the reader.
  // Whether it has the name of an element of XLIFF, but for capitals.
  static bool has_capitals(const MarkupPiece& piece) {
    static constexpr std::string_view kNames[] = {
        "xliff",  "file",       "body", "group", "trans-unit", "unit", "segment", "source",
        "target", "seg-source", "mrk",  "g",     "x",          "bx",   "ex",      "ph",
        "bpt",    "ept",        "it",   "pc",    "sc",         "ec",   "sub",     "alt-trans"};
    const std::string_view name = piece.name;
    const std::string_view local = name.substr(name.find(':') + 1);  // all of it without a colon
    if (std::find(std::begin(kNames), std::end(kNames), local) == std::end(kNames)) return false;
    return piece.raw.substr(0, piece.raw.find_first_of(" \t\r\n/>", 2)).find(local) ==
           piece.raw.npos;
  }

  void require_known_elements(std::string_view name, std::span<const MarkupPiece> pieces) const {
    bool has_element = false;
    for (const MarkupPiece& piece : pieces) {
      has_element = has_element || !piece.name.empty();
      if (piece.is_text && piece.literal.empty() && piece.raw.find('<') != piece.raw.npos)
        throw DataError(
            fmt::format("{}: expected elements whose names begin with letters, found {}",
                        quote(name), quote(piece.raw.substr(piece.raw.find('<'), 20))));
      if (has_capitals(piece))
        throw DataError(fmt::format("{}: expected names of elements without capitals, found {}",
                                    quote(name), quote(piece.raw.substr(0, 20))));
    }
    if (!has_element) throw DataError(fmt::format("{}: expected <xliff>, found none", quote(name)));
  }

  bool is(std::size_t piece, std::string_view name) const {
    const std::string_view own = pieces_[piece].name;
    return own.size() == prefix_.size() + name.size() && own.starts_with(prefix_) &&
           own.ends_with(name);
  }
  std::optional<std::string_view> attribute(std::size_t piece, std::string_view name) const {
    return xml_attribute(pieces_[piece].raw, name);
  }
  TextSpan place_of(std::size_t first, std::size_t last) const {
    const auto at = [&](const char* byte) {
      return static_cast<std::size_t>(byte - content().data());
    };
    return {at(pieces_[first].raw.data()), at(pieces_[last].raw.data()) + pieces_[last].raw.size()};
  }

  void read_all(std::string_view name) {
    std::size_t root = 0;
    while (pieces_[root].name.empty()) ++root;
    // What is well-formed may still be read in other pieces: "<?xml ><x> ?>".
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (partners_[i] == kNoPartner)
        throw DataError(fmt::format("{}: {} has no other tag", quote(name),
                                    quote(pieces_[i].raw.substr(0, 20))));
    const std::string_view root_name = pieces_[root].name;
    const std::size_t colon = root_name.find(':');
    prefix_ = colon == root_name.npos ? "" : root_name.substr(0, colon + 1);
    written_prefix_ = pieces_[root].raw.substr(1, prefix_.size());
    const std::string_view version = attribute(root, "version").value_or("");
    is_2_ = version.starts_with("2.");
    if (!is(root, "xliff") || !(is_2_ || version.starts_with("1.")))
      throw DataError(fmt::format("{}: expected <xliff> of version 1 or 2, found {}", quote(name),
                                  quote(pieces_[root].raw)));
    has_qualifiers_ = version == "1.2";
    name_language(root, is_2_ ? "trgLang" : "");
    std::vector<bool> translates{true};
    for (std::size_t i = root + 1; i < partners_[root]; ++i) {
      if (pieces_[i].is_text || pieces_[i].name.empty() || partners_[i] == i) continue;
      if (partners_[i] < i) {
        translates.pop_back();
        continue;
      }
      if (is(i, "file") && !is_2_) name_language(i, "target-language");
      const auto own = attribute(i, "translate");
      const bool is_translated = own ? *own != "no" : translates.back();
      if (is(i, is_2_ ? "segment" : "trans-unit")) {
        if (is_translated) read_unit(i);
        i = partners_[i];
      } else {
        translates.push_back(is_translated);
      }
    }
  }

  void name_language(std::size_t piece, std::string_view name) {
    if (target_.empty() || name.empty() || attribute(piece, name)) return;
    add_edit({.place = place_of(piece, piece),
              .before = with_xml_attribute(pieces_[piece].raw, name, target_)});
  }

  void read_unit(std::size_t element) {
    Unit unit{.element = element};
    for (std::size_t i = element + 1; i < partners_[element]; ++i) {
      // The source in segments is the better one.
      if (is(i, "source") || is(i, "seg-source")) {
        unit.source = i;
        unit.last = partners_[i];
      } else if (is(i, "target")) {
        unit.target = i;
      }
      i = std::max(i, partners_[i]);
    }
    if (unit.source == 0 || is_done(unit)) return;
    const std::size_t length = partners_[unit.source] - unit.source;
    if (length < 2) return;
    // The numbers of the partners are those of the whole file.
    std::vector<std::size_t> partners;
    for (std::size_t i = unit.source + 1; i < partners_[unit.source]; ++i)
      partners.push_back(partners_[i] - unit.source - 1);
    MarkedText text = xliff_text(pieces_.subspan(unit.source + 1, length - 1), partners, prefix_);
    if (!is_blank(text.text)) add_target(unit, add_text(std::move(text)));
  }

  // Whether there is a translation that stays.
  bool is_done(const Unit& unit) const {
    if (unit.target == 0) return false;
    const bool has_content =
        partners_[unit.target] > unit.target + 2 ||
        (partners_[unit.target] == unit.target + 2 && !is_blank(pieces_[unit.target + 1].text()));
    if (!has_content) return false;
    if (is_2_) return attribute(unit.element, "state") != "initial";
    const auto state = attribute(unit.target, "state");
    return attribute(unit.element, "approved") == "yes" ||
           !(state == "new" || state == "needs-translation");
  }

  void add_target(const Unit& unit, std::size_t text) {
    if (is_2_) {
      const std::string tag =
          with_xml_attribute(pieces_[unit.element].raw, "subState", std::nullopt);
      add_edit({.place = place_of(unit.element, unit.element),
                .before = with_xml_attribute(tag, "state", "translated")});
    }
    std::string tag = fmt::format("<{}target>", written_prefix_);
    Edit edit{.place = {}, .text = text, .after = fmt::format("</{}target>", written_prefix_)};
    if (unit.target != 0) {
      edit.place = place_of(unit.target, partners_[unit.target]);
      tag = pieces_[unit.target].raw;
      if (tag.ends_with("/>")) tag.replace(tag.size() - 2, 2, ">");
    } else {
      const std::size_t end = place_of(unit.last, unit.last).end;
      edit.place = {end, end};
      // The target stands below its source.
      const MarkupPiece& before = pieces_[unit.source - 1];
      if (before.is_text && is_blank(before.raw)) edit.before = before.raw;
    }
    if (!is_2_) tag = with_xml_attribute(tag, "state", "needs-review-translation");
    if (has_qualifiers_) tag = with_xml_attribute(tag, "state-qualifier", "mt-suggestion");
    edit.before += tag;
    add_edit(std::move(edit));
  }

  std::string target_;
  std::span<const MarkupPiece> pieces_;
  std::span<const std::size_t> partners_;
  std::string prefix_, written_prefix_;
  bool is_2_ = false;
  bool has_qualifiers_ = false;
};

}  // namespace

std::unique_ptr<const Document> read_xliff(std::string_view name, std::string_view content,
                                           const DocumentFileOptions& options) {
  return std::make_unique<XliffFile>(name, content, options.target);
}

}  // namespace attend
