#include "attend/documents/messages/table_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/quote.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::array<char, 3> kSeparators{',', ';', '\t'};

// The separator that the first record has most of, outside of quotes; NUL if it has none.
char separator_of(std::string_view table) {
  std::array<std::size_t, kSeparators.size()> counts{};
  bool in_quotes = false, begins_cell = true;
  for (std::size_t at = 0; at < table.size(); ++at) {
    const char c = table[at];
    if (in_quotes) {
      const bool is_doubled = table.substr(at).starts_with("\"\"");
      if (is_doubled) ++at;
      in_quotes = c != '"' || is_doubled;
      continue;
    }
    if (c == '\n' || c == '\r') break;
    in_quotes = c == '"' && begins_cell;
    const auto found = std::find(kSeparators.begin(), kSeparators.end(), c);
    begins_cell = found != kSeparators.end();
    if (begins_cell) ++counts[static_cast<std::size_t>(found - kSeparators.begin())];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? '\0' : kSeparators[static_cast<std::size_t>(most - counts.begin())];
}

// Behind line breaks.
std::size_t skip_line_breaks(std::string_view table, std::size_t at) {
  while (at < table.size() && (table[at] == '\n' || table[at] == '\r')) ++at;
  return at;
}

}  // namespace

TableRecords::TableRecords(std::string_view name, std::string_view table, Kind kind)
    : name_(name), table_(table), kind_(kind) {
  if (table_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (kind_ == Kind::tsv) return;
  at_ = skip_line_breaks(table_, at_);
  const std::string_view rest = table_.substr(at_);
  constexpr std::string_view kDeclared = "sep=";
  if (rest.starts_with(kDeclared) && rest.size() > kDeclared.size() + 1 &&
      (rest[kDeclared.size() + 1] == '\n' || rest[kDeclared.size() + 1] == '\r')) {
    separator_ = rest[kDeclared.size()];
    at_ += kDeclared.size() + 1;
  } else {
    separator_ = separator_of(rest);
  }
}

bool TableRecords::ends_line(std::size_t at) const {
  return at >= table_.size() || table_[at] == '\n' || table_[at] == '\r';
}

bool TableRecords::ends_cell(std::size_t at) const {
  return ends_line(at) || (separator_ != '\0' && table_[at] == separator_);
}

bool TableRecords::next(std::vector<TableCell>& cells) {
  cells.clear();
  at_ = skip_line_breaks(table_, at_);
  if (at_ >= table_.size()) return false;
  for (;; ++at_) {
    const bool is_quoted = kind_ == Kind::csv && at_ < table_.size() && table_[at_] == '"';
    cells.push_back(is_quoted ? quoted_cell() : plain_cell());
    if (ends_line(at_)) return true;
  }
}

TableCell TableRecords::plain_cell() {
  const std::size_t begin = at_;
  while (!ends_cell(at_)) ++at_;
  return {{begin, at_}, std::string(table_.substr(begin, at_ - begin)), false};
}

TableCell TableRecords::quoted_cell() {
  TableCell cell{{at_, at_}, {}, true};
  for (std::size_t at = at_ + 1;;) {
    const std::size_t quote = table_.find('"', at);
    if (quote == table_.npos)
      throw DataError(
          fmt::format("{}: a quote that opens in this record is never closed; expected "
                      "CSV as in RFC 4180",
                      place_in_file(name_, table_, at_)));
    cell.text += table_.substr(at, quote - at);
    at = quote + 1;
    if (at < table_.size() && table_[at] == '"') {
      cell.text += '"';
      ++at;
      continue;
    }
    if (!ends_cell(at))
      throw DataError(fmt::format(
          "{}: expected the end of the cell after a closing quote, found {}; a quote inside quotes "
          "is written twice",
          place_in_file(name_, table_, at), attend::quote(table_.substr(at, 20))));
    cell.place.end = at_ = at;
    return cell;
  }
}

}  // namespace attend
