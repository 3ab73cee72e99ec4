// Words as people write them beside others: "1 thread", "12,288 lines", "an electra".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend {

std::string readable_count(std::int64_t count);  // 1,234,567

// `noun` in the singular, of those whose plural has an s.
std::string counted(std::int64_t count, std::string_view noun);
// The same with a plural of its own: "1 class", "2 classes".
std::string counted(std::int64_t count, std::string_view noun, std::string_view plural);

// A name with its indefinite article: "a bert", "an electra".
std::string with_article(std::string_view name);

}  // namespace attend
