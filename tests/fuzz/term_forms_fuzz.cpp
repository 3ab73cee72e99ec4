// Forms of terms in texts of any bytes: what is made is a glossary, and nothing is added to it
// again.
#include <cstdlib>

#include "attend/data/terms/term_forms.h"
#include "attend/error.h"
#include "attend/text/protection/glossary.h"
#include "fuzz/fuzz_target.h"

namespace attend::term_forms_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {"dog\tHund\n# animals\nthe dog\tder Hund\nall dogs\talle Hunde",
          "old dog|dogs\taltes Tier\tnoun\nan old dog\tein altes Tier\nold dogs\talte Tiere"};
}

std::vector<std::string> dictionary() {
  return {"\t",    "\n", "|", "dog",      "dogs",     "Hund",
          "Hunde", "-",  " ", "\xcc\x88", "\xc3\xa4", "\xff"};
}

// The lines are terms and, as both, pairs of sentences.
void use(std::string_view input) {
  std::vector<std::string> lines;
  ParallelText text;
  for (std::size_t at = 0; at <= input.size() && lines.size() < 50;) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    const std::string& line = lines.emplace_back(input.substr(at, end - at));
    const std::size_t tab = std::min(line.find('\t'), line.size());
    for (int i = 0; i < 3; ++i) {
      text.src.push_back(line.substr(0, tab));
      text.tgt.push_back(line.substr(tab));
    }
    at = end + 1;
  }
  try {
    TermFormsReport report;
    const TermForms forms(text);
    const std::vector<std::string> made = forms.added(lines, "lines", report);
    if (made.size() != lines.size()) std::abort();
    for (const std::string& line : made)
      if (line.find('\t') != line.npos && !line.starts_with('#')) Glossary(std::vector{line});
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"term_forms", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::term_forms_fuzz
