#include "attend/text/protection/glossary.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/protection/glossary_line.h"

namespace attend {

namespace {

char32_t small_letter(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}
char32_t capital_letter(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) points += next_code_point(text, at);
  return points;
}

// Where each code point begins, in bytes, and where the last one ends.
std::vector<std::size_t> begins_of_code_points(std::string_view text) {
  std::vector<std::size_t> begins{0};
  for (std::size_t at = 0; at < text.size(); begins.push_back(at)) next_code_point(text, at);
  return begins;
}

std::string utf8_of(std::u32string_view points) {
  std::string text;
  for (const char32_t c : points) append_code_point(text, c);
  return text;
}

// A letter or digit of a script with spaces between words.
bool is_of_spaced_word(char32_t c) {
  const bool has_no_spaces = (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) ||
                             (c >= 0x1780 && c < 0x1800) || (c >= 0x2e80 && c < 0xa4d0) ||
                             (c >= 0xf900 && c < 0xfb00) || c >= 0x20000;
  return !has_no_spaces && (unicode::is_letter(c) || unicode::is_digit(c));
}

// Whether the word goes on over the place between two characters.
bool is_within_word(char32_t before, char32_t next) {
  return is_of_spaced_word(before) && is_of_spaced_word(next);
}

std::u32string in_small_letters(std::u32string_view text) {
  std::u32string small;
  for (const char32_t c : text) small += small_letter(c);
  return small;
}

std::u32string in_capitals(std::u32string_view text) {
  std::u32string capitals;
  for (const char32_t c : text) capitals += capital_letter(c);
  return capitals;
}

// The translations, and how they are written where the term is written so.
std::vector<std::string> targets_as(const std::vector<std::string>& targets,
                                    std::u32string_view written, bool begins_sentence) {
  const bool is_capital =
      written.size() > 1 && in_capitals(written) == written && in_small_letters(written) != written;
  const bool begins_capital = begins_sentence || unicode::is_upper(written.front());
  std::vector<std::string> all = targets;
  for (const std::string& target : targets) {
    std::u32string points = code_points(target);
    if (is_capital) all.push_back(utf8_of(in_capitals(points)));
    points.front() = capital_letter(points.front());
    if (begins_capital) all.push_back(utf8_of(points));
  }
  std::vector<std::string> distinct;
  for (std::string& one : all)
    if (std::find(distinct.begin(), distinct.end(), one) == distinct.end())
      distinct.push_back(std::move(one));
  return distinct;
}

}  // namespace

Glossary::Glossary(std::span<const std::string> entries) {
  for (const std::string& entry : entries) {
    if (entry.find('\t') != entry.npos) {
      add_line(entry, "glossary");
      continue;
    }
    LineReader reader(entry);
    for (std::string line; reader.next(line);)
      if (is_glossary_term(line)) add_line(line, reader.where());
  }
}

void Glossary::add_line(std::string_view line, const std::string& where) {
  GlossaryTerm term = glossary_term(line, where);
  for (const std::string& source : term.sources) {
    const std::u32string text = code_points(source), small = in_small_letters(text);
    const Form form{text, in_capitals(text), small == text, terms_.size()};
    add_form(small, form);
    if (const std::u32string other = in_small_letters(form.capitals);
        !form.is_small && other != small)
      add_form(other, form);
  }
  terms_.push_back(std::move(term));
}

void Glossary::add_form(const std::u32string& small, const Form& form) {
  forms_[small].push_back(form);
  sizes_[small.front()].insert(small.size());
}

// The longest that begin at a place; they are equal but for their terms.
std::vector<const Glossary::Form*> Glossary::forms_at(std::u32string_view text,
                                                      std::u32string_view small,
                                                      std::size_t at) const {
  std::vector<const Form*> found;
  const auto sizes = sizes_.find(small[at]);
  if (sizes == sizes_.end() || (at > 0 && is_within_word(text[at - 1], text[at]))) return found;
  for (const std::size_t size : sizes->second) {
    const std::size_t end = at + size;
    if (end > text.size() || (end < text.size() && is_within_word(text[end - 1], text[end])))
      continue;
    const auto forms = forms_.find(small.substr(at, size));
    if (forms == forms_.end()) continue;
    const std::u32string_view written = text.substr(at, size);
    for (const Form& form : forms->second)
      if (form.is_small || written == form.text || written == form.capitals) found.push_back(&form);
    if (!found.empty()) break;
  }
  return found;
}

std::vector<GlossaryPlace> Glossary::places(std::string_view sentence) const {
  std::vector<GlossaryPlace> found;
  if (empty()) return found;
  const std::u32string text = code_points(sentence), small = in_small_letters(text);
  const std::vector<std::size_t> bytes = begins_of_code_points(sentence);
  std::map<std::size_t, std::size_t> numbers;  // in `found`
  bool begins_sentence = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::vector<const Form*> forms = forms_at(text, small, at);
    const std::size_t size = forms.empty() ? 1 : forms.front()->text.size();
    if (!forms.empty()) {
      const auto [number, is_new] = numbers.emplace(forms.front()->term, found.size());
      if (is_new) found.push_back({bytes[at + size], {}});
      GlossaryPlace& place = found[number->second];
      for (std::size_t i = 0; is_new && i < forms.size(); ++i) {
        const GlossaryTerm& term = terms_[forms[i]->term];
        place.terms.push_back(
            {term.sources, targets_as(term.targets, std::u32string_view(text).substr(at, size),
                                      begins_sentence)});
      }
      place.terms.front().places.emplace_back(bytes[at], bytes[at + size]);
    }
    begins_sentence = begins_sentence && !unicode::is_letter(text[at]);
    at += size;
  }
  return found;
}

std::vector<GlossaryTerm> Glossary::find(std::string_view sentence) const {
  std::vector<GlossaryTerm> found;
  for (GlossaryPlace& place : places(sentence)) found.push_back(std::move(place.terms.front()));
  return found;
}

}  // namespace attend
