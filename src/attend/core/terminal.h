// Properties of the terminal that a descriptor refers to.
#pragma once

namespace attend {

// A terminal that supports the sequences for redrawing a line.
bool can_redraw(int descriptor);
// The same, unless color is disabled (NO_COLOR, no-color.org).
bool can_show_color(int descriptor);
// The width of a terminal; 80 if unknown.
int terminal_columns(int descriptor);
// Whether the locale uses UTF-8.
bool has_utf8_locale();

}  // namespace attend
