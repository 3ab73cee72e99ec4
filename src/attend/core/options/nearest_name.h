// "Did you mean ...?": finds the known name closest to a misspelled one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// The number of insertions, deletions, substitutions and swaps of adjacent letters that turn `a`
// into `b` (optimal string alignment, on bytes).
int edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, ignoring case and '-' versus '_'; the first of equally close
// ones. nullopt if even that one differs in more than a third of its letters.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

// "; did you mean <nearest>?" or an empty string, to end an error message. `prefix` precedes the
// name ("--").
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates,
                         std::string_view prefix = "");

}  // namespace attend
