// Names that a translation must have: words that a text with translations shows to stay as they
// are. "Tom" does, "Germany" and "Hund" do not, so capital letters alone say nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// Sorted. A word with a capital letter is a name if both sides of pairs have it: in at least 4
// texts, and in 98 % of all texts that have it. The text should have thousands of pairs.
std::vector<std::string> learn_names(std::span<const std::string> sources,
                                     std::span<const std::string> targets);

// The names of a text that another text does not have, in any form: "Toms" has "Tom". `names` are
// sorted.
std::vector<std::string> missing_names(std::span<const std::string> names, std::string_view text,
                                       std::string_view other);

}  // namespace attend
