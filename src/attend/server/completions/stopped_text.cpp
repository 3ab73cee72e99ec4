#include "attend/server/completions/stopped_text.h"

#include <algorithm>
#include <utility>

namespace attend {
namespace {

// The bytes at the end of `text` that are the beginning of `stop`.
std::size_t beginning_at_end(std::string_view text, std::string_view stop) {
  for (std::size_t count = std::min(text.size(), stop.size() - 1); count > 0; --count)
    if (text.ends_with(stop.substr(0, count))) return count;
  return 0;
}

}  // namespace

StoppedText::StoppedText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

std::string StoppedText::add(std::string_view more) {
  if (stopped_) return {};
  held_ += more;
  std::size_t end = std::string::npos, keep = 0;
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
    keep = std::max(keep, beginning_at_end(held_, stop));
  }
  stopped_ = end != std::string::npos;
  std::string certain = held_.substr(0, stopped_ ? end : held_.size() - keep);
  held_.erase(0, certain.size());
  text_ += certain;
  return certain;
}

std::string StoppedText::finish() {
  text_ += held_;
  return std::exchange(held_, {});
}

}  // namespace attend
