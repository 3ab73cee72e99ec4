// The utility of translations in expectation, which minimum-Bayes-risk decoding makes large (Kumar
// and Byrne 2004; Eikema and Aziz 2020).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/search.h"

namespace attend {

std::span<const std::string_view> enum_names(Utility);

// u(h, r) of N different texts, the score of h with the reference r: [N, N], a row for each r.
using PairUtility = std::function<std::vector<double>(std::span<const std::string> texts)>;
// The sentence scores of chrf or bleu, 0 .. 100. Texts are UTF-8.
PairUtility pair_utility(Utility utility);

// What each text is compared with: all texts, or all but itself. A copy of a text is another one.
enum class ComparedWith { all, others };

// For each text h the sum over all texts r that it is compared with of weights[r] * u(h, r),
// divided by the sum of their weights; 0 if it is compared with none. Weights sum to 1. Equal texts
// are compared once.
std::vector<double> expected_utilities(const PairUtility& utility,
                                       std::span<const std::string> texts,
                                       std::span<const double> weights,
                                       ComparedWith compared = ComparedWith::all);

}  // namespace attend
