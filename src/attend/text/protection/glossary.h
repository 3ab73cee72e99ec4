// Terms and how they are to be translated.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

struct GlossaryTerm {
  std::vector<std::string> sources;  // forms of the term: "dog", "dogs"
  std::vector<std::string> targets;  // "Hund", "Hunde"
  // Where the term begins and ends in a text, in bytes, each time that it occurs.
  std::vector<std::pair<std::size_t, std::size_t>> places = {};
};

// Terms at one place of a text.
struct GlossaryPlace {
  std::size_t end = 0;              // of the place, in bytes
  std::vector<GlossaryTerm> terms;  // those with the form that stands there, in their order
};

// Immutable; may be used from several threads at once.
class Glossary {
 public:
  Glossary() = default;
  // Elements with a tab are terms: the term, a tab, its translation; other forms of either stand
  // behind "|". Other elements are files with such lines; empty lines, and those that begin with
  // "#", count for nothing. Throws DataError, which names the file and the line, for a line without
  // a term or a translation; IoError.
  explicit Glossary(std::span<const std::string> entries);

  bool empty() const { return terms_.empty(); }

  // The terms in a text, from left to right, each once: the longest where several begin, and none
  // within another. Terms are whole words; those in small letters are also found in others, and
  // all in capitals. A term that begins the sentence, or is in capitals, may be translated so.
  std::vector<GlossaryTerm> find(std::string_view text) const;
  // The same with the places, at which all terms are that share a form.
  std::vector<GlossaryPlace> places(std::string_view text) const;

 private:
  void add_line(std::string_view line, const std::string& where);

  struct Form {
    std::u32string text;
    std::u32string capitals;  // the same in capitals
    bool is_small = false;    // without capitals
    std::size_t term = 0;
  };
  void add_form(const std::u32string& small, const Form& form);
  std::vector<const Form*> forms_at(std::u32string_view text, std::u32string_view small,
                                    std::size_t at) const;

  std::vector<GlossaryTerm> terms_;
  std::map<std::u32string, std::vector<Form>, std::less<>> forms_;   // by their small letters
  std::map<char32_t, std::set<std::size_t, std::greater<>>> sizes_;  // by the first of them
};

}  // namespace attend
