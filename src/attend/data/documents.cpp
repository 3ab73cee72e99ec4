#include "attend/data/documents.h"

#include <algorithm>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

void check(const DocumentOptions& options) {
  if (!options.document_end.empty() && !options.documents)
    throw OptionError<ConfigError>("{}: expected a text of documents ({}), got one of lines",
                                   as_key("document-end"), as_flag("documents"));
}

bool UnitReader::next(std::string& unit) {
  if (!options_.documents) return lines_.next(unit);
  unit.clear();
  for (std::string line; lines_.next(line);) {
    if (!options_.document_end.empty() && line == options_.document_end) {
      if (unit.ends_with('\n')) unit.pop_back();  // it belongs to the line that ends the document
      if (!unit.empty()) return true;
      continue;
    }
    unit += line;
    if (lines_.ended_with_break()) unit += '\n';
  }
  return !unit.empty();
}

std::vector<std::string> lines_of(std::span<const std::string> documents) {
  std::vector<std::string> lines;
  for (const std::string& document : documents) {
    for (std::size_t begin = 0; begin < document.size();) {
      const std::size_t end = std::min(document.find('\n', begin), document.size() - 1) + 1;
      lines.push_back(document.substr(begin, end - begin));
      begin = end;
    }
  }
  return lines;
}

std::vector<std::string> read_units(const std::string& file, const DocumentOptions& options) {
  UnitReader reader(file, options);
  std::vector<std::string> units;
  for (std::string unit; reader.next(unit);) units.push_back(unit);
  return units;
}

}  // namespace attend
