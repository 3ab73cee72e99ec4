#include "attend/python/models/explanations.h"

namespace attend {

namespace {

TokenState state_of(const TokenProbability& token) { return {token.token, token.probability}; }

PartState state_of(const LogitPart& part) {
  return {part.module, part.head < 0 ? std::nullopt : std::optional(part.head), part.value};
}

AdditionState state_of(const ResidualAddition& addition) {
  return {addition.module, addition.length, addition.cosine};
}

template <class Item>
auto states_of_items(const std::vector<Item>& items) {
  std::vector<decltype(state_of(items.front()))> states;
  for (const Item& item : items) states.push_back(state_of(item));
  return states;
}

}  // namespace

ExplanationState state_of(const OutputExplanation& explanation) {
  std::optional<TokenState> instead;
  if (!explanation.instead.token.empty()) instead = state_of(explanation.instead);
  std::vector<std::vector<TokenState>> lens;
  for (const auto& layer : explanation.lens) lens.push_back(states_of_items(layer));
  return {explanation.tokens,
          explanation.position < 0 ? std::nullopt : std::optional(explanation.position),
          state_of(explanation.token),
          std::move(instead),
          explanation.difference,
          states_of_items(explanation.parts),
          std::move(lens),
          states_of_items(explanation.additions)};
}

}  // namespace attend
