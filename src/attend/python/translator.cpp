#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/lines.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/python/held_model.h"
#include "attend/python/module.h"
#include "attend/python/numpy.h"
#include "attend/python/texts.h"
#include "attend/python/tokens.h"
#include "attend/tasks/attention_maps.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/scoring.h"

namespace nb = nanobind;

namespace attend {

namespace {

using HeldTranslator = HeldModel<TranslationEngine>;
using Strings = std::vector<std::string>;

// The options of `attend translate` that concern the translations.
struct TranslateKeywords {
  TranslationOptions translation;
  bool sample = false;
  SamplingOptions sampling;
};

template <class Visitor>
void fields(TranslateKeywords& k, Visitor&& visit) {
  fields(k.translation, visit);
  visit("sample", k.sample, "draw translations at random instead of searching for the best");
  fields(k.sampling, visit);
}

void refuse(const nb::dict& keywords, std::initializer_list<const char*> names,
            const char* reason) {
  for (const char* name : names)
    if (keywords.contains(name)) throw ConfigError(fmt::format("{}: {}", name, reason));
}

TranslationOptions translation_options(const HeldTranslator& translator, const nb::dict& keywords) {
  TranslateKeywords k;
  k.translation = translator.engine.default_options();
  set_keywords(option_fields(k), keywords);
  if (k.sample) {
    refuse(keywords,
           {"beam_size", "length_penalty", "min_length", "no_repeat_ngram", "must_contain",
            "must_not_contain"},
           "is for beam search, not for sample=True");
    k.translation.sampling = k.sampling;
    k.translation.sampling->max_length = k.translation.beam.max_length;
  } else {
    refuse(keywords, {"temperature", "top_k", "top_p", "seed"}, "needs sample=True");
  }
  return k.translation;
}

// prefixes: what the translations begin with; one for each sentence, one for all, or none.
std::vector<Translation> translate_texts(const HeldTranslator& translator, const Strings& sentences,
                                         const Strings& prefixes, const nb::dict& keywords) {
  TranslationOptions options = translation_options(translator, keywords);
  const bool several = prefixes.size() > 1;
  if (!several) options.prefixes = prefixes;
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(translator.runtime);
  std::vector<Translation> translations;
  translations.reserve(sentences.size());
  std::istringstream stream = lines_of(sentences), prefix_stream = lines_of(prefixes);
  LineReader lines(stream, kTexts), prefix_lines(prefix_stream, "prefixes");
  translator.engine.translate(lines, collect(translations), options,
                              several ? &prefix_lines : nullptr);
  return translations;
}

// The ids of tokens, with the marks that the model needs around them. Marks that are there already,
// as other programs' tokenizers add them, are not added again.
std::vector<std::int32_t> marked_ids(const Strings& tokens, const TranslationModel& model,
                                     const PairMarks& marks) {
  std::vector<std::int32_t> ids = ids_of(tokens, model.src_tokenizer);
  const auto& [before, behind, unused] = marks;
  if (ids.size() >= before.size() && std::equal(before.begin(), before.end(), ids.begin()))
    ids.erase(ids.begin(), ids.begin() + std::ssize(before));
  if (ids.size() >= behind.size() && std::equal(behind.rbegin(), behind.rend(), ids.rbegin()))
    ids.resize(ids.size() - behind.size());
  return ids.empty() ? ids : marks.around(ids);
}

std::vector<Translation> translate_tokens(const HeldTranslator& translator,
                                          const std::vector<Strings>& sentences,
                                          const std::vector<Strings>& prefixes,
                                          const nb::dict& keywords) {
  const TranslationOptions options = translation_options(translator, keywords);
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(translator.runtime);
  const TranslationModel& model = translator.engine.model();
  const PairMarks marks = model.format.of(options.languages);
  std::vector<TokenizedSentence> tokenized;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    tokenized.push_back(
        {marked_ids(sentences[i], model, marks), ids_of(prefixes.at(i), model.tgt_tokenizer)});
    require_room(fmt::format("sentence {}", i + 1), std::ssize(tokenized.back().ids), 0,
                 model.longest_input());
  }
  return translator.engine.translate_ids(std::move(tokenized), options);
}

LanguagePair languages_of(const nb::dict& keywords) {
  LanguagePair languages;
  set_keywords(option_fields(languages), keywords);
  return languages;
}

std::vector<SequenceScore> scores_of_pairs(const HeldTranslator& translator, const Strings& sources,
                                           const Strings& targets, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(translator.runtime);
  return translator.engine.score(sources, targets, {}, languages);
}

// The target tokens and their end with the log-probability of each.
std::pair<Strings, std::vector<float>> score_tokens(const HeldTranslator& translator,
                                                    const Strings& source, const Strings& target,
                                                    const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(translator.runtime);
  const TranslationModel& model = translator.engine.model();
  const PairMarks marks = model.format.of(languages);
  const std::vector<std::vector<std::int32_t>> src{marked_ids(source, model, marks)};
  std::vector<std::vector<std::int32_t>> tgt{ids_of(target, model.tgt_tokenizer)};
  std::vector<std::int32_t>& scored = tgt.front();
  const std::int32_t end = model.special().eos;
  if (!scored.empty() && scored.back() == end) scored.pop_back();
  require_room("the source", std::ssize(src.front()), 0, model.longest_input());
  require_room("the target", std::ssize(scored), marks.of_target(), model.longest_input());
  SequenceScore score = std::move(score_pairs(model, marks, src, tgt).front());
  scored.push_back(end);
  return {pieces_of(scored, model.tgt_tokenizer), std::move(score.token_scores)};
}

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

nb::dict attention_of(const HeldTranslator& translator, const std::string& source,
                      const std::string& target, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const TranslationModel& model = translator.engine.model();
  AttentionMaps maps;
  {
    const nb::gil_scoped_release released;
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

// Of target tokens that may begin with that of the language: [layers, heads, target + 1, source].
NumpyArray cross_attention_of(const HeldTranslator& translator, const Strings& source,
                              const Strings& target, const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const TranslationModel& model = translator.engine.model();
  PairMarks marks = model.format.of(languages);
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
    const nb::gil_scoped_release released;
    const EnteredRuntime entered(translator.runtime);
    maps = attention_maps(model, marks, src, tgt);
  }
  return array_of(maps.cross);
}

std::string page_of(const HeldTranslator& translator, const std::string& source,
                    const std::optional<std::string>& target, const Strings& prefixes,
                    const nb::dict& keywords) {
  TranslationOptions options = translation_options(translator, keywords);
  options.prefixes = prefixes;
  const nb::gil_scoped_release released;
  const EnteredRuntime entered(translator.runtime);
  const ScoredPair pair = target ? given_pair(translator.engine, source, *target, options.languages)
                                 : translated_pair(translator.engine, source, options);
  return attention_page(translator.engine.model(), pair);
}

Strings language_names(const HeldTranslator& translator) {
  Strings names;
  for (const PairFormat::Language& language : translator.engine.model().format.languages)
    names.push_back(language.name);
  return names;
}

}  // namespace

void add_translator(nb::module_& module) {
  nb::class_<HeldTranslator>(module, "Translator")
      .def(nb::new_(&HeldTranslator::load), nb::arg("path"), nb::arg("threads"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("languages", language_names)
      .def("source_tokenizer",
           [](const HeldTranslator& t) { return t.engine.model().src_tokenizer; })
      .def("target_tokenizer",
           [](const HeldTranslator& t) { return t.engine.model().tgt_tokenizer; })
      .def("translate", translate_texts, nb::arg("sentences"), nb::arg("prefixes"),
           nb::arg("options"))
      .def("translate_tokens", translate_tokens, nb::arg("sentences"), nb::arg("prefixes"),
           nb::arg("options"))
      .def("score", scores_of_pairs, nb::arg("sources"), nb::arg("targets"), nb::arg("options"))
      .def("attention", attention_of, nb::arg("source"), nb::arg("target"), nb::arg("options"))
      .def("score_tokens", score_tokens, nb::arg("source"), nb::arg("target"), nb::arg("options"))
      .def("cross_attention", cross_attention_of, nb::arg("source"), nb::arg("target"),
           nb::arg("options"))
      .def("attention_page", page_of, nb::arg("source"), nb::arg("target").none(),
           nb::arg("prefixes"), nb::arg("options"), "The HTML of a page that shows the attention.");
}

}  // namespace attend
