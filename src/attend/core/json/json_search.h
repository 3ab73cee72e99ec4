// One member of JSON from outside, without a copy of the rest.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// The text that the member `name` of an object has, read up to there: what follows may be anything.
// Empty if the text is no object or has no such text before its end or its first fault. Takes no
// more memory than the longest string, at any depth.
std::string text_member_of_json(std::string_view text, std::string_view name);

}  // namespace attend
