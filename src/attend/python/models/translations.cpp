// The results of translating.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include "attend/error.h"
#include "attend/python/module.h"
#include "attend/python/values.h"
#include "attend/translator.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Candidate = TranslationCandidate;
using TranslationState = std::tuple<std::vector<Candidate>, std::vector<std::string>>;

// Python writes it: the page of the attention needs the translator. Imported when needed.
nb::object html_of(const nb::object& translation) {
  return nb::module_::import_("attend._translation_html").attr("html_of")(translation);
}

const Candidate& best(const Translation& translation) { return translation.candidates.front(); }

void add_trust(nb::module_& module) {
  nb::class_<TranslationFlag> flag(module, "TranslationFlag", "What looks wrong in a translation.");
  flag.def_ro("name", &TranslationFlag::name, "Such as numbers; docs/trust.md lists them.")
      .def_ro("reason", &TranslationFlag::reason, "Such as: 1984 is missing.")
      .def("__repr__", [](const TranslationFlag& f) {
        return fmt::format("TranslationFlag({}: {})", f.name, f.reason);
      });
  add_value_members(flag, &TranslationFlag::name, &TranslationFlag::reason);
  nb::class_<TranslationTrust> trust(module, "TranslationTrust", "How far to trust a translation.");
  trust
      .def_ro("confidence", &TranslationTrust::confidence,
              "The expected chrF, from 0 to 1; None: the model is not calibrated for it.")
      .def_ro("flags", &TranslationTrust::flags, "What looks wrong.")
      .def("__repr__", [](const TranslationTrust& t) {
        return fmt::format("TranslationTrust(confidence={}, {} flags)",
                           t.confidence ? fmt::format("{:.4f}", *t.confidence) : "None",
                           t.flags.size());
      });
  add_value_members(trust, &TranslationTrust::confidence, &TranslationTrust::flags);
}

void add_candidate(nb::module_& module) {
  nb::class_<Candidate> candidate(module, "TranslationCandidate",
                                  "One translation of a sentence, with its scores.");
  candidate.def_ro("text", &Candidate::text)
      .def_ro("score", &Candidate::score,
              "The log-probability divided by length ** length_penalty.")
      .def_ro("log_probability", &Candidate::log_probability,
              "Natural logarithm, end of sentence included.")
      .def_ro("tokens", &Candidate::tokens, "The tokens of the text.")
      .def_ro("token_scores", &Candidate::token_scores,
              "The log-probability of each token, then of the end of sentence.")
      .def_ro("alignment", &Candidate::alignment,
              "Pairs (source word, target word), counted from 0; empty unless alignments=True.")
      .def_ro("end", &Candidate::end,
              "The id of the token that ended it; -1: it was cut at the greatest length.")
      .def_ro("trust", &Candidate::trust, "How far to trust it; None unless trust=True.")
      .def("__repr__", [](const Candidate& c) {
        return fmt::format("TranslationCandidate(text={}, score={:.4f})",
                           nb::repr(nb::cast(c.text)).c_str(), c.score);
      });
  add_value_members(candidate, &Candidate::text, &Candidate::score, &Candidate::log_probability,
                    &Candidate::tokens, &Candidate::token_scores, &Candidate::alignment,
                    &Candidate::end, &Candidate::trust);
}

}  // namespace

void add_translations(nb::module_& module) {
  add_trust(module);
  add_candidate(module);
  nb::class_<Translation> translation(
      module, "Translation",
      "A translated sentence. The attributes of the best candidate are also its own. A notebook "
      "shows it with its attention.",
      nb::dynamic_attr());  // where it comes from
  translation.def_ro("candidates", &Translation::candidates, "Best first, n_best of them.")
      .def_ro("source_tokens", &Translation::source_tokens)
      .def_prop_ro("text", [](const Translation& t) { return best(t).text; })
      .def_prop_ro("score", [](const Translation& t) { return best(t).score; })
      .def_prop_ro("log_probability", [](const Translation& t) { return best(t).log_probability; })
      .def_prop_ro("tokens", [](const Translation& t) { return best(t).tokens; })
      .def_prop_ro("token_scores", [](const Translation& t) { return best(t).token_scores; })
      .def_prop_ro("alignment", [](const Translation& t) { return best(t).alignment; })
      .def_prop_ro("trust", [](const Translation& t) { return best(t).trust; })
      .def("__str__", [](const Translation& t) { return best(t).text; })
      .def("_repr_html_", html_of)
      .def("__repr__", [](const Translation& t) {
        return fmt::format("Translation(text={}, score={:.4f})",
                           nb::repr(nb::cast(best(t).text)).c_str(), best(t).score);
      });
  add_value_methods(
      translation,
      [](const Translation& t) {
        return TranslationState{t.candidates, t.source_tokens};
      },
      [](const TranslationState& state) {
        const auto& [candidates, source_tokens] = state;
        if (candidates.empty()) throw DataError("a pickled translation has no candidates");
        return Translation{candidates, source_tokens};
      });
}

}  // namespace attend
