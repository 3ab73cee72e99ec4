#include "attend/models/stack/layer_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr int kMostLayers = 1024;

// The kinds of an option.
struct KindNames {
  std::string_view option;
  std::span<const std::string_view> names;
  std::string_view example;
};

constexpr std::array<std::string_view, 3> kLayerKinds{"global", "local", "unrotated"};
constexpr std::array<std::string_view, 2> kFeedForwardKinds{"dense", "experts"};

constexpr KindNames names_of(LayerKind) {
  return {"attention-layers", kLayerKinds, "local:5,global"};
}
constexpr KindNames names_of(FeedForwardKind) {
  return {"expert-layers", kFeedForwardKinds, "dense,experts"};
}

[[noreturn]] void refuse_pattern(const KindNames& kinds, std::string_view pattern) {
  throw OptionError<ConfigError>("{}: expected kinds of layers such as {}, each of {}, got {}",
                                 as_key(kinds.option), kinds.example, fmt::join(kinds.names, ", "),
                                 quote(pattern));
}

// Appends the layers of an item such as "local:5".
template <class Kind>
void add_layers(std::string_view pattern, std::string_view item, std::vector<Kind>& kinds) {
  const KindNames known = names_of(Kind());
  const std::size_t colon = item.find(':');
  const std::string_view name = item.substr(0, colon);
  const auto found = std::find(known.names.begin(), known.names.end(), name);
  int count = 1;
  if (colon != std::string_view::npos) {
    const std::string_view digits = item.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size()) count = 0;
  }
  if (found == known.names.end() || count < 1 || count > kMostLayers)
    refuse_pattern(known, pattern);
  kinds.insert(kinds.end(), static_cast<std::size_t>(count),
               static_cast<Kind>(found - known.names.begin()));
}

template <class Kind>
std::vector<Kind> kinds_of(std::string_view pattern, int layers, Kind otherwise) {
  std::vector<Kind> repeated;
  if (pattern.empty()) repeated.push_back(otherwise);
  for (std::size_t begin = 0; !pattern.empty() && begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find(',', begin), pattern.size());
    add_layers(pattern, pattern.substr(begin, end - begin), repeated);
    begin = end + 1;
  }
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i)
    kinds.push_back(repeated[i % repeated.size()]);
  return kinds;
}

template <class Kind>
std::string pattern_of(std::span<const Kind> kinds) {
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
    pattern += names_of(Kind()).names[static_cast<std::size_t>(kinds[i])];
    if (end > i + 1) pattern += fmt::format(":{}", end - i);
    i = end;
  }
  return pattern;
}

}  // namespace

std::vector<LayerKind> layer_kinds(std::string_view pattern, int layers, LayerKind otherwise) {
  return kinds_of(pattern, layers, otherwise);
}

std::vector<FeedForwardKind> feed_forward_kinds(std::string_view pattern, int layers,
                                                FeedForwardKind otherwise) {
  return kinds_of(pattern, layers, otherwise);
}

std::string layer_pattern(std::span<const LayerKind> kinds) { return pattern_of(kinds); }

std::string layer_pattern(std::span<const FeedForwardKind> kinds) { return pattern_of(kinds); }

}  // namespace attend
