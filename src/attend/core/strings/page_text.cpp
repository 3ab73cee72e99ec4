#include "attend/core/strings/page_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// NUL, what separates lines or words somewhere, what ends a file or a text somewhere, and '<'. So
// many that U+07FF, the last character of two bytes, is in use, and every group takes a byte.
constexpr std::array<char, 14> kChanged{0,    8,    9,    10,   11,   12,  13,
                                        0x1A, 0x1B, 0x1C, 0x1D, 0x1E, '<', 0x7F};

class PageTextWriter {
 public:
  explicit PageTextWriter(std::size_t bytes) { text_.reserve(bytes + bytes / 7 + 4); }

  void add(std::uint32_t group) {
    if (changed_) {
      append_code_point(text_, static_cast<char32_t>(0x100 + 128 * *changed_ + group));
      changed_.reset();
      return;
    }
    const auto at = std::find(kChanged.begin(), kChanged.end(), static_cast<char>(group));
    if (at == kChanged.end()) {
      text_ += static_cast<char>(group);
    } else {
      changed_ = static_cast<std::uint32_t>(at - kChanged.begin());
    }
  }

  std::string finish() {
    if (changed_) add(0);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::optional<std::uint32_t> changed_;  // the place of a group that waits for the next one
};

}  // namespace

std::string to_page_text(std::string_view bytes) {
  PageTextWriter writer(bytes.size());
  std::uint32_t rest = 0;  // the lowest `bits` bits belong to no group yet
  int bits = 0;
  for (const char byte : bytes) {
    rest = rest << 8 | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 7; bits -= 7) writer.add(rest >> (bits - 7) & 127);
  }
  writer.add((rest << 1 | 1) << (6 - bits) & 127);
  return writer.finish();
}

}  // namespace attend
