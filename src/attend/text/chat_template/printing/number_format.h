// How Python writes a value with a format: sign, width, digits. Private to text/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

struct NumberFormat {
  std::string fill = " ";
  char align = 0;  // < > ^ =, 0: as usual for the value
  char sign = '-';
  bool is_alternate = false;  // "#"
  std::size_t width = 0;
  char group = 0;  // , or _
  int precision = -1;
  char type = 0;
};

// Throw DataError for formats that do not fit the value.
NumberFormat read_format(std::string_view text);
std::string formatted(Run& run, const Value& value, const NumberFormat& format);
// A text in a field; usual: how it is aligned without.
std::string in_field(Run& run, std::string text, const NumberFormat& format, char usual);

}  // namespace attend::chat_template
