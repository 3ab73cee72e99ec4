#include "attend/data/public_sets/tmx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"
#include "attend/data/public_sets/xml_reader.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::array<std::string_view, 5> kNativeCodes{"bpt", "ept", "it", "ph", "ut"};

// Follows the elements of a file.
class TmxUnits {
 public:
  // Whether the piece ends a unit.
  bool take(const XmlPiece& piece) {
    if (piece.kind == XmlPiece::Kind::text) {
      if (in_segment_ && code_depth_ == 0) segment_ += piece.text;
      return false;
    }
    if (piece.kind == XmlPiece::Kind::start) start(piece);
    return (piece.kind == XmlPiece::Kind::end || piece.closes_self) && end(piece.name);
  }
  const TranslationUnit& unit() const { return unit_; }
  bool has_root() const { return has_root_; }

 private:
  void start(const XmlPiece& piece) {
    if (piece.name == "tmx") has_root_ = true;
    if (piece.name == "tu") unit_ = {};
    if (piece.name == "tuv") language_ = ascii_lower(attribute_of(piece, "lang"));
    if (in_segment_) {
      const bool is_code =
          std::find(kNativeCodes.begin(), kNativeCodes.end(), piece.name) != kNativeCodes.end();
      if (is_code || code_depth_ > 0) ++code_depth_;
    } else if (piece.name == "seg") {
      in_segment_ = true;
      segment_.clear();
      code_depth_ = 0;
    }
  }

  bool end(std::string_view name) {
    if (in_segment_ && code_depth_ > 0) {
      --code_depth_;
    } else if (in_segment_ && name == "seg") {
      in_segment_ = false;
      unit_.texts.emplace(language_, segment_);
    }
    return name == "tu";
  }

  TranslationUnit unit_;
  std::string language_, segment_;
  bool in_segment_ = false, has_root_ = false;
  int code_depth_ = 0;
};

}  // namespace

bool is_language(std::string_view tag, std::string_view wanted) {
  const std::string have = ascii_lower(tag), want = ascii_lower(wanted);
  return have == want || (have.size() > want.size() && have.starts_with(want) &&
                          (have[want.size()] == '-' || have[want.size()] == '_'));
}

std::string text_in(const TranslationUnit& unit, std::string_view language) {
  const auto exact = unit.texts.find(ascii_lower(language));
  if (exact != unit.texts.end()) return exact->second;
  for (const auto& [tag, text] : unit.texts)
    if (is_language(tag, language)) return text;
  return "";
}

void read_tmx(ArchiveReader& file, const std::function<bool(const TranslationUnit&)>& use) {
  XmlReader reader([&](char* to, std::size_t capacity) { return file.read(to, capacity); },
                   file.where());
  TmxUnits units;
  for (XmlPiece piece; reader.next(piece);)
    if (units.take(piece) && !use(units.unit())) return;
  if (!units.has_root())
    throw DataError(
        fmt::format("{}: expected a translation memory, found no element tmx", file.where()));
}

}  // namespace attend
