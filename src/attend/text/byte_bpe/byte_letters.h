// Bytes as letters, as in GPT-2: printable bytes stand for themselves, others become letters from
// U+0100 on, so that pieces are readable and contain no spaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attend::detail {

// "Ġ" for a space.
const std::string& letter_of(unsigned char byte);
std::string letters_of(std::string_view bytes);
// Returns nullopt if a letter stands for no byte.
std::optional<std::string> bytes_of_letters(std::string_view letters);

}  // namespace attend::detail
