#include "attend/documents/terms/tbx_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/html_elements.h"
#include "attend/documents/markup/markup_pieces.h"
#include "attend/documents/markup/xml.h"
#include "attend/documents/markup/xml_attributes.h"
#include "attend/error.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// With one space instead of any white space, and none around it.
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!html::is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

class TbxReader {
 public:
  TbxReader(std::string_view name, std::string_view source, std::string_view target)
      : name_(name), names_{std::string(source), std::string(target)} {}

  std::vector<std::string> read(std::string_view xml) {
    require_well_formed(xml, quote(name_));
    MarkupReader reader(xml, MarkupLanguage::xml);
    bool begins = true;
    for (MarkupPiece piece; reader.next(piece);) {
      if (piece.is_text) {
        if (text_ != nullptr) *text_ += piece.text();
        continue;
      }
      if (piece.name.empty()) continue;
      const std::string element = piece.name.substr(piece.name.find(':') + 1);
      if (std::exchange(begins, false) && !is_any_of(element, {"martif", "tbx"}))
        throw DataError(
            fmt::format("{}: expected TBX, found the element {}", quote(name_), quote(element)));
      if (!piece.closes) open(element, piece.raw);
      if (piece.closes || piece.closes_self) close(element);
    }
    if (lines_.empty())
      throw DataError(fmt::format(
          "{}: expected terms in {} and {}, found the languages {}", quote(name_), quote(names_[0]),
          quote(names_[1]),
          languages_.empty() ? "none" : fmt::format("{}", fmt::join(languages_, ", "))));
    return std::move(lines_);
  }

 private:
  void open(std::string_view element, std::string_view tag) {
    if (is_any_of(element, {"termentry", "conceptentry"})) {
      concept_ = {};
    } else if (is_any_of(element, {"langset", "langsec"})) {
      begin_language(tag);
    } else if (is_any_of(element, {"tig", "ntig", "termsec"})) {
      term_.clear();
      status_.clear();
    } else if (element == "term") {
      term_.clear();
      text_ = &term_;
    } else if (element == "administrativestatus" ||
               (element == "termnote" &&
                is_any_of(xml_attribute(tag, "type").value_or(""),
                          {"administrativeStatus", "normativeAuthorization"}))) {
      status_.clear();
      text_ = &status_;
    }
  }

  void close(std::string_view element) {
    if (is_any_of(element, {"term", "termnote", "administrativestatus"})) {
      text_ = nullptr;
    } else if (is_any_of(element, {"tig", "ntig", "termsec"})) {
      add_term();
    } else if (is_any_of(element, {"langset", "langsec"})) {
      sides_ = {};
    } else if (is_any_of(element, {"termentry", "conceptentry"})) {
      end_concept();
    }
  }

  void begin_language(std::string_view tag) {
    const std::string language(xml_attribute(tag, "xml:lang").value_or(""));
    for (std::size_t side = 0; side < names_.size(); ++side)
      sides_[side] = matching_language(names_[side], std::array{language}).has_value();
    // An error names some of them.
    if (languages_.size() < 20 && !language.empty()) languages_.insert(quote(language));
  }

  void add_term() {
    const std::string term = single_spaced(term_), status = ascii_lower(single_spaced(status_));
    if (term.empty() || status.starts_with("deprecated") || status.starts_with("superseded"))
      return;
    for (std::size_t side = 0; side < names_.size(); ++side) {
      if (!sides_[side]) continue;
      if (term.find('|') != term.npos)
        throw DataError(
            fmt::format("{}: expected terms without |, which stands between forms, "
                        "found {}",
                        quote(name_), quote(term)));
      std::string& forms = concept_[side];
      forms += (forms.empty() ? "" : "|") + term;
    }
  }

  void end_concept() {
    if (!concept_[0].empty() && !concept_[1].empty())
      lines_.push_back(concept_[0] + "\t" + concept_[1]);
    concept_ = {};
  }

  std::string_view name_;
  std::array<std::string, 2> names_;    // of the languages: of the term, of its translation
  std::array<std::string, 2> concept_;  // its terms in them
  std::array<bool, 2> sides_{};         // which of them the terms are in that are being read
  std::string term_, status_;
  std::string* text_ = nullptr;  // what the text belongs to that is being read; null: nothing
  std::vector<std::string> lines_;
  std::set<std::string> languages_;
};

}  // namespace

std::vector<std::string> tbx_terms(std::string_view name, std::string_view bytes,
                                   std::string_view source, std::string_view target) {
  const std::string xml = xml_in_utf8(bytes, quote(name));
  if (!is_utf8(xml)) throw DataError(fmt::format("{}: expected UTF-8", quote(name)));
  return TbxReader(name, source, target).read(xml);
}

}  // namespace attend
