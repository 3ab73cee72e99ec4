#include "attend/data/terms/term_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "attend/text/protection/glossary_line.h"

namespace attend {

namespace {

bool has(const std::vector<std::string>& forms, const std::string& form) {
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

// Adds the forms of all of `listed`; `unsure` gets those that are. Returns how many of the others
// there are.
std::int64_t add_forms(const WordForms& forms, std::vector<std::string>& listed,
                       const std::vector<std::string>& translations,
                       const std::set<std::string>& taken, std::vector<std::string>& unsure) {
  std::vector<std::string> seen, made;
  const auto add_to = [&](std::vector<std::string>& all, const std::string& form) {
    if (!has(listed, form) && !has(seen, form) && !has(made, form) && !taken.contains(form))
      all.push_back(form);
  };
  std::vector<WordForms::Forms> found;
  for (const std::string& one : listed) found.push_back(forms.of(one, translations));
  for (const WordForms::Forms& one : found)
    for (const std::string& form : one.seen) add_to(seen, form);
  for (const WordForms::Forms& one : found)
    for (const std::string& form : one.unsure) add_to(made, form);
  for (const auto* more : {&seen, &made}) listed.insert(listed.end(), more->begin(), more->end());
  unsure.insert(unsure.end(), made.begin(), made.end());
  return std::ssize(seen);
}

// The columns behind those of the term and its translation, each with its tab.
std::string_view more_columns(std::string_view line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = line.find('\t', first + 1);
  return second == line.npos ? std::string_view() : line.substr(second);
}

}  // namespace

TermForms::TermForms(const ParallelText& text)
    : source_words_(text.src),
      target_words_(text.tgt),
      sources_(source_words_, target_words_),
      targets_(target_words_, source_words_) {}

std::vector<std::string> TermForms::added(const std::vector<std::string>& lines,
                                          const std::string& where, TermFormsReport& report) const {
  const auto term_of = [&](std::size_t i) {
    return glossary_term(lines[i], fmt::format("{}:{}", where, i + 1));
  };
  std::set<std::string> taken;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (is_glossary_term(lines[i]))
      taken.merge([&] {
        const GlossaryTerm term = term_of(i);
        return std::set<std::string>(term.sources.begin(), term.sources.end());
      }());
  std::vector<std::string> all;
  for (std::size_t i = 0; i < lines.size(); ++i)
    all.push_back(is_glossary_term(lines[i]) ? with_forms(lines[i], term_of(i), taken, report)
                                             : lines[i]);
  return all;
}

std::string TermForms::with_forms(std::string_view line, GlossaryTerm term,
                                  const std::set<std::string>& taken,
                                  TermFormsReport& report) const {
  std::vector<std::string> unsure;
  const GlossaryTerm listed = term;
  const std::int64_t sources = add_forms(sources_, term.sources, listed.targets, taken, unsure);
  const std::int64_t targets = add_forms(targets_, term.targets, listed.sources, {}, unsure);
  report.terms += 1;
  report.with_forms += sources + targets + std::ssize(unsure) > 0 ? 1 : 0;
  report.source_forms += sources;
  report.target_forms += targets;
  report.unsure += std::ssize(unsure);
  return fmt::format("{}\t{}{}{}", fmt::join(term.sources, "|"), fmt::join(term.targets, "|"),
                     more_columns(line),
                     unsure.empty() ? "" : fmt::format("\tunsure: {}", fmt::join(unsure, ", ")));
}

}  // namespace attend
