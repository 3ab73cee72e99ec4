#include "attend/api/c/requests.h"

#include <algorithm>
#include <utility>

namespace attend {

namespace {

EmbeddingOptions embedding_of(EmbeddingRequestOptions request, const IsGiven& is_given) {
  if (is_given("prompt_text")) request.embedding.prompt_text = std::move(request.prompt_text);
  return std::move(request.embedding);
}

}  // namespace

IsGiven given_in(const attend_options* list) {
  return [list](const std::string& name) {
    return list != nullptr &&
           std::any_of(list->list.begin(), list->list.end(),
                       [&](const TrainingOption& option) { return option.name == name; });
  };
}

void set_options(std::span<const OptionField> fields, const attend_options* list) {
  if (list == nullptr) return;
  for (const TrainingOption& option : list->list)
    set_option_named(fields, option.name, option.values);
}

TranslationOptions translation_options(TranslationOptions defaults, const attend_options* list) {
  TranslationRequestOptions request;
  request.named.translation = std::move(defaults);
  TranslationOptions options =
      resolved(with_options(std::move(request), list).named, given_in(list));
  if (options.trust) throw ConfigError("trust: is not in the results of C");
  return options;
}

GenerationOptions generation_options(GenerationOptions defaults, const attend_options* list) {
  GenerationOptions options = with_options(std::move(defaults), list);
  require_effect(options, given_in(list));
  return options;
}

EmbeddingOptions embedding_options(const attend_options* list) {
  return embedding_of(with_options(EmbeddingRequestOptions(), list), given_in(list));
}

RankingOptions ranking_options(const attend_options* list) {
  RankingRequestOptions request = with_options(RankingRequestOptions(), list);
  EmbeddingOptions documents = embedding_of(std::move(request.documents), given_in(list)),
                   query = documents;
  if (given_in(list)("query_prompt")) query.prompt = std::move(request.query_prompt);
  return {std::move(documents), std::move(query)};
}

}  // namespace attend
