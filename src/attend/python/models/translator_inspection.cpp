#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "attend/inspect/attention_page.h"
#include "attend/python/models/explanations.h"
#include "attend/python/models/translator.h"
#include "attend/python/numpy.h"
#include "attend/python/released.h"
#include "attend/python/tokens.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/translation/alternatives.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Strings = std::vector<std::string>;
using TokenIds = std::vector<std::int32_t>;
// Id, token, log-probability.
using ChoiceState = std::tuple<std::int32_t, std::string, float>;
// The written token, its rank, the likeliest ones.
using AlternativesState = std::tuple<ChoiceState, int, std::vector<ChoiceState>>;

// [layers, heads, rows, cols]; at least one layer.
NumpyArray array_of(const std::vector<std::vector<AttentionMap>>& layers) {
  const AttentionMap& first = layers.front().front();
  std::vector<float> weights;
  for (const std::vector<AttentionMap>& heads : layers)
    for (const AttentionMap& head : heads)
      weights.insert(weights.end(), head.weights.begin(), head.weights.end());
  return numpy_array(std::move(weights),
                     {layers.size(), layers.front().size(), static_cast<std::size_t>(first.rows),
                      static_cast<std::size_t>(first.cols)});
}

nb::dict attention_of(const TranslatorView& translator, const std::string& source,
                      const std::string& target, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const TranslationModel& model = translator.engine.model();
  AttentionMaps maps;
  {
    const Released released;
    const EnteredRuntime entered(translator.runtime);
    const ScoredPair pair = given_pair(translator.engine, source, target, languages);
    maps = attention_maps(model, model.format.of(languages), pair.src, pair.tgt);
  }
  nb::dict result;
  result["source_tokens"] = nb::cast(pieces_of(maps.src, model.src_tokenizer));
  result["target_tokens"] = nb::cast(pieces_of(maps.tgt, model.tgt_tokenizer));
  // Recurrent networks have only cross-attention.
  if (!maps.encoder.empty()) result["encoder"] = array_of(maps.encoder);
  if (!maps.decoder.empty()) result["decoder"] = array_of(maps.decoder);
  result["cross"] = array_of(maps.cross);
  return result;
}

// Returns the attention of target tokens, which may begin with that of the language: [layers,
// heads, target + 1, source], and the tokens of the source.
nb::tuple cross_attention_of(const TranslatorView& translator, const Strings& source,
                             const Strings& target, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const TranslationModel& model = translator.engine.model();
  PairSpecialTokens marks = model.format.of(languages);
  const std::vector<std::int32_t> src = marked_ids(source, model, marks);
  std::vector<std::int32_t> tgt = ids_of(target, model.tgt_tokenizer);
  // The language has a row, too, unless it is what the decoder begins with.
  if (!languages.target.empty()) {
    if (marks.before_target.size() > 1)
      marks.before_target.pop_back();
    else
      tgt.erase(tgt.begin());
  }
  AttentionMaps maps;
  {
    const Released released;
    const EnteredRuntime entered(translator.runtime);
    maps = attention_maps(model, marks, src, tgt);
  }
  return nb::make_tuple(array_of(maps.cross), pieces_of(maps.src, model.src_tokenizer));
}

// Returns the logits of target tokens without that of the language: [target + 1, V].
NumpyArray logits_of_target(const TranslatorView& translator, const Strings& source,
                            const Strings& target, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const TranslationModel& model = translator.engine.model();
  Tensor logits;
  {
    const Released released;
    const EnteredRuntime entered(translator.runtime);
    const PairSpecialTokens marks = model.format.of(languages);
    logits = target_logits(translator.engine.ensemble(), marks,
                           {marked_ids(source, model, marks), ids_of(target, model.tgt_tokenizer)});
  }
  return numpy_matrix(logits);
}

std::string page_of(const TranslatorView& translator, const std::string& source,
                    const std::optional<std::string>& target, const Beginnings& beginnings,
                    const nb::dict& keywords) {
  TranslationOptions options = translation_options(translator, keywords);
  set_beginnings(options, beginnings);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const ScoredPair pair = target ? given_pair(translator.engine, source, *target, options.languages,
                                              options.preparation)
                                 : translated_pair(translator.engine, source, options);
  return attention_page(translator.engine.model(), pair);
}

struct ExplainKeywords {
  ExplanationOptions explanation;
  LanguagePair languages;
};

template <class Visitor>
void fields(ExplainKeywords& k, Visitor&& visit) {
  fields(k.explanation, visit);
  fields(k.languages, visit);
}

// target: tokens, without the end.
ExplanationState explain_translation(const TranslatorView& translator, const std::string& source,
                                     const TokenIds& target, const nb::dict& keywords) {
  ExplainKeywords k;
  set_keywords(option_fields(k), keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  return state_of(explain(translator.engine.model(), source, target, k.explanation, k.languages));
}

std::vector<AlternativesState> alternatives_of(const TranslatorView& translator,
                                               const std::string& source, const TokenIds& target,
                                               int count, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const auto state = [](const TokenChoice& choice) {
    return ChoiceState{choice.id, choice.token, choice.log_probability};
  };
  std::vector<AlternativesState> states;
  for (const TokenAlternatives& one :
       translator.engine.alternatives(source, target, count, languages)) {
    std::vector<ChoiceState> likeliest;
    for (const TokenChoice& choice : one.likeliest) likeliest.push_back(state(choice));
    states.emplace_back(state(one.written), one.rank, std::move(likeliest));
  }
  return states;
}

}  // namespace

void add_translator_inspection(nb::class_<TranslatorView>& translator) {
  translator
      .def("attention", attention_of, nb::arg("source"), nb::arg("target"), nb::arg("options"))
      .def("cross_attention", cross_attention_of, nb::arg("source"), nb::arg("target"),
           nb::arg("options"))
      .def("logits", logits_of_target, nb::arg("source"), nb::arg("target"), nb::arg("options"))
      .def("attention_page", page_of, nb::arg("source"), nb::arg("target").none(),
           nb::arg("beginnings"), nb::arg("options"),
           "The HTML of a page that shows the attention.")
      .def("explain", explain_translation, nb::arg("source"), nb::arg("target"), nb::arg("options"))
      .def("alternatives", alternatives_of, nb::arg("source"), nb::arg("target"), nb::arg("count"),
           nb::arg("options"));
}

}  // namespace attend
