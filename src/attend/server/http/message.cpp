#include "attend/server/http/message.h"

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"

namespace attend {
namespace {

struct NamedStatus {
  int status;
  std::string_view text;
};

constexpr std::array kStatuses{
    NamedStatus{200, "OK"},
    NamedStatus{201, "Created"},
    NamedStatus{204, "No Content"},
    NamedStatus{400, "Bad Request"},
    NamedStatus{401, "Unauthorized"},
    NamedStatus{403, "Forbidden"},
    NamedStatus{404, "Not Found"},
    NamedStatus{405, "Method Not Allowed"},
    NamedStatus{408, "Request Timeout"},
    NamedStatus{413, "Content Too Large"},
    NamedStatus{414, "URI Too Long"},
    NamedStatus{415, "Unsupported Media Type"},
    NamedStatus{417, "Expectation Failed"},
    NamedStatus{422, "Unprocessable Content"},
    NamedStatus{424, "Failed Dependency"},
    NamedStatus{429, "Too Many Requests"},
    NamedStatus{431, "Request Header Fields Too Large"},
    NamedStatus{456, "Quota Exceeded"},
    NamedStatus{500, "Internal Server Error"},
    NamedStatus{501, "Not Implemented"},
    NamedStatus{503, "Service Unavailable"},
};

}  // namespace

bool same_field(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

std::string_view HttpHeaders::find(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (same_field(field, name)) return value;
  return {};
}

void HttpHeaders::set(std::string_view name, std::string value) {
  std::erase_if(fields_, [&](const auto& field) { return same_field(field.first, name); });
  add(std::string(name), std::move(value));
}

std::size_t HttpHeaders::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields_.begin(), fields_.end(),
                    [&](const auto& field) { return same_field(field.first, name); }));
}

std::string_view status_text(int status) {
  const auto found = std::find_if(kStatuses.begin(), kStatuses.end(),
                                  [&](const NamedStatus& one) { return one.status == status; });
  return found == kStatuses.end() ? "Unknown" : found->text;
}

}  // namespace attend
