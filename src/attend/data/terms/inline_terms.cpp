#include "attend/data/terms/inline_terms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/data/terms/side_words.h"

namespace attend {

SourceWithTerms with_terms(std::span<const std::int32_t> ids, std::span<const InlineTerm> terms) {
  SourceWithTerms all;
  std::size_t next = 0;
  for (const InlineTerm& term : terms) {
    for (; next < term.before; ++next) all.ids.push_back(ids[next]);
    const std::size_t begin = all.ids.size();
    all.ids.insert(all.ids.end(), term.tokens.begin(), term.tokens.end());
    all.terms.push_back({begin, all.ids.size()});
  }
  for (; next < ids.size(); ++next) all.ids.push_back(ids[next]);
  return all;
}

InlineTerm inline_term(std::size_t end, std::string_view translation,
                       std::span<const TokenSpan> spans, const Tokenizer& tokenizer,
                       const InlineTermMarks& marks) {
  InlineTerm term;
  while (term.before < spans.size() && spans[term.before].begin < end) ++term.before;
  term.tokens.push_back(marks.begin);
  const std::vector<std::int32_t> ids = tokenizer.encode(translation);
  term.tokens.insert(term.tokens.end(), ids.begin(), ids.end());
  term.tokens.push_back(marks.end);
  return term;
}

namespace {

// A text in small letters, with a space before and behind every word.
std::string spaced_words(std::string_view text) {
  std::string spaced = " ";
  const std::string small = unicode::lowercase(text);
  for (const PlainWord& word : plain_words(small)) spaced += std::string(word.text) + " ";
  return spaced;
}

// A text whose phrases are looked for.
class PhraseText {
 public:
  explicit PhraseText(const std::string& text)
      : text_(text), has_spaces_(text.find(' ') != text.npos), words_(spaced_words(text)) {}

  // As whole words, in letters of either case.
  bool has(const std::string& phrase) const {
    if (!has_spaces_)
      return !Glossary(std::array{unicode::lowercase(phrase) + "\t1"}).places(text_).empty();
    const std::string words = spaced_words(phrase);
    return words.size() > 1 && words_.find(words) != words_.npos;
  }

 private:
  const std::string& text_;
  bool has_spaces_;
  std::string words_;
};

std::vector<InlineTerm> terms_of_pair(const std::string& source, const std::string& target,
                                      std::size_t tokens, const Glossary& dictionary,
                                      const Tokenizer& tokenizer, const InlineTermMarks& marks) {
  std::vector<InlineTerm> terms;
  const std::vector<GlossaryPlace> places = dictionary.places(source);
  if (places.empty()) return terms;
  const PhraseText translation(target);
  std::vector<TokenSpan> spans;
  for (const GlossaryPlace& place : places) {
    const auto is_in_target = [&](const std::string& form) { return translation.has(form); };
    const auto used =
        std::find_if(place.terms.begin(), place.terms.end(), [&](const GlossaryTerm& term) {
          return std::any_of(term.targets.begin(), term.targets.end(), is_in_target);
        });
    if (used == place.terms.end()) continue;
    if (spans.empty()) spans = tokenizer.spans(source);
    if (spans.size() != tokens) return {};
    terms.push_back(inline_term(place.end, used->targets.front(), spans, tokenizer, marks));
  }
  return terms;
}

}  // namespace

std::vector<std::vector<InlineTerm>> terms_of_pairs(const EncodedPairs& pairs,
                                                    const ParallelText& text,
                                                    const Glossary& dictionary,
                                                    const Tokenizer& src_tokenizer,
                                                    const InlineTermMarks& marks) {
  std::vector<std::vector<InlineTerm>> terms(static_cast<std::size_t>(pairs.src.sequences()));
  parallel_for(pairs.src.sequences(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      look_for_interruption();
      const auto number = static_cast<std::size_t>(pairs.origin[static_cast<std::size_t>(i)]);
      terms[static_cast<std::size_t>(i)] = terms_of_pair(
          text.src[number], text.tgt[number], static_cast<std::size_t>(pairs.src.length(i)),
          dictionary, src_tokenizer, marks);
    }
  });
  return terms;
}

}  // namespace attend
