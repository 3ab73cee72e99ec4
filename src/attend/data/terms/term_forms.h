// A glossary with the forms of its terms, learned from a parallel text.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/data/terms/word_forms.h"
#include "attend/text/protection/glossary.h"

namespace attend {

// How many terms there are, how many of them got forms, and the forms.
struct TermFormsReport {
  std::int64_t terms = 0, with_forms = 0;
  std::int64_t source_forms = 0, target_forms = 0;  // that are sure
  std::int64_t unsure = 0;                          // others, of either
};

class TermForms {
 public:
  explicit TermForms(const ParallelText& text);

  // Lines of a glossary (glossary_term()) with the forms found behind those that are there. A
  // column more names those that are unsure. Lines without a term stay. No form is a term
  // of another line. `where` stands for the file. Throws DataError for a line that is wrong.
  std::vector<std::string> added(const std::vector<std::string>& lines, const std::string& where,
                                 TermFormsReport& report) const;

 private:
  std::string with_forms(std::string_view line, GlossaryTerm term,
                         const std::set<std::string>& taken, TermFormsReport& report) const;

  SideWords source_words_, target_words_;
  WordForms sources_, targets_;
};

}  // namespace attend
