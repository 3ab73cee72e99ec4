#include "attend/documents/markup/html_elements.h"

#include <algorithm>
#include <array>

namespace attend::html {
namespace {

// Names with a space around each.
using Names = std::string_view;

bool is_in(Names names, std::string_view name) {
  for (std::size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1))
    if (!name.empty() && names[at - 1] == ' ' && names[at + name.size()] == ' ') return true;
  return false;
}

constexpr Names kInline =
    " a abbr acronym b bdi bdo big cite data del dfn em font i img ins mark q s small span strike "
    "strong sub sup time tt u var wbr ";
constexpr Names kVoid = " area base br col embed hr img input link meta param source track wbr ";
constexpr Names kOpaque = " code iframe kbd math noscript pre samp script style svg textarea ";
constexpr Names kOnlyText = " script style textarea title ";

// Which elements end where which others begin.
struct ImpliedEnd {
  Names of;
  Names before;
};
constexpr std::array<ImpliedEnd, 6> kImpliedEnds{
    {{" p ",
      " address article aside blockquote center dd details dialog dir div dl dt fieldset "
      "figcaption "
      "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search "
      "section summary table ul "},
     {" li ", " li "},
     {" dd dt ", " dd dt "},
     {" option optgroup ", " option optgroup "},
     {" rp rt ", " rp rt "},
     {" caption colgroup tbody td tfoot th thead tr ", " tbody td tfoot th thead tr "}}};

}  // namespace

bool is_inline(std::string_view name) { return is_in(kInline, name); }
bool is_void(std::string_view name) { return is_in(kVoid, name); }
bool is_opaque(std::string_view name) { return is_in(kOpaque, name); }
bool holds_only_text(std::string_view name) { return is_in(kOnlyText, name); }

bool may_stay_open(std::string_view name) {
  return std::any_of(kImpliedEnds.begin(), kImpliedEnds.end(),
                     [&](const ImpliedEnd& one) { return is_in(one.of, name); });
}

bool ends_before(std::string_view name, std::string_view next) {
  // A cell ends before the next one, a row before the next row.
  const bool is_cell = name == "td" || name == "th", next_is_cell = next == "td" || next == "th";
  if (next_is_cell && !is_cell) return false;
  if (next == "tr" && (name == "tbody" || name == "thead" || name == "tfoot")) return false;
  return std::any_of(kImpliedEnds.begin(), kImpliedEnds.end(), [&](const ImpliedEnd& one) {
    return is_in(one.of, name) && is_in(one.before, next);
  });
}

}  // namespace attend::html
