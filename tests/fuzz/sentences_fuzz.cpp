// The cutting of sentences and clauses against hostile bytes, in all languages: no text is lost or
// doubled.
#include <span>
#include <stdexcept>

#include "attend/core/files/embedded_file.h"
#include "attend/documents/sentences/clauses.h"
#include "documents/sentence_faults.h"
#include "fuzz/fuzz_target.h"

namespace attend {

std::span<const EmbeddedFile> sentence_rule_files();

namespace sentences_fuzz {
namespace {

void require_none(const std::string& fault) {
  if (!fault.empty()) throw std::logic_error(fault);
}

// The first byte chooses the language.
void use(std::string_view input) {
  if (input.empty()) return;
  const auto files = sentence_rule_files();
  const std::string_view name = files[static_cast<unsigned char>(input[0]) % files.size()].name;
  const std::string_view text = input.substr(1);
  const std::vector<TextSpan> sentences = find_sentences(text, name.substr(0, name.find('.')));
  require_none(fault_in(text, sentences));
  for (const TextSpan sentence : sentences)
    require_none(fault_in(sentence.of(text),
                          cut_at_clauses(sentence.of(text), {0, sentence.of(text).size()},
                                         [](std::string_view part) { return part.size() < 9; })));
}

std::vector<std::string> corpus() {
  return {"aMr. J. S. Bach, e.g. at 5 p.m. The U.S.A. etc. \"Go!\" said he. (All.) [1] iPhone...",
          "bAm 3. Mai 1990 z. B. um 12.30 Uhr. II. Weltkrieg. 1. Der.",
          "c« Va. » Il va. – Bonjour. ¿Qué? ¡Sí! «Da.»",
          "dДа, т. е. в 1990 г. Он. А. С. Пушкин.",
          "e「行く。」と言った。“好。”《去吧！爸爸》。",
          "fडॉ. ए. पी. जे. है। کیا؟ ہے۔ Ի՞նչ։ ነው። ខ្ញុំ។ သူ။",
          "g\xff. \xe2\x80 A\xcc\x81.\xe2\x80\x8f \xef\xbb\xbf"};
}

std::vector<std::string> dictionary() {
  return {".",      "!",      "?",      "…",  "。",    "۔",  "।",   "։",  "\"",  "«",  "»",
          "“",      "”",      "「",     "」", "《",    "》", "(",   ")",  " ",   "\n", "\t",
          "\u00a0", "\u200b", "\u200f", "A.", "z. B.", "3.", "Mr.", "г.", "[1]", "iP", "\xff"};
}

const RegisteredFuzzTarget registered{{"sentences", corpus, dictionary, use}};

}  // namespace
}  // namespace sentences_fuzz
}  // namespace attend
