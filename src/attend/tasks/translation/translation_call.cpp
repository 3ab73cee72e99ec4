#include "attend/tasks/translation/translation_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/ascii.h"
#include "attend/core/strings/counted.h"
#include "attend/documents/terms/tbx_terms.h"
#include "attend/error.h"
#include "attend/tasks/text_preparer.h"
#include "attend/tasks/translation/candidate_choice.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/phrases.h"

namespace attend {

namespace {

// Throws ConfigError, also for beginnings that are given twice.
void check_prefix_ids(const TranslationOptions& options, const TranslationModel& model) {
  if (!options.prefix_ids.empty() && !options.prefixes.empty())
    throw ConfigError("prefix_ids: expected no prefixes with them");
  for (const std::vector<std::int32_t>& prefix : options.prefix_ids)
    check_target_ids(prefix, model, "prefix_ids");
}

void check_end_ids(const TranslationOptions& options, const TranslationModel& model) {
  for (const std::int32_t id : options.end_ids)
    if (id < 0 || id >= model.tgt_tokenizer.vocab_size())
      throw ConfigError(fmt::format("end_ids: expected ids of target tokens, got {}", id));
}

void check(const TranslationOptions& options, const TranslationEnsemble& ensemble) {
  const TranslationModel& model = ensemble.first();
  check_options(options);
  check_choice(options);
  if (!options.sampling) check_search(options.beam);
  if (!options.glossary.empty() && (options.sampling || options.shortlist))
    throw OptionError<ConfigError>(
        "{}: expected beam search among all tokens, without {} and sampling", as_key("glossary"),
        as_flag("shortlist"));
  if (options.shortlist && ensemble.has_several())
    throw OptionError<ConfigError>("{}: expected one model, as each has its own; got an ensemble",
                                   as_flag("shortlist"));
  if (options.shortlist && !model.shortlist)
    throw OptionError<ConfigError>("{}: the model has no shortlist; attend shortlist adds one",
                                   as_flag("shortlist"));
  if (const int most = model.format.context.sentences; options.context > most)
    throw OptionError<ConfigError>("{}: the model was trained with {} of context, got {}",
                                   as_key("context"), counted(most, "sentence"), options.context);
  check_prefix_ids(options, model);
  check_end_ids(options, model);
  if (options.sampling && options.prefix_weight < 1)
    throw OptionError<ConfigError>("{}: expected beam search, or 1; got sampling",
                                   as_key("prefix-weight"));
  if (options.shortlist && options.prefix_weight < 1)
    throw OptionError<ConfigError>(
        "{}: expected all tokens to choose from, or 1; {} leaves only some",
        as_key("prefix-weight"), as_flag("shortlist"));
}

// What a file holds. Throws IoError.
std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw IoError(fmt::format("cannot read {}", path));
  return content;
}

// The glossary with the terms of its files of TBX, which are in the languages of the model.
std::vector<std::string> with_tbx_terms(const TranslationOptions& options,
                                        const TranslationModel& model) {
  const auto language = [&](const std::string& chosen, const std::string& fallback,
                            const char* side) {
    if (!chosen.empty()) return chosen;
    const auto kind = model.text_kinds.find(side);
    return fallback.empty() && kind != model.text_kinds.end() ? kind->second.language : fallback;
  };
  const LanguagePair& defaults = model.format.defaults;
  const std::string source = language(options.languages.source, defaults.source, "src"),
                    target = language(options.languages.target, defaults.target, "tgt");
  std::vector<std::string> entries;
  for (const std::string& entry : options.glossary) {
    if (entry.find('\t') != entry.npos || !ascii_lower(entry).ends_with(".tbx")) {
      entries.push_back(entry);
      continue;
    }
    if (source.empty() || target.empty())
      throw OptionError<ConfigError>(
          "{}: {} has terms in several languages, but the model does not say its own; attend info "
          "with {} src=CODE tgt=CODE adds them",
          as_key("glossary"), entry, as_flag("set"));
    for (std::string& line : tbx_terms(entry, content_of(entry), source, target))
      entries.push_back(std::move(line));
  }
  return entries;
}

}  // namespace

void check_target_ids(const std::vector<std::int32_t>& ids, const TranslationModel& model,
                      const char* option) {
  for (const std::int32_t id : ids)
    if (id < 0 || id >= model.tgt_tokenizer.vocab_size() || id == model.special().eos)
      throw ConfigError(
          fmt::format("{}: expected ids of target tokens, without the end, got {}", option, id));
}

std::shared_ptr<const TranslationCall> translation_call(const TranslationEnsemble& ensemble,
                                                        const TranslationOptions& options,
                                                        bool has_prefixes) {
  const TranslationModel& model = ensemble.first();
  check(options, ensemble);
  const auto all = std::make_shared<TranslationCall>(
      TranslationCall{options, model.format.of(options.languages)});
  TranslationOptions& own = all->options;
  all->answers = options.beam.n_best;
  own.beam.n_best = candidates_of(options);
  own.prefixes.clear();  // sentences have theirs
  own.prefix_ids.clear();
  all->patterns = SpanPatterns(options.protect);
  if (!options.glossary.empty())
    all->glossary = std::make_shared<const Glossary>(with_tbx_terms(options, model));
  own.glossary.clear();
  const bool has_target_text = has_prefixes || !all->patterns.empty() || all->glossary ||
                               !options.prefixes.empty() || !own.must_contain.empty() ||
                               !own.must_not_contain.empty();
  all->source = TextPreparer::of_input(model.text_kinds, options.preparation);
  if (has_target_text || TextPreparer::restores(options.preparation))
    all->target = TextPreparer::of_target(model.text_kinds, options.preparation);
  own.must_contain = all->target(own.must_contain);
  own.must_not_contain = all->target(own.must_not_contain);
  all->rules = phrase_rules(own, model);
  if (own.trust) all->trust = trust_judge(ensemble, own.languages, own.preparation);
  if (!all->patterns.empty())
    all->stand_ins =
        stand_ins({model.src_tokenizer, all->source}, {model.tgt_tokenizer, all->target});
  return all;
}

LanguagePair text_languages(const TranslationModel& model, const LanguagePair& languages,
                            const TextPreparation& preparation) {
  const auto chosen = [&](const std::string& asked, const std::string& prepared, const char* side) {
    if (!asked.empty()) return asked;
    if (!prepared.empty()) return prepared;
    const auto kind = model.text_kinds.find(side);
    return kind == model.text_kinds.end() ? std::string() : kind->second.language;
  };
  return {chosen(languages.source, preparation.language, "src"),
          chosen(languages.target, preparation.tgt_language, "tgt")};
}

std::shared_ptr<const TrustJudge> trust_judge(const TranslationEnsemble& ensemble,
                                              const LanguagePair& languages,
                                              const TextPreparation& preparation) {
  const auto& calibration = ensemble.first().trust;
  const bool fits = calibration && !ensemble.has_several() &&
                    calibration->languages.source == languages.source &&
                    calibration->languages.target == languages.target;
  return std::make_shared<const TrustJudge>(
      text_languages(ensemble.first(), languages, preparation), fits ? calibration : nullptr);
}

namespace {

// The call with more phrases. The search is wide enough to weigh where a phrase may come.
std::shared_ptr<const TranslationCall> call_with(const TranslationEnsemble& ensemble,
                                                 const std::shared_ptr<const TranslationCall>& call,
                                                 std::span<const SentencePhrase> phrases) {
  constexpr int kWider = 4;
  if (phrases.empty()) return call;
  auto own = std::make_shared<TranslationCall>(*call);
  TranslationOptions& options = own->options;
  own->rules = phrase_rules(options, ensemble.first(), phrases);
  options.beam.beam_size = std::max(options.beam.beam_size, own->rules->total() + kWider);
  return own;
}

}  // namespace

// Samples, and the tokens of a shortlist, cannot be made to have stand-ins.
SentenceCall call_of_sentence(const TranslationEnsemble& ensemble,
                              const std::shared_ptr<const TranslationCall>& call,
                              std::string_view sentence, const ProtectedSentence* protection) {
  std::vector<SentencePhrase> stand_ins;
  if (protection != nullptr && !call->options.sampling && !call->options.shortlist)
    for (const std::string& word : protection->stand_ins())
      stand_ins.push_back({{call->target(word)}, true});
  auto without = call_with(ensemble, call, stand_ins);
  std::vector<SentencePhrase> phrases;
  if (call->glossary)
    for (const GlossaryTerm& term : call->glossary->find(sentence))
      phrases.push_back({call->target(term.targets)});
  if (phrases.empty()) return {std::move(without)};

  std::string read = call->source(sentence);
  std::vector<GlossaryTerm> terms = call->glossary->find(read);
  for (GlossaryTerm& term : terms) term.targets = call->target(term.targets);
  const bool are_all_read = terms.size() == phrases.size();
  phrases.insert(phrases.end(), stand_ins.begin(), stand_ins.end());
  SentenceCall own{call_with(ensemble, call, phrases)};
  if (are_all_read)
    own.terms = std::make_shared<const SentenceTerms>(
        SentenceTerms{std::move(read), std::move(terms), std::move(without)});
  return own;
}

}  // namespace attend
