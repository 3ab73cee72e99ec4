#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <tuple>

#include "attend/inspect/attention_page.h"
#include "attend/python/models/explanations.h"
#include "attend/python/models/model_views.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/texts.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/explanation/explanation.h"

namespace nb = nanobind;

namespace attend {

namespace {

using ClassifierView = ModelView<ClassificationEngine>;

std::vector<std::vector<float>> classify_texts(const ClassifierView& classifier,
                                               const std::vector<std::string>& texts,
                                               const nb::dict& keywords) {
  ClassificationOptions options;
  set_keywords(option_fields(options), keywords);
  const Released released;
  const EnteredRuntime entered(classifier.runtime);
  std::vector<Classification> classes;
  check_options(options);
  const ClassificationEngine reader = classifier.engine.reading(options);
  answer_texts(
      texts, kPlaceOfTexts, collect(classes),
      [&](const std::string& text, const std::string& where) {
        return reader.input(text_for(text, classifier.engine.model().special_text), where);
      },
      [&](std::span<const PairInput> window) {
        return classifier.engine.classify_inputs(window, options);
      });
  std::vector<std::vector<float>> scores;
  for (Classification& one : classes)
    scores.push_back(one.probabilities.empty() ? std::vector{one.value}
                                               : std::move(one.probabilities));
  return scores;
}

// A word, the probability of the class without it, and what that changes; none if nothing is left.
using WordState = std::tuple<std::string, std::optional<float>, std::optional<float>>;

std::vector<WordState> effects_of_words(const ClassifierView& classifier, const std::string& text) {
  const Released released;
  const EnteredRuntime entered(classifier.runtime);
  const ClassifiedText explained = explained_text(classifier.engine, text);
  std::vector<WordState> states;
  for (const auto& [word, without] : explained.effects) {
    std::optional<float> change;
    if (without) change = *without - explained.classes.probability();
    states.emplace_back(word, without, change);
  }
  return states;
}

std::string page_of_class(const ClassifierView& classifier, const std::string& text, bool why) {
  const Released released;
  const EnteredRuntime entered(classifier.runtime);
  return attention_page(classifier.engine.model(), why ? explained_text(classifier.engine, text)
                                                       : classified_text(classifier.engine, text));
}

ExplanationState explain_class(const ClassifierView& classifier, const std::string& text,
                               const nb::dict& keywords) {
  ExplanationOptions options;
  set_keywords(option_fields(options), keywords);
  const Released released;
  const EnteredRuntime entered(classifier.runtime);
  return state_of(explain(classifier.engine.model(), text, options));
}

}  // namespace

void add_classifier(nb::module_& module) {
  nb::class_<ClassifierView>(module, "Classifier")
      .def(nb::new_(&load_view<ClassificationEngine>), nb::arg("path"), nb::arg("threads"),
           nb::arg("changes"))
      .def_static("sharing", &view_of<ClassificationEngine>, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("labels", [](const ClassifierView& c) { return c.engine.labels(); })
      .def("problem_type",
           [](const ClassifierView& c) {
             const ProblemType problem = c.engine.model().problem_type();
             return std::string(enum_names(problem)[static_cast<std::size_t>(problem)]);
           })
      .def("takes_pairs", [](const ClassifierView& c) { return c.engine.model().pairs; })
      .def("activation", [](const ClassifierView& c) { return c.engine.model().activation(); })
      .def("tokenizer", [](const ClassifierView& c) { return c.engine.model().tokenizer; })
      .def("classify", classify_texts, nb::arg("texts"), nb::arg("options"),
           "The probabilities of all labels for each text, or its number.")
      .def("explain", explain_class, nb::arg("text"), nb::arg("options"))
      .def("word_effects", effects_of_words, nb::arg("text"))
      .def("attention_page", page_of_class, nb::arg("text"), nb::arg("why"));
}

}  // namespace attend
