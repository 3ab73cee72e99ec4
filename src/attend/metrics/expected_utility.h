// The utility of translations in expectation, which minimum-Bayes-risk decoding makes large (Kumar
// and Byrne 2004; Eikema and Aziz 2020).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/search.h"

namespace attend {

std::span<const std::string_view> enum_names(Utility);

// For each text h the sum over all texts r of weights[r] * u(h, r), 0 .. 100 for weights that sum
// to 1, where u is the score of h with the reference r. The utility is not none. Texts are UTF-8.
std::vector<double> expected_utilities(Utility utility, std::span<const std::string> texts,
                                       std::span<const double> weights);

}  // namespace attend
