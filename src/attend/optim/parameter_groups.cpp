#include "attend/optim/parameter_groups.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace attend {

namespace {

// "encoder.layers.3." of a parameter of that layer; empty for others.
std::string_view layer_of(std::string_view name) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t at = name.find(kLayers);
  if (at == name.npos) return {};
  const std::size_t end = name.find('.', at + kLayers.size());
  return end == name.npos ? std::string_view() : name.substr(0, end + 1);
}

// The level of each parameter, from 0 at the bottom.
std::vector<int> levels_of(const ParameterSet& parameters) {
  std::vector<int> levels;
  std::string_view layer;
  int layers = 0;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const std::string_view own = layer_of(entry.name);
    if (!own.empty() && own != layer) {
      layer = own;
      ++layers;
    }
    levels.push_back(own.empty() && layers > 0 ? layers + 1 : layers);
  }
  return levels;
}

}  // namespace

std::vector<float> layer_factors(const ParameterSet& parameters, float decay) {
  std::vector<float> factors;
  const std::vector<int> levels = levels_of(parameters);
  int top = 0;
  for (const int level : levels) top = std::max(top, level);
  for (const int level : levels)
    factors.push_back(std::pow(decay, static_cast<float>(top - level)));
  return factors;
}

std::vector<ParameterGroup> parameter_groups(
    const ParameterSet& parameters, float layer_decay,
    const std::function<bool(const ParameterSet::Entry&)>& is_member) {
  std::vector<ParameterGroup> groups;
  const std::vector<float> factors = layer_factors(parameters, layer_decay);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const ParameterSet::Entry& entry = parameters.entries()[i];
    if (entry.frozen || (is_member && !is_member(entry))) continue;
    const std::int64_t end = entry.offset + entry.shape.size();
    const bool continues = !groups.empty() && groups.back().range.end == entry.offset &&
                           groups.back().learning_rate == factors[i];
    if (continues) {
      groups.back().range.end = end;
    } else {
      groups.push_back({{entry.offset, end}, factors[i]});
    }
  }
  return groups;
}

std::vector<ParameterGroup> shard_of(const std::vector<ParameterGroup>& groups, const Shard& shard,
                                     std::int64_t unit) {
  const auto units_of = [unit](const ParameterGroup& group) {
    return (group.range.end - group.range.begin + unit - 1) / unit;
  };
  std::int64_t all = 0;
  for (const ParameterGroup& group : groups) all += units_of(group);
  const std::int64_t first = all * shard.index / shard.count,
                     last = all * (shard.index + 1) / shard.count;
  std::vector<ParameterGroup> own;
  std::int64_t before = 0;  // units
  for (const ParameterGroup& group : groups) {
    const auto& [begin, end] = group.range;
    const auto at = [&, begin = begin, end = end](std::int64_t units) {
      return std::min(begin + std::max<std::int64_t>(units - before, 0) * unit, end);
    };
    if (at(first) < at(last)) own.push_back({{at(first), at(last)}, group.learning_rate});
    before += units_of(group);
  }
  return own;
}

std::vector<ParameterRange> ranges_of(const std::vector<ParameterGroup>& groups) {
  std::vector<ParameterRange> ranges;
  for (const ParameterGroup& group : groups) ranges.push_back(group.range);
  return ranges;
}

}  // namespace attend
