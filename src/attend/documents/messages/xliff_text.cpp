#include "attend/documents/messages/xliff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "attend/core/too_long.h"
#include "attend/documents/markup/xml_attributes.h"

namespace attend {
namespace {

// Codes in one text, and codes within one another: as many as in no text that people write.
constexpr std::size_t kMostCodes = 1024;
constexpr std::size_t kDeepestCodes = 32;

// Codes that begin and end something without being an element around it.
struct SpanningCode {
  std::string_view begin, end;
  std::string_view key_of_begin, key_of_end;  // attributes with the same value
};
constexpr std::array<SpanningCode, 4> kSpanningCodes{{{"bx", "ex", "rid", "rid"},
                                                      {"bpt", "ept", "rid", "rid"},
                                                      {"sc", "ec", "id", "startRef"},
                                                      {"sm", "em", "id", "startRef"}}};

class XliffTextReader {
 public:
  XliffTextReader(std::span<const MarkupPiece> pieces, std::span<const std::size_t> partners,
                  std::string_view prefix)
      : pieces_(pieces), partners_(partners), prefix_(prefix) {}

  MarkedText read() {
    find_codes();
    MarkedText out;
    std::vector<std::size_t> open;  // numbers of marks
    for (const Code& code : codes_) {
      const std::size_t at = out.text.size();
      if (code.kind == Kind::text) {
        out.text += pieces_[code.piece].text();
      } else if (code.kind == Kind::close) {
        out.marks[open.back()].end = at;
        out.marks[open.back()].close = code.raw;
        open.pop_back();
      } else {
        out.marks.push_back(
            {at, at, std::string(code.raw), "", open.empty() ? -1 : static_cast<int>(open.back())});
        if (code.kind == Kind::open) open.push_back(out.marks.size() - 1);
        if (out.marks.size() > kMostCodes || open.size() > kDeepestCodes)
          throw TooLongError(
              fmt::format("a text has more than {} codes, or more than {} within one another",
                          kMostCodes, kDeepestCodes));
      }
    }
    return out;
  }

 private:
  enum class Kind { text, point, open, close };
  struct Code {
    Kind kind;
    std::string_view raw;
    std::size_t piece;
    std::string_view key = {};  // of a spanning code that may have an end
  };

  void find_codes() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const MarkupPiece& piece = pieces_[i];
      if (piece.is_text) {
        codes_.push_back({Kind::text, piece.raw, i});
      } else if (piece.name.empty() || partners_[i] == i) {
        add_point(i, i);
      } else if (partners_[i] < i) {
        close_element(i);
      } else if (is_opaque(piece)) {
        add_point(i, partners_[i]);
        i = partners_[i];
      } else {
        open_.push_back(codes_.size());
        codes_.push_back({Kind::open, piece.raw, i});
      }
    }
  }

  std::string_view local_name(const MarkupPiece& piece) const {
    std::string_view name = piece.name;
    if (!name.starts_with(prefix_)) return {};
    return name.substr(prefix_.size());
  }

  bool is_opaque(const MarkupPiece& piece) const {
    const std::string_view name = local_name(piece);
    constexpr std::array<std::string_view, 6> kNative{"ph", "bpt", "ept", "it", "sc", "ec"};
    if (std::find(kNative.begin(), kNative.end(), name) != kNative.end()) return true;
    return name == "mrk" && (xml_attribute(piece.raw, "mtype") == "protected" ||
                             xml_attribute(piece.raw, "translate") == "no");
  }

  // An element that stays as it is. It may be one end of a spanning code.
  void add_point(std::size_t first, std::size_t last) {
    const char* const begin = pieces_[first].raw.data();
    const std::string_view raw(begin, static_cast<std::size_t>(pieces_[last].raw.data() - begin) +
                                          pieces_[last].raw.size());
    const std::string_view name = local_name(pieces_[first]), tag = pieces_[first].raw;
    codes_.push_back({Kind::point, raw, first});
    for (const SpanningCode& one : kSpanningCodes) {
      if (name == one.begin) {
        const auto key = key_of(tag, one.key_of_begin);
        if (key.empty()) return;
        codes_.back().key = key;
        open_.push_back(codes_.size() - 1);
      } else if (name == one.end && !open_.empty()) {
        Code& begin_code = codes_[open_.back()];
        if (begin_code.key.empty() || begin_code.key != key_of(tag, one.key_of_end)) return;
        begin_code.kind = Kind::open;
        codes_.back().kind = Kind::close;
        open_.pop_back();
      }
    }
  }

  // Without rid, the ids are the same.
  static std::string_view key_of(std::string_view tag, std::string_view name) {
    const auto value = xml_attribute(tag, name);
    return value ? *value : name == "rid" ? xml_attribute(tag, "id").value_or("") : "";
  }

  // Spanning codes that are still open in it have no end there: they are points.
  void close_element(std::size_t piece) {
    while (codes_[open_.back()].kind != Kind::open) open_.pop_back();
    open_.pop_back();
    codes_.push_back({Kind::close, pieces_[piece].raw, piece});
  }

  std::span<const MarkupPiece> pieces_;
  std::span<const std::size_t> partners_;
  std::string_view prefix_;
  std::vector<Code> codes_;
  std::vector<std::size_t> open_;  // codes that may get an end
};

}  // namespace

MarkedText xliff_text(std::span<const MarkupPiece> pieces, std::span<const std::size_t> partners,
                      std::string_view prefix) {
  return XliffTextReader(pieces, partners, prefix).read();
}

}  // namespace attend
