// Words and entities from the tags of tokens, as the pipeline for token classification of
// transformers has them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tagger.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The tokens of a text, without special tokens around it.
struct TextTokens {
  std::vector<std::int32_t> ids;
  std::vector<TokenSpan> spans;
};
// The spans are not trimmed yet: see TokenPlaces.
TextTokens tokens_of(std::string_view text, const Tokenizer& tokenizer, SpecialText special);

// How tags are read.
struct TagReading {
  const Tokenizer& tokenizer;
  TokenizerType type;  // of the tokenizer
  const std::vector<std::string>& labels;
  const TaggingOptions& options;  // aggregation: none, simple, first, average or max
};

// `probabilities` [T, C]: of the tags of the tokens. The words of the result are tokens (none,
// simple) or words of several tokens; with `none` each is a group of its own. Groups with an
// ignored label are left out.
Tagging tags_of_tokens(std::string_view text, const TextTokens& tokens,
                       std::span<const float> probabilities, const TagReading& reading);

void ignore_labels(const TaggingOptions& options, std::vector<TagGroup>& groups);

// One result of those of parts that overlap: of groups that do, the longer stays, or the one with
// the higher score.
Tagging joined_tags(std::vector<Tagging> parts);

}  // namespace attend
