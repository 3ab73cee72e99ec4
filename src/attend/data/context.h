// Sentences before a sentence, which a model reads with it: "the dog </s> it sleeps" (Tiedemann and
// Scherrer 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/data/corpus.h"

namespace attend {

struct SourceContext {
  int sentences = 0;           // the most before a sentence
  std::int32_t separator = 0;  // the token after each of them
  std::int64_t tokens = 0;     // the most of a source with its context, without special tokens
};

// What is read before a sentence of `sentence_tokens` tokens: as many of `before`, oldest first, as
// there is room for, the latest ones, each with the separator.
std::vector<std::int32_t> tokens_before(std::span<const std::vector<std::int32_t>> before,
                                        std::int64_t sentence_tokens, const SourceContext& context);

enum class ContextUse {
  always,
  mostly,  // not for one sentence in five, so that a model can do without
};

// Pairs whose sources have the sentences before them. Empty lines, pairs that were left out and
// ends of files are ends of documents. `pairs` are those of `text`.
EncodedPairs with_context(EncodedPairs pairs, const ParallelText& text,
                          const SourceContext& context, ContextUse use);

}  // namespace attend
