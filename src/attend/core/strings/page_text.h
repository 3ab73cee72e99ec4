// Bytes as text within a <script> of a page in UTF-8: 8/7 of their size, where base64 has 4/3.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// The bits of the bytes, of each the highest first, then a 1 and as many 0 as needed, are cut into
// groups of 7. A group is the character of ASCII with its value, unless parsers of HTML or editors
// change that character (kChanged in page_text.cpp). Such a group becomes one character together
// with the next group: U+0100 + 128 * its place in kChanged + the next group. The page reads it
// with bytesOfText() (inspect/attention_page/source/page_text.js).
std::string to_page_text(std::string_view bytes);

}  // namespace attend
