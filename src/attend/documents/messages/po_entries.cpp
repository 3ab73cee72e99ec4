#include "attend/documents/messages/po_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/documents/messages/po_strings.h"
#include "attend/error.h"

namespace attend {
namespace {

bool is_blank_of_line(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

class PoReader {
 public:
  PoReader(std::string_view name, std::string_view po, const std::function<void(PoEntry)>& found)
      : name_(name), po_(po), found_(found) {}

  void read() {
    if (po_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < po_.size()) read_line();
    finish();
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    throw DataError(fmt::format("{}: {}", place_in_file(name_, po_, at), what));
  }

  void read_line() {
    const std::size_t line = at_;
    skip_blanks();
    if (at_ >= po_.size()) return;
    if (po_[at_] == '\n') {
      ++at_;
    } else if (po_[at_] == '#') {
      read_comment(line);
    } else if (po_[at_] == '"') {
      if (last_ == nullptr) fail(at_, "expected a keyword before the string");
      add_strings(*last_);
    } else {
      read_keyword(line);
    }
  }

  void skip_blanks() {
    while (at_ < po_.size() && is_blank_of_line(po_[at_])) ++at_;
  }

  void read_comment(std::size_t line) {
    const std::string_view rest = po_.substr(at_, po_.find('\n', at_) - at_);
    if (!entry_.translations.empty() || rest.starts_with("#~")) finish();
    if (rest.starts_with("#,")) {
      if (entry_.flags == 0) entry_.flags = at_ + 2;
      if (rest.find("fuzzy") != rest.npos) entry_.is_fuzzy = true;
    } else if (rest.starts_with("#|") && !entry_.id && !entry_.context && !has_previous_) {
      entry_.begin = line;
      has_previous_ = true;
    }
    at_ += rest.size();
  }

  void read_keyword(std::size_t line) {
    const std::size_t begin = at_;
    while (at_ < po_.size() && !is_blank_of_line(po_[at_]) && po_[at_] != '\n' && po_[at_] != '"')
      ++at_;
    const std::string_view keyword = po_.substr(begin, at_ - begin);
    if ((keyword == "msgctxt" || keyword == "msgid") && !entry_.translations.empty()) finish();
    if (!entry_.context && !entry_.id && !has_previous_) entry_.begin = line;
    PoString& string = string_of(keyword, begin);
    last_ = &string;
    string.place = {begin, at_};
    const std::size_t before = at_;
    skip_blanks();
    add_strings(string);
    if (string.place.end == before) fail(begin, fmt::format("expected a string after {}", keyword));
  }

  PoString& string_of(std::string_view keyword, std::size_t begin) {
    std::optional<PoString>* const place = keyword == "msgctxt"        ? &entry_.context
                                           : keyword == "msgid"        ? &entry_.id
                                           : keyword == "msgid_plural" ? &entry_.plural
                                                                       : nullptr;
    if (place != nullptr) {
      const bool follows =
          place == &entry_.plural ? entry_.id && entry_.translations.empty() : !entry_.id;
      if (*place || !follows) fail(begin, fmt::format("{} does not belong here", keyword));
      return place->emplace();
    }
    if (!entry_.id) fail(begin, fmt::format("expected msgid, found {}", quote(keyword, 20)));
    const std::string expected =
        entry_.plural ? fmt::format("msgstr[{}]", entry_.translations.size()) : "msgstr";
    if (keyword != expected || (!entry_.plural && !entry_.translations.empty()))
      fail(begin, fmt::format("expected {}, found {}", expected, quote(keyword, 20)));
    return entry_.translations.emplace_back();
  }

  // The strings on the rest of the line.
  void add_strings(PoString& string) {
    while (at_ < po_.size() && po_[at_] == '"') {
      const auto length = read_po_string(po_.substr(at_), string.text);
      if (!length) fail(at_, "a string without a quotation mark at its end, or a wrong escape");
      at_ += *length;
      string.place.end = at_;
      skip_blanks();
    }
    if (at_ < po_.size() && po_[at_] != '\n')
      fail(at_, fmt::format("expected a string, found {}", quote(po_.substr(at_, 20))));
    if (!is_utf8(string.text)) fail(string.place.begin, "expected UTF-8 in the string");
  }

  void finish() {
    if (entry_.id && entry_.translations.empty())
      fail(entry_.id->place.begin, "expected msgstr after msgid");
    if (entry_.context && !entry_.id)
      fail(entry_.context->place.begin, "expected msgid after msgctxt");
    if (entry_.id) found_(std::move(entry_));
    entry_ = {};
    last_ = nullptr;
    has_previous_ = false;
  }

  std::string_view name_, po_;
  const std::function<void(PoEntry)>& found_;
  std::size_t at_ = 0;
  PoEntry entry_;
  PoString* last_ = nullptr;
  bool has_previous_ = false;  // a comment with the former msgid
};

}  // namespace

void find_po_entries(std::string_view name, std::string_view po,
                     const std::function<void(PoEntry)>& found) {
  PoReader(name, po, found).read();
}

}  // namespace attend
