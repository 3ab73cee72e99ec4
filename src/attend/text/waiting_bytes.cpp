#include "attend/text/waiting_bytes.h"

#include <cstddef>

#include "attend/core/strings/utf8.h"

namespace attend::detail {
namespace {

// Whether `bytes` may become a character when more follow.
bool may_go_on(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes.size() >= length) return false;
  // Among the bytes that may follow a lead byte, the lowest or the highest is always allowed.
  const std::string low = std::string(bytes) + std::string(length - bytes.size(), '\x80');
  const std::string high = std::string(bytes) + std::string(length - bytes.size(), '\xBF');
  return is_utf8(low) || is_utf8(high);
}

// The bytes of the longest beginning of a character, at least one. Precondition: no character
// begins there.
std::size_t broken_part(std::string_view bytes) {
  std::size_t count = 1;
  while (count < bytes.size() && may_go_on(bytes.substr(0, count)) &&
         may_go_on(bytes.substr(0, count + 1)))
    ++count;
  return count;
}

}  // namespace

std::string WaitingBytes::add(std::string_view bytes) {
  bytes_ += bytes;
  return take(false);
}

std::string WaitingBytes::finish() { return take(true); }

std::string WaitingBytes::take(bool all) {
  const std::string_view bytes = bytes_;
  std::string text;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = at;
    const bool whole = next_code_point(bytes, end) != U'\uFFFD' || end - at > 1;
    if (!whole && !all && may_go_on(bytes.substr(at))) break;
    if (!whole && broken_ == BrokenBytes::parts) end = at + broken_part(bytes.substr(at));
    text += whole ? bytes.substr(at, end - at) : "\xEF\xBF\xBD";
    at = end;
  }
  bytes_.erase(0, at);
  return text;
}

}  // namespace attend::detail
