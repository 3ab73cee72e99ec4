// Bytes as the letters that GPT-2 writes them with: printable ones as themselves, the others as
// letters from U+0100 on, so that pieces can be read and have no spaces. Private to text/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attend::detail {

// "Ġ" for a space.
const std::string& letter_of(unsigned char byte);
std::string letters_of(std::string_view bytes);
// The bytes; nothing when a letter stands for none.
std::optional<std::string> bytes_of_letters(std::string_view letters);

}  // namespace attend::detail
