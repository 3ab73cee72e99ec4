// Cuts sentences that are too long for a model.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"

namespace attend {

// Cuts a sentence that does not fit into parts that do, as few as a cut from the left gives: after
// the last clause (, ; :) that fits, else after the last word, else within a word. A part has at
// most 16 KiB.
std::vector<TextSpan> cut_at_clauses(std::string_view text, TextSpan sentence,
                                     const std::function<bool(std::string_view)>& fits);

}  // namespace attend
