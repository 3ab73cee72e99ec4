#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <tuple>
#include <utility>

#include "attend/core/strings/character_index.h"
#include "attend/data/tagged_text.h"
#include "attend/python/models/model_views.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/texts.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/tagging/engine.h"

namespace nb = nanobind;

namespace attend {

namespace {

using TaggerView = ModelView<TaggingEngine>;
using Words = std::vector<std::string>;
// First and last place in the text, in characters; the last is that after it.
using Place = std::pair<std::size_t, std::size_t>;
// Label, first word, the word after the last, text, score, place.
using GroupState = std::tuple<std::string, std::size_t, std::size_t, std::string, float, Place>;
// The words, the index of the tag of each, its probability, its place, and the groups.
using TaggingState = std::tuple<Words, std::vector<std::size_t>, std::vector<float>,
                                std::vector<Place>, std::vector<GroupState>>;

TaggingOptions tagging_options(const nb::dict& keywords) {
  TaggingOptions options;
  set_keywords(option_fields(options), keywords);
  return options;
}

std::vector<TaggingState> states_of(std::vector<Tagging> taggings) {
  std::vector<TaggingState> states;
  for (Tagging& one : taggings) {
    CharacterIndex characters(one.text);
    const auto place = [&](const TokenSpan& span) {
      const std::size_t begin = characters.of(span.begin);
      return Place{begin, characters.of(span.end)};
    };
    std::vector<Place> places;
    for (const TokenSpan& span : one.spans) places.push_back(place(span));
    std::vector<GroupState> groups;
    for (TagGroup& group : one.groups)
      groups.emplace_back(std::move(group.label), group.begin, group.end, std::move(group.text),
                          group.score, place(group.span));
    states.emplace_back(std::move(one.words), std::move(one.tags), std::move(one.probabilities),
                        std::move(places), std::move(groups));
  }
  return states;
}

std::vector<TaggingState> tag_texts(const TaggerView& tagger, const Words& texts,
                                    const nb::dict& keywords) {
  const TaggingOptions options = tagging_options(keywords);
  const Released released;
  const EnteredRuntime entered(tagger.runtime);
  std::vector<Tagging> taggings;
  answer_texts(
      texts, kPlaceOfTexts, collect(taggings),
      [&](const std::string& text, const std::string& where) {
        return tagger.engine.input(text_for(text, tagger.engine.model().special_text), options,
                                   where);
      },
      [&](std::span<const TaggingInput> window) {
        return tagger.engine.tag_inputs(window, options);
      });
  return states_of(std::move(taggings));
}

std::vector<TaggingState> tag_words(const TaggerView& tagger, const std::vector<Words>& texts,
                                    const nb::dict& keywords) {
  const TaggingOptions options = tagging_options(keywords);
  const Released released;
  const EnteredRuntime entered(tagger.runtime);
  return states_of(tagger.engine.tag_words(texts, options));
}

}  // namespace

void add_tagger(nb::module_& module) {
  nb::class_<TaggerView>(module, "Tagger")
      .def(nb::new_(&load_view<TaggingEngine>), nb::arg("path"), nb::arg("threads"),
           nb::arg("changes"))
      .def_static("sharing", &view_of<TaggingEngine>, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def("labels", [](const TaggerView& t) { return t.engine.labels(); })
      .def("tags_tokens",
           [](const TaggerView& t) { return t.engine.model().units == TaggedUnits::tokens; })
      .def("has_entity_tags",
           [](const TaggerView& t) { return are_entity_tags(t.engine.labels()); })
      .def("tokenizer", [](const TaggerView& t) { return t.engine.model().tokenizer; })
      .def("tag", tag_texts, nb::arg("texts"), nb::arg("options"))
      .def("tag_words", tag_words, nb::arg("texts"), nb::arg("options"));
}

}  // namespace attend
