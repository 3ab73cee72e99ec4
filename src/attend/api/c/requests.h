// Options of the calls of attend/c/attend.h, by name.
#pragma once

#include <string>

#include "attend/api/c/handles.h"
#include "attend/api/named_options.h"
#include "attend/core/options/option_fields.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/tagging/engine.h"

namespace attend {

// Texts that translations begin with are arguments elsewhere.
struct TranslationRequestOptions {
  NamedTranslation named;
};
template <class Visitor>
void fields(TranslationRequestOptions& o, Visitor&& visit) {
  fields(o.named, visit);
  visit("prefixes", o.named.translation.prefixes, "texts that translations begin with");
}

struct EmbeddingRequestOptions {
  EmbeddingOptions embedding;
  std::string prompt_text;
};
template <class Visitor>
void fields(EmbeddingRequestOptions& o, Visitor&& visit) {
  fields(o.embedding, visit);
  visit("prompt-text", o.prompt_text, "a text before each text, in place of any prompt");
  visit("special-tokens", o.embedding.special_tokens, "vectors of special tokens, too");
}

struct RankingRequestOptions {
  EmbeddingRequestOptions documents;
  std::string query_prompt;
};
template <class Visitor>
void fields(RankingRequestOptions& o, Visitor&& visit) {
  fields(o.documents, visit);
  visit("query-prompt", o.query_prompt, "name of the model's prompt for the query");
}

struct TextScoringRequestOptions {
  ScoringOptions scoring;
};
template <class Visitor>
void fields(TextScoringRequestOptions& o, Visitor&& visit) {
  visit("max-tokens", o.scoring.max_tokens, between(1, 1e6), "longest text to score, in tokens");
  fields(o.scoring.preparation, visit);
}

struct PairScoringRequestOptions {
  TextScoringRequestOptions text;
  LanguagePair languages;
};
template <class Visitor>
void fields(PairScoringRequestOptions& o, Visitor&& visit) {
  fields(o.text, visit);
  fields(o.languages, visit);
  visit("tgt-language", o.text.scoring.preparation.tgt_language, "language of the targets");
}

// Whether a list, which may be NULL, has an option, by its name in snake_case.
IsGiven given_in(const attend_options* list);

// Sets the options of the list. Throws ConfigError for a wrong name or value.
void set_options(std::span<const OptionField> fields, const attend_options* list);

// The defaults with the options of the list.
template <class Options>
Options with_options(Options defaults, const attend_options* list) {
  set_options(option_fields(defaults), list);
  return defaults;
}

// The same as requests need them. These throw ConfigError for an option without effect, too.
TranslationOptions translation_options(TranslationOptions defaults, const attend_options* list);
GenerationOptions generation_options(GenerationOptions defaults, const attend_options* list);
EmbeddingOptions embedding_options(const attend_options* list);

// The options for the documents, and for the query.
struct RankingOptions {
  EmbeddingOptions documents, query;
};
RankingOptions ranking_options(const attend_options* list);

}  // namespace attend
