#include "attend/text/protection/glossary_line.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> forms_in(std::string_view text) {
  std::vector<std::string> forms;
  while (true) {
    const std::size_t end = text.find('|');
    if (const std::string_view form = trimmed(text.substr(0, end)); !form.empty())
      forms.emplace_back(form);
    if (end == text.npos) return forms;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_glossary_term(std::string_view line) { return !is_blank(line) && !line.starts_with('#'); }

GlossaryTerm glossary_term(std::string_view line, const std::string& where) {
  const std::size_t tab = line.find('\t');
  if (tab == line.npos)
    throw DataError(fmt::format("{}: expected a term, a tab and its translation", where));
  const std::string_view target = line.substr(tab + 1);
  GlossaryTerm term{forms_in(line.substr(0, tab)), forms_in(target.substr(0, target.find('\t')))};
  if (term.sources.empty() || term.targets.empty())
    throw DataError(fmt::format("{}: expected a term, a tab and its translation", where));
  return term;
}

}  // namespace attend
