#include "attend/models/stack/layer_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::array<std::string_view, 3> kLayerKinds{"global", "local", "unrotated"};
constexpr int kMostLayers = 1024;

[[noreturn]] void refuse_pattern(std::string_view pattern) {
  throw OptionError<ConfigError>(
      "{}: expected kinds of layers such as local:5,global, each global, local or unrotated, got "
      "{}",
      as_key("attention-layers"), quote(pattern));
}

// Appends the layers of an item such as "local:5".
void add_layers(std::string_view pattern, std::string_view item, std::vector<LayerKind>& kinds) {
  const std::size_t colon = item.find(':');
  const std::string_view name = item.substr(0, colon);
  const auto* const found = std::find(kLayerKinds.begin(), kLayerKinds.end(), name);
  int count = 1;
  if (colon != std::string_view::npos) {
    const std::string_view digits = item.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size()) count = 0;
  }
  if (found == kLayerKinds.end() || count < 1 || count > kMostLayers) refuse_pattern(pattern);
  kinds.insert(kinds.end(), static_cast<std::size_t>(count),
               static_cast<LayerKind>(found - kLayerKinds.begin()));
}

}  // namespace

std::vector<LayerKind> layer_kinds(std::string_view pattern, int layers, LayerKind otherwise) {
  std::vector<LayerKind> repeated;
  if (pattern.empty()) repeated.push_back(otherwise);
  for (std::size_t begin = 0; !pattern.empty() && begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find(',', begin), pattern.size());
    add_layers(pattern, pattern.substr(begin, end - begin), repeated);
    begin = end + 1;
  }
  std::vector<LayerKind> kinds;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i)
    kinds.push_back(repeated[i % repeated.size()]);
  return kinds;
}

std::string layer_pattern(std::span<const LayerKind> kinds) {
  std::size_t period = 1;
  const auto repeats = [&] {
    for (std::size_t i = period; i < kinds.size(); ++i)
      if (kinds[i] != kinds[i - period]) return false;
    return true;
  };
  while (period < kinds.size() && !repeats()) ++period;
  std::string pattern;
  for (std::size_t i = 0; i < std::min(period, kinds.size());) {
    std::size_t end = i + 1;
    while (end < period && kinds[end] == kinds[i]) ++end;
    if (i > 0) pattern += ',';
    pattern += kLayerKinds[static_cast<std::size_t>(kinds[i])];
    if (end > i + 1) pattern += fmt::format(":{}", end - i);
    i = end;
  }
  return pattern;
}

}  // namespace attend
