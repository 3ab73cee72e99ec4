#include "attend/python/models/translator.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>
#include <variant>

#include "attend/error.h"
#include "attend/inspect/beam_tree.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/texts.h"
#include "attend/python/tokens.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/document_translation.h"
#include "attend/text/tokenizer_file.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Strings = std::vector<std::string>;
// Parent, id, token, its log-probability, that of the hypothesis, the score, the fate.
using BeamCandidateState = std::tuple<int, int, std::string, float, float, float, std::string>;

}  // namespace

TranslationOptions translation_options(const TranslatorView& translator, const nb::dict& keywords) {
  NamedTranslation named;
  named.translation = translator.engine.default_options();
  const std::vector<OptionField> fields = option_fields(named);
  for (const auto& [key, value] : keywords) {
    const std::string name = utf8_of(key, "the name of an option");
    if (name == "comet")
      named.translation.comet = nb::cast<QualityScorer>(value);
    else if (name == "rerank")
      named.translation.rerank = nb::cast<QualityScorer>(value);
    else
      set_keyword(fields, key, value);
  }
  return resolved(named, given_in(keywords));
}

void set_beginnings(TranslationOptions& options, const Beginnings& beginnings) {
  if (const auto* const texts = std::get_if<0>(&beginnings))
    options.prefixes = *texts;
  else
    options.prefix_ids = std::get<1>(beginnings);
}

LanguagePair languages_of(const nb::dict& keywords) {
  LanguagePair languages;
  set_keywords(option_fields(languages), keywords);
  return languages;
}

std::vector<std::int32_t> marked_ids(const Strings& tokens, const TranslationModel& model,
                                     const PairSpecialTokens& marks) {
  std::vector<std::int32_t> ids = ids_of(tokens, model.src_tokenizer);
  const auto& [before, behind, unused] = marks;
  if (ids.size() >= before.size() && std::equal(before.begin(), before.end(), ids.begin()))
    ids.erase(ids.begin(), ids.begin() + std::ssize(before));
  if (ids.size() >= behind.size() && std::equal(behind.rbegin(), behind.rend(), ids.rbegin()))
    ids.resize(ids.size() - behind.size());
  return ids.empty() ? ids : marks.around(ids);
}

namespace {

// Tells Python of every step of a search: listener(sentence, tokens written, candidates). Nothing
// without a listener. Both must outlive the result.
std::function<void(std::size_t, const BeamStep&)> told_steps(const nb::object& listener,
                                                             const Tokenizer& target) {
  if (listener.is_none()) return {};
  return [&listener, &target](std::size_t sentence, const BeamStep& step) {
    std::vector<BeamCandidateState> candidates;
    for (const BeamCandidate& c : step.candidates)
      candidates.emplace_back(c.parent, c.token, target.piece(c.token), c.token_score,
                              c.log_probability, c.score, name_of(c.fate));
    const nb::gil_scoped_acquire acquired;
    listener(sentence, step.written, std::move(candidates));
  };
}

// Texts as the tokenizer reads them: one of a tokenizer.json sees line breaks, others see lines.
void read_lines_as(const Tokenizer& tokenizer, Strings& texts) {
  const bool sees_breaks = detail::has_foreign_steps(tokenizer.bytes());
  for (std::string& text : texts)
    text = text_for(std::move(text), sees_breaks ? SpecialText::as_tokens : SpecialText::as_text);
}

// Named texts ask for the sentence at fault when one fails, so they would call a listener that has
// thrown again.
std::vector<Translation> translate_texts(const TranslatorView& translator, Strings sentences,
                                         const Beginnings& beginnings, const nb::dict& keywords,
                                         const nb::object& listener) {
  TranslationOptions options = translation_options(translator, keywords);
  if (options.sampling && !listener.is_none())
    throw ConfigError("on_beam_step: is for beam search, not for sample=True");
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const TranslationModel& model = translator.engine.model();
  read_lines_as(model.src_tokenizer, sentences);
  set_beginnings(options, beginnings);
  read_lines_as(model.tgt_tokenizer, options.prefixes);
  options.search_listener = told_steps(listener, model.tgt_tokenizer);
  if (options.search_listener || !options.prefix_ids.empty())
    return translator.engine.translate(sentences, options);
  std::vector<Translation> translations;
  translations.reserve(sentences.size());
  translator.engine.translate(sentences, kTexts, collect(translations), options);
  return translations;
}

// Throws ConfigError for what a text as an answer has no place for.
TranslationOptions options_for_whole(const TranslatorView& translator, const Beginnings& beginnings,
                                     const nb::dict& keywords) {
  TranslationOptions options = translation_options(translator, keywords);
  if (options.trust)
    throw ConfigError("trust: expected sentences to translate(), got a whole text");
  set_beginnings(options, beginnings);
  return options;
}

// What is translated as a whole; `kind`: "text" or "html".
std::string translate_whole(const TranslatorView& translator, const std::string& text,
                            const std::string& kind, const Beginnings& beginnings,
                            const nb::dict& keywords) {
  TranslationOptions options = options_for_whole(translator, beginnings, keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  return translate_document(translator.engine, kind == "html" ? html_page(text) : plain_text(text),
                            options)
      .documents.front();
}

void translate_file_to(const TranslatorView& translator, const std::filesystem::path& in,
                       const std::filesystem::path& out, const Strings& columns,
                       const Beginnings& beginnings, const nb::dict& keywords) {
  TranslationOptions options = options_for_whole(translator, beginnings, keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  translate_file(translator.engine, in, out, options, columns);
}

std::vector<Translation> translate_tokens(const TranslatorView& translator,
                                          const std::vector<Strings>& sentences,
                                          const std::vector<Strings>& prefixes,
                                          const TokenLimits& limits, const nb::dict& keywords,
                                          const nb::object& listener) {
  TranslationOptions options = translation_options(translator, keywords);
  set_limits(options, limits, translator.engine.model().tgt_tokenizer);
  options.search_listener = told_steps(listener, translator.engine.model().tgt_tokenizer);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const TranslationModel& model = translator.engine.model();
  const PairSpecialTokens marks = model.format.of(options.languages);
  std::vector<TokenizedSentence> tokenized;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    tokenized.push_back(
        {marked_ids(sentences[i], model, marks), ids_of(prefixes.at(i), model.tgt_tokenizer)});
    require_room(fmt::format("sentence {}", i + 1), std::ssize(tokenized.back().ids), 0,
                 translator.engine.ensemble().longest_input());
  }
  return translator.engine.translate_ids(std::move(tokenized), options);
}

std::vector<SequenceScore> scores_of_pairs(const TranslatorView& translator, const Strings& sources,
                                           const Strings& targets, const nb::dict& keywords) {
  PairKeywords k;
  set_keywords(option_fields(k), keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const ScoringOptions options{.preparation = k.preparation, .trust = k.trust};
  return translator.engine.score(sources, targets, options, k.languages);
}

// The target tokens and their end with the log-probability of each.
std::pair<Strings, std::vector<float>> scores_of_target(const TranslatorView& translator,
                                                        const Strings& source,
                                                        const Strings& target,
                                                        const nb::dict& keywords) {
  const LanguagePair languages = languages_of(keywords);
  const Released released;
  const EnteredRuntime entered(translator.runtime);
  const TranslationEnsemble& ensemble = translator.engine.ensemble();
  const TranslationModel& model = ensemble.first();
  const PairSpecialTokens marks = model.format.of(languages);
  const std::vector<std::vector<std::int32_t>> src{marked_ids(source, model, marks)};
  std::vector<std::vector<std::int32_t>> tgt{ids_of(target, model.tgt_tokenizer)};
  std::vector<std::int32_t>& scored = tgt.front();
  const std::int32_t end = model.special().eos;
  if (!scored.empty() && scored.back() == end) scored.pop_back();
  require_room("the source", std::ssize(src.front()), 0, ensemble.longest_input());
  require_room("the target", std::ssize(scored), marks.of_target(), ensemble.longest_input());
  SequenceScore score = std::move(ensemble.score(marks, src, tgt).front());
  scored.push_back(end);
  return {pieces_of(scored, model.tgt_tokenizer), std::move(score.token_scores)};
}

// Compute together on the runtime of the first.
TranslatorView ensemble_of(const std::vector<const TranslatorView*>& members) {
  std::vector<const TranslationEngine*> engines;
  for (const TranslatorView* const member : members) engines.push_back(&member->engine);
  return {TranslationEngine::ensemble_of(engines), members.front()->runtime};
}

// Tokens of the longest sentence; 0: any length.
std::int64_t longest_source(const TranslatorView& translator) {
  return translator.engine.longest_source();
}

Strings language_names(const TranslatorView& translator) {
  Strings names;
  for (const PairFormat::Language& language : translator.engine.model().format.languages)
    names.push_back(language.name);
  return names;
}

}  // namespace

void add_translator(nb::module_& module) {
  nb::class_<TranslatorView> translator(module, "Translator");
  translator
      .def(nb::new_(&load_view<TranslationEngine>), nb::arg("path"), nb::arg("threads"),
           nb::arg("changes"))
      .def_static("sharing", &view_of<TranslationEngine>, nb::arg("base"), nb::arg("adapter"),
                  nb::arg("changes"))
      .def_static("ensemble", ensemble_of, nb::arg("members"))
      .def("languages", language_names)
      .def("longest_source", longest_source)
      .def("source_tokenizer",
           [](const TranslatorView& t) { return t.engine.model().src_tokenizer; })
      .def("target_tokenizer",
           [](const TranslatorView& t) { return t.engine.model().tgt_tokenizer; })
      .def("translate", translate_texts, nb::arg("sentences"), nb::arg("beginnings"),
           nb::arg("options"), nb::arg("listener").none())
      .def("translate_whole", translate_whole, nb::arg("text"), nb::arg("kind"),
           nb::arg("beginnings"), nb::arg("options"))
      .def("translate_file", translate_file_to, nb::arg("source"), nb::arg("target"),
           nb::arg("columns"), nb::arg("beginnings"), nb::arg("options"))
      .def("translate_tokens", translate_tokens, nb::arg("sentences"), nb::arg("prefixes"),
           nb::arg("limits"), nb::arg("options"), nb::arg("listener").none())
      .def("score", scores_of_pairs, nb::arg("sources"), nb::arg("targets"), nb::arg("options"))
      .def("score_tokens", scores_of_target, nb::arg("source"), nb::arg("target"),
           nb::arg("options"));
  add_translator_inspection(translator);
}

}  // namespace attend
