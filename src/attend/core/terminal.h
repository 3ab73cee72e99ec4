// What a descriptor that text is written to can show.
#pragma once

namespace attend {

// A terminal that understands the sequences that redraw a line.
bool can_redraw(int descriptor);
// The same, and nobody has asked for text without color (NO_COLOR, no-color.org).
bool can_show_color(int descriptor);
// The width of a terminal; 80 where it is not known.
int terminal_columns(int descriptor);
// Whether the locale's text is UTF-8.
bool has_utf8_locale();

}  // namespace attend
