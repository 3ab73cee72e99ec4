#include "attend/tasks/translation/term_places.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/marks/aligned_words.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/translation/read_terms.h"
#include "attend/tasks/translation/running_translations.h"

namespace attend {

namespace {

using Output = std::vector<std::int32_t>;

// Natural logarithms, per token. A term is unlikely if the tokens of a translation are so much less
// likely with it than without, and words are about as likely as others within so much. Found with
// terms of FreeDict in the validation text of Tatoeba and Multi30k (docs/notes/glossary.md).
constexpr double kUnlikely = 0.3, kAboutAsLikely = 0.3;
// The same if the terms only came to the usual translation, which is the worst of all places.
constexpr double kLikelyEnough = 1;

// A term is tried in so many forms; others are for the search alone.
constexpr std::size_t kMostForms = 8;

// Mean log-probabilities of the tokens of a translation and of its end.
struct TokenMeans {
  double all = 0;
  double others = 0;  // without those of required phrases, and the token behind each: after rare
                      // tokens the model knows least how the sentence goes on
};

TokenMeans token_means(const PhraseRules& rules, const Output& ids, std::span<const float> scores) {
  std::vector<bool> required = rules.required_tokens(ids);
  required.resize(scores.size(), false);
  double all = 0, others = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    all += scores[i];
    if (required[i] || (i > 0 && required[i - 1])) continue;
    others += scores[i];
    ++count;
  }
  all /= static_cast<double>(std::max<std::size_t>(scores.size(), 1));
  return {all, count > 0 ? others / static_cast<double>(count) : all};
}

WordsOfText placed_words(std::string_view text) {
  const TextSpan all{0, text.size()};
  return {text, all, words_of_sentence(text, all)};
}

std::string_view core_of(const WordsOfText& text, std::size_t word) {
  const SentenceWord& own = text.words[word];
  return text.text.substr(own.core_begin, own.core_end - own.core_begin);
}

std::int64_t count_of(const WordsOfText& text, std::string_view word) {
  const std::string wanted = unicode::lowercase(word);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.words.size(); ++i)
    count += unicode::lowercase(core_of(text, i)) == wanted;
  return count;
}

// Whether a text has the words of another in their order, and perhaps more.
bool has_words_of(const WordsOfText& text, const WordsOfText& other) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < text.words.size() && found < other.words.size(); ++i)
    if (unicode::lowercase(core_of(text, i)) == unicode::lowercase(core_of(other, found))) ++found;
  return found == other.words.size();
}

// Words [first, end) of the usual translation, which a term replaces.
struct Replaced {
  std::size_t first = 0, end = 0;
};

// The usual translation, and which word of the source each of its words translates.
struct UsualTranslation {
  WordsOfText source, words;
  std::vector<std::size_t> aligned;

  // The last words in a row that translate the bytes [begin, end) of the source.
  Replaced translating(std::size_t begin, std::size_t end) const {
    const auto translates = [&](std::size_t word) {
      const TextSpan span = source.words[aligned[word]].span;
      return span.begin < end && begin < span.end;
    };
    std::size_t last = aligned.size();
    while (last > 0 && !translates(last - 1)) --last;
    std::size_t first = last;
    while (first > 0 && translates(first - 1)) --first;
    return {first, last};
  }
};

// How a term is written, and where.
struct TermChoice {
  const std::string* form = nullptr;
  std::vector<Replaced> places;
};

bool begins_small(std::string_view text) {
  std::size_t at = 0;
  return !text.empty() && unicode::is_lower(next_code_point(text, at));
}

// The choices of a term: each of its forms, for all words that translate it and for as many of the
// last as the term has. None if no words translate it somewhere.
std::vector<TermChoice> choices_of(const GlossaryTerm& term, const UsualTranslation& usual) {
  std::vector<Replaced> all, last;
  for (const auto& [begin, end] : term.places) {
    const Replaced place = usual.translating(begin, end);
    if (place.first == place.end) return {};
    const std::size_t words =
        placed_words(usual.source.text.substr(begin, end - begin)).words.size();
    all.push_back(place);
    last.push_back({std::max(place.first, place.end - std::min(words, place.end)), place.end});
  }
  const bool is_same = std::equal(all.begin(), all.end(), last.begin(),
                                  [](Replaced a, Replaced b) { return a.first == b.first; });
  std::vector<TermChoice> choices;
  for (std::size_t i = 0; i < std::min(kMostForms, term.targets.size()); ++i) {
    choices.push_back({&term.targets[i], all});
    if (!is_same) choices.push_back({&term.targets[i], last});
  }
  return choices;
}

// Returns the choices that begin small if the word that they replace does, or all if there are
// none.
std::vector<TermChoice> choices_in_case(const std::vector<TermChoice>& all,
                                        const UsualTranslation& usual) {
  std::vector<TermChoice> small;
  for (const TermChoice& choice : all)
    if (begins_small(*choice.form) &&
        begins_small(core_of(usual.words, choice.places.front().first)))
      small.push_back(choice);
  return small.empty() ? all : small;
}

// The usual translation with these terms. Null if two are in the same place.
std::optional<std::string> with_terms(const UsualTranslation& usual,
                                      std::span<const TermChoice> terms) {
  std::vector<std::pair<Replaced, const std::string*>> places;
  for (const TermChoice& term : terms)
    for (const Replaced place : term.places) places.emplace_back(place, term.form);
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  std::string text;
  std::size_t at = 0, word = 0;
  for (const auto& [place, form] : places) {
    if (place.first < word) return std::nullopt;
    const std::size_t begin = usual.words.words[place.first].core_begin;
    text += usual.words.text.substr(at, begin - at);
    text += *form;
    at = usual.words.words[place.end - 1].core_end;
    word = place.end;
  }
  text += usual.words.text.substr(at);
  return text;
}

class TermSearch {
 public:
  TermSearch(const TranslationEnsemble& ensemble, const SourceSentence& sentence,
             const UsualTranslation& usual)
      : ensemble_(ensemble), sentence_(sentence), usual_(usual) {}

  // The likeliest translation with one choice of each term, which are chosen one after another.
  // Null if none obeys the rules.
  std::optional<Hypothesis> best(std::span<const std::vector<TermChoice>> choices) const {
    std::vector<TermChoice> chosen;
    for (const std::vector<TermChoice>& some : choices) chosen.push_back(some.front());
    std::optional<Hypothesis> best;
    for (std::size_t term = 0; term < choices.size(); ++term) {
      std::vector<Output> outputs;
      std::vector<const TermChoice*> of_outputs;
      for (const TermChoice& one : choices[term]) {
        chosen[term] = one;
        const auto text = with_terms(usual_, chosen);
        Output ids = text ? ensemble_.first().tgt_tokenizer.encode(*text) : Output{};
        if (!is_allowed(ids)) continue;
        outputs.push_back(std::move(ids));
        of_outputs.push_back(&one);
      }
      chosen[term] = choices[term].front();
      if (outputs.empty()) continue;
      auto [hypothesis, number] = likeliest(std::move(outputs));
      chosen[term] = *of_outputs[number];
      best = std::move(hypothesis);
    }
    return best;
  }

 private:
  // Whether it has all terms and whatever else the translation must have.
  bool is_allowed(const Output& ids) const {
    const PhraseRules& rules = *sentence_.call->rules;
    const BeamSearchOptions& beam = sentence_.call->options.beam;
    const std::int64_t positions = ensemble_.longest_input(),
                       room = positions - (sentence_.call->marks.of_target() - 1);
    if (ids.empty() || std::ssize(ids) < beam.min_length ||
        (beam.max_length > 0 && std::ssize(ids) >= beam.max_length) ||
        (positions > 0 && std::ssize(ids) >= room))
      return false;
    PhraseRules::Progress progress = rules.begin();
    for (const std::int32_t id : ids) rules.read(progress, id);
    return !progress.violated && rules.met(progress) == rules.total();
  }

  // With its number.
  std::pair<Hypothesis, std::size_t> likeliest(std::vector<Output> outputs) const {
    const TranslationCall& call = *sentence_.call;
    const std::vector<Output> sources(outputs.size(), sentence_.ids);
    const std::vector<SequenceScore> scores = ensemble_.score(call.marks, sources, outputs);
    const auto mean = [](const SequenceScore& score) {
      return score.log_probability / static_cast<float>(score.token_scores.size());
    };
    const auto best = std::max_element(
        scores.begin(), scores.end(),
        [&](const SequenceScore& a, const SequenceScore& b) { return mean(a) < mean(b); });
    const auto number = static_cast<std::size_t>(best - scores.begin());
    Hypothesis hypothesis{.ids = std::move(outputs[number]),
                          .log_probability = best->log_probability,
                          .token_scores = best->token_scores,
                          .end = ensemble_.first().special().eos};
    hypothesis.score =
        normalized_score(best->log_probability, best->token_scores.size(), call.options.beam);
    return {std::move(hypothesis), number};
  }

  const TranslationEnsemble& ensemble_;
  const SourceSentence& sentence_;
  const UsualTranslation& usual_;
};

// `text`: that of the ids. Null if one of the texts has no words.
std::optional<UsualTranslation> usual_translation(const TranslationModel& model,
                                                  const SourceSentence& sentence, const Output& ids,
                                                  std::string_view text) {
  const PairSpecialTokens& marks = sentence.call->marks;
  const std::array pair{
      PairToAlign{&marks, sentence.ids, ids, sentence.context, sentence.inline_terms}};
  PairAlignment alignment = std::move(pair_alignments(model, pair).front());
  UsualTranslation usual{placed_words(sentence.terms->text), placed_words(text), {}};
  if (usual.words.words.empty() || usual.source.words.empty()) return std::nullopt;
  TranslationCandidate candidate;
  candidate.alignment = std::move(alignment.words);
  candidate.token_alignment = std::move(alignment.tokens);
  for (const std::int32_t id : ids) candidate.tokens.push_back(model.tgt_tokenizer.piece(id));
  usual.aligned =
      aligned_words(usual.source, sentence_tokens(model, sentence), usual.words, candidate);
  return usual;
}

}  // namespace

bool has_unlikely_terms(const SourceSentence& sentence, const Hypothesis& found) {
  const TranslationCall& call = *sentence.call;
  if (!sentence.terms || !sentence.prefix.empty() || !call.options.end_ids.empty() ||
      call.options.search_listener)
    return false;
  const TokenMeans means = token_means(*call.rules, found.ids, found.token_scores);
  return means.others - means.all > kUnlikely;
}

std::optional<Hypothesis> with_terms_in_place(const TranslationEnsemble& ensemble,
                                              const SourceSentence& sentence,
                                              const Hypothesis& found, const Hypothesis& usual) {
  const TranslationModel& model = ensemble.first();
  if (usual.end != model.special().eos) return std::nullopt;
  const std::string usual_text = model.tgt_tokenizer.decode(usual.ids);
  const auto translation = usual_translation(model, sentence, usual.ids, usual_text);
  if (!translation) return std::nullopt;

  const std::string text = model.tgt_tokenizer.decode(found.ids);
  const WordsOfText words = placed_words(text);
  std::vector<std::vector<TermChoice>> choices;
  bool is_usual_word_left = false;
  for (const GlossaryTerm& term : sentence.terms->terms) {
    choices.push_back(choices_of(term, *translation));
    if (choices.back().empty()) return std::nullopt;
    for (const Replaced place : choices.back().front().places) {
      const std::string_view word = core_of(translation->words, place.end - 1);
      is_usual_word_left =
          is_usual_word_left || count_of(words, word) >= count_of(translation->words, word);
    }
  }
  if (!is_usual_word_left) return std::nullopt;

  const TermSearch search(ensemble, sentence, *translation);
  auto best = search.best(choices);
  if (!best) return std::nullopt;
  const PhraseRules& rules = *sentence.call->rules;
  const double own = token_means(rules, best->ids, best->token_scores).others,
               other = token_means(rules, found.ids, found.token_scores).others;
  const double margin = has_words_of(words, translation->words) ? kLikelyEnough : kAboutAsLikely;
  if (own < other - margin) return std::nullopt;
  for (std::vector<TermChoice>& some : choices) some = choices_in_case(some, *translation);
  auto in_case = search.best(choices);
  return in_case ? in_case : best;
}

}  // namespace attend
