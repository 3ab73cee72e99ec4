#include "attend/tasks/translation/read_terms.h"

#include <utility>
#include <vector>

namespace attend {

namespace {

// The end of a place in a text, in the text that is made of it; npos if that cannot be known.
std::size_t end_in_prepared(const TextPreparer& source, const std::string& text,
                            std::string_view prepared, std::size_t end) {
  const std::string before = source(text.substr(0, end));
  return prepared.starts_with(before) ? before.size() : std::string::npos;
}

}  // namespace

void read_terms(const TranslationEnsemble& ensemble, const std::string& text,
                SourceSentence& sentence) {
  const TranslationCall& call = *sentence.call;
  const TranslationModel& model = ensemble.first();
  if (!model.format.terms || !call.glossary) return;
  const std::vector<GlossaryPlace> places = call.glossary->places(text);
  if (places.empty()) return;
  const std::string prepared = call.source(text);
  const std::vector<TokenSpan> spans = model.src_tokenizer.spans(prepared);
  const std::int64_t longest = ensemble.longest_input();
  std::int64_t tokens = std::ssize(sentence.ids) + call.marks.of_source();
  std::vector<InlineTerm> terms;
  for (const GlossaryPlace& place : places) {
    const std::size_t end = end_in_prepared(call.source, text, prepared, place.end);
    if (end == std::string::npos) continue;
    InlineTerm term = inline_term(end, call.target(place.terms.front().targets.front()), spans,
                                  model.src_tokenizer, *model.format.terms);
    tokens += std::ssize(term.tokens);
    if (longest > 0 && tokens > longest) break;
    terms.push_back(std::move(term));
  }
  SourceWithTerms read = with_terms(sentence.ids, terms);
  sentence.ids = std::move(read.ids);
  sentence.inline_terms = std::move(read.terms);
}

std::vector<std::string> sentence_tokens(const TranslationModel& model,
                                         const SourceSentence& sentence) {
  const PairSpecialTokens& marks = sentence.call->marks;
  std::vector<std::string> tokens;
  const std::size_t end = sentence.ids.size() - marks.after_source.size();
  auto term = sentence.inline_terms.begin();
  for (std::size_t i = marks.before_source.size() + sentence.context; i < end; ++i) {
    for (; term != sentence.inline_terms.end() && term->begin == i; ++term) i = term->end;
    if (i < end) tokens.push_back(model.src_tokenizer.piece(sentence.ids[i]));
  }
  return tokens;
}

}  // namespace attend
