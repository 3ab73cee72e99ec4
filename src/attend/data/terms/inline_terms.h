// Translations of terms that a model reads within a source sentence, behind the terms: "the dog
// <s> Hund </s> sleeps" (Dinu et al. 2019, "Training Neural Machine Translation to Apply
// Terminology Constraints"). They stand there as the dictionary has them, and the model learns to
// inflect them (Bergmanis and Pinnis 2021, "Facilitating Terminology Translation with Target Lemma
// Annotations").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/text/protection/glossary.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The tokens around such a translation.
struct InlineTermMarks {
  std::int32_t begin = 0, end = 0;
  bool operator==(const InlineTermMarks&) const = default;
};

// A translation with its marks, and the token of the sentence that it stands before.
struct InlineTerm {
  std::size_t before = 0;
  std::vector<std::int32_t> tokens;
};

// The same as a part of the tokens that a model reads.
struct TokenRange {
  std::size_t begin = 0, end = 0;
};

struct SourceWithTerms {
  std::vector<std::int32_t> ids;
  std::vector<TokenRange> terms = {};
};

// `terms`: ascending; what is behind the last token may be before ids.size().
SourceWithTerms with_terms(std::span<const std::int32_t> ids, std::span<const InlineTerm> terms);

// A translation behind the place that ends at this byte of a text. `spans`: of the text's tokens.
InlineTerm inline_term(std::size_t end, std::string_view translation,
                       std::span<const TokenSpan> spans, const Tokenizer& tokenizer,
                       const InlineTermMarks& marks);

// The terms of each of `pairs`, which are those of `text`: those of a sentence of which its
// translation has a form. None for a sentence that was truncated.
std::vector<std::vector<InlineTerm>> terms_of_pairs(const EncodedPairs& pairs,
                                                    const ParallelText& text,
                                                    const Glossary& dictionary,
                                                    const Tokenizer& src_tokenizer,
                                                    const InlineTermMarks& marks);

}  // namespace attend
