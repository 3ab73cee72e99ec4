// An explanation as tuples, of which Python makes its own classes (python/attend/explanation.py).
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "attend/explanation.h"

namespace attend {

using TokenState = std::tuple<std::string, float>;                     // probability
using PartState = std::tuple<std::string, std::optional<int>, float>;  // module, head, value
using AdditionState = std::tuple<std::string, float, float>;           // length, cosine
using ExplanationState =
    std::tuple<std::vector<std::string>, std::optional<int>, TokenState, std::optional<TokenState>,
               float, std::vector<PartState>, std::vector<std::vector<TokenState>>,
               std::vector<AdditionState>>;

// The members in their order; what is not there, such as the head of a bias, is none.
ExplanationState state_of(const OutputExplanation& explanation);

}  // namespace attend
