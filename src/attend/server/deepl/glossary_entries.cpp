#include "attend/server/deepl/glossary_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/messages/table_records.h"
#include "attend/error.h"
#include "attend/server/http/message.h"
#include "attend/text/protection/glossary.h"

namespace attend {
namespace {

std::string without_space_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Throws HttpError 400 for what is no term with a translation.
void require_entry(std::size_t number, const std::string& source, const std::string& target) {
  if (has_control_character(source) || has_control_character(target))
    throw HttpError{400, fmt::format("entries: entry {} has a control character", number)};
  try {
    Glossary(std::vector{source + "\t" + target});
  } catch (const DataError&) {
    throw HttpError{400, fmt::format("entries: expected a term and its translation in entry {}, "
                                     "got {} and {}",
                                     number, quote(source), quote(target))};
  }
}

}  // namespace

GlossaryEntries read_glossary_entries(std::string_view text, std::string_view format) {
  if (format != "tsv" && format != "csv")
    throw HttpError{400, fmt::format("entries_format: expected tsv or csv, got {}", quote(format))};
  if (!is_utf8(text)) throw HttpError{400, "entries: expected UTF-8"};
  GlossaryEntries entries;
  std::map<std::string, std::size_t> known;
  try {
    TableRecords records("entries", text,
                         format == "tsv" ? TableRecords::Kind::tsv : TableRecords::Kind::csv);
    for (std::vector<TableCell> cells; records.next(cells);) {
      const std::size_t number = entries.size() + 1;
      if (cells.size() != 2 && (format == "tsv" || cells.size() != 4))
        throw HttpError{400, fmt::format("entries: expected a term and its translation in entry "
                                         "{}, got {} columns",
                                         number, cells.size())};
      std::string source = without_space_around(cells[0].text),
                  target = without_space_around(cells[1].text);
      require_entry(number, source, target);
      if (const auto [place, is_new] = known.emplace(source, number); !is_new)
        throw HttpError{400, fmt::format("entries: entry {} has the term of entry {}: {}", number,
                                         place->second, quote(source))};
      entries.emplace_back(std::move(source), std::move(target));
    }
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
  if (entries.empty()) throw HttpError{400, "entries: expected at least one"};
  return entries;
}

std::string tsv_of(const GlossaryEntries& entries) {
  std::string text;
  for (const auto& [source, target] : entries) text += source + "\t" + target + "\n";
  return text;
}

void merge_entries(GlossaryEntries& into, GlossaryEntries more) {
  std::map<std::string, std::string> later(more.begin(), more.end());
  for (auto& [source, target] : into)
    if (const auto found = later.find(source); found != later.end()) {
      target = std::move(found->second);
      later.erase(found);
    }
  for (auto& [source, target] : more)
    if (later.contains(source)) into.emplace_back(std::move(source), std::move(later[source]));
}

}  // namespace attend
