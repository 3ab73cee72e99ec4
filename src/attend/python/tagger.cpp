#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <tuple>
#include <utility>

#include "attend/core/lines.h"
#include "attend/data/tagged_text.h"
#include "attend/python/held_model.h"
#include "attend/python/module.h"
#include "attend/python/texts.h"
#include "attend/tasks/tagging/engine.h"

namespace nb = nanobind;

namespace attend {

namespace {

using HeldTagger = HeldModel<TaggingEngine>;
using Words = std::vector<std::string>;
// Type, first word, and the word after the last.
using EntityState = std::tuple<std::string, std::size_t, std::size_t>;
// The words, the index of the tag of each, its probability, and the entities, if tags are those of
// entities.
using TaggingState =
    std::tuple<Words, std::vector<std::size_t>, std::vector<float>, std::vector<EntityState>>;

TaggingOptions tagging_options(const nb::dict& keywords) {
  TaggingOptions options;
  set_keywords(option_fields(options), keywords);
  return options;
}

std::vector<TaggingState> states_of(std::vector<Tagging> taggings, const HeldTagger& tagger) {
  const std::vector<std::string>& labels = tagger.engine.labels();
  const bool have_entities = are_entity_tags(labels);
  std::vector<TaggingState> states;
  for (Tagging& one : taggings) {
    std::vector<EntityState> entities;
    if (have_entities)
      for (Entity& entity : one.entities(labels))
        entities.emplace_back(std::move(entity.type), entity.begin, entity.end);
    states.emplace_back(std::move(one.words), std::move(one.tags), std::move(one.probabilities),
                        std::move(entities));
  }
  return states;
}

std::vector<TaggingState> tag_texts(const HeldTagger& tagger, const Words& texts,
                                    const nb::dict& keywords) {
  const TaggingOptions options = tagging_options(keywords);
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(tagger.runtime);
  std::vector<Tagging> taggings;
  std::istringstream stream = lines_of(texts);
  LineReader lines(stream, kTexts);
  tagger.engine.tag(lines, collect(taggings), options);
  return states_of(std::move(taggings), tagger);
}

std::vector<TaggingState> tag_words(const HeldTagger& tagger, const std::vector<Words>& texts,
                                    const nb::dict& keywords) {
  const TaggingOptions options = tagging_options(keywords);
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(tagger.runtime);
  return states_of(tagger.engine.tag_words(texts, options), tagger);
}

}  // namespace

void add_tagger(nb::module_& module) {
  nb::class_<HeldTagger>(module, "Tagger")
      .def(nb::new_(&HeldTagger::load), nb::arg("path"), nb::arg("threads"), nb::arg("changes"))
      .def_static("sharing", &HeldTagger::sharing, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("labels", [](const HeldTagger& t) { return t.engine.labels(); })
      .def("tokenizer", [](const HeldTagger& t) { return t.engine.model().tokenizer; })
      .def("tag", tag_texts, nb::arg("texts"), nb::arg("options"))
      .def("tag_words", tag_words, nb::arg("texts"), nb::arg("options"));
}

}  // namespace attend
