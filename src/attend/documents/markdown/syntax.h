// The smallest parts of Markdown, as CommonMark 0.31 has them. Each function says where the part
// that begins at `at` ends, or npos if there is none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend::markdown {

inline constexpr std::size_t npos = std::string_view::npos;

// Behind spaces, tabs and line breaks.
std::size_t skip_space(std::string_view text, std::size_t at);
// Behind spaces and tabs.
std::size_t skip_blanks(std::string_view text, std::size_t at);

// Where a link leads: <address> or address.
std::size_t end_of_destination(std::string_view text, std::size_t at);
// "title", 'title' or (title).
std::size_t end_of_title(std::string_view text, std::size_t at);
// [label]
std::size_t end_of_label(std::string_view text, std::size_t at);
// (destination "title")
std::size_t end_of_link_target(std::string_view text, std::size_t at);
// [label]: destination "title", and the rest of its line.
std::size_t end_of_definition(std::string_view text, std::size_t at);

// What makes labels equal; `label` with its brackets.
std::string normalized_label(std::string_view label);

// &name; or &#number;
std::size_t end_of_entity(std::string_view text, std::size_t at);
// <https://...> or <name@host>
std::size_t end_of_autolink(std::string_view text, std::size_t at);
// https://..., or www...., as GitHub finds it in text.
std::size_t end_of_bare_address(std::string_view text, std::size_t at);

// What a text lacks from some place on, so that nobody looks for it again and again.
struct Missing {
  bool comment = false, instruction = false, literal = false, declaration = false;
};
// <tag a="b">, </tag>, <!-- -->, <? ?>, <!X> or <![CDATA[ ]]>
std::size_t end_of_html(std::string_view text, std::size_t at, Missing& missing);
// <tag a="b"> or </tag>
std::size_t end_of_tag(std::string_view text, std::size_t at);

}  // namespace attend::markdown
