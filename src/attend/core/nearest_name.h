// "Did you mean ...?": the known name that a misspelled one most likely stands for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// The number of letters to insert, remove, replace, or swap with their neighbor to turn `a` into
// `b` (optimal string alignment, on bytes).
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, case and the difference between '-' and '_' left aside; the
// first of equally near ones. None when even that one differs in more than a third of its letters.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

// "; did you mean <nearest>?", or nothing: the end of an error message. `prefix` is written before
// the name ("--").
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates,
                         std::string_view prefix = "");

}  // namespace attend
