#include "attend/nn/low_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/options/name_pattern.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"

namespace attend {

namespace {

constexpr std::string_view kWeightEnd = "weight";

bool is_adaptable(const ParameterSet::Entry& entry) {
  return entry.use == ParameterSet::Entry::Use::product && entry.name.ends_with(".weight");
}

// The matrices that one of the patterns fits.
std::set<std::string> targets_in(const ParameterSet& base, const LowRankOptions& options) {
  std::set<std::string> targets;
  for (const std::string& pattern : options.targets) {
    const std::size_t before = targets.size();
    for (const ParameterSet::Entry& entry : base.entries())
      if (is_adaptable(entry) && fits_pattern(entry.name, pattern)) targets.insert(entry.name);
    if (targets.size() == before)
      throw OptionError<ConfigError>("{}: no further matrix has a name like {}",
                                     as_key("lora-targets"), quote(pattern));
  }
  if (targets.empty())
    throw OptionError<ConfigError>("{}: expected at least one pattern, got none",
                                   as_key("lora-targets"));
  return targets;
}

std::string renamed(const std::string& weight, std::string_view end) {
  return weight.substr(0, weight.size() - kWeightEnd.size()) + std::string(end);
}

}  // namespace

std::string lora_a_name(const std::string& weight) { return renamed(weight, "lora_a"); }
std::string lora_b_name(const std::string& weight) { return renamed(weight, "lora_b"); }

Variable adapted_weight(const Variable& weight, const Variable& first, const Variable& second,
                        float factor) {
  return add(weight, scale(matmul(second, first, false), factor));
}

LowRankAdapters::LowRankAdapters(ParameterSet& base, const LowRankOptions& options,
                                 const std::set<std::string>& whole, std::uint64_t seed)
    : base_(base), scale_(options.alpha / static_cast<float>(std::max(1, options.rank))) {
  check_options(options);
  const std::set<std::string> targets = targets_in(base, options);
  std::set<std::string> all;
  for (const ParameterSet::Entry& entry : base.entries()) {
    all.insert(entry.name);
    if (whole.contains(entry.name)) {
      trained_[entry.name] = {parameters_.add(entry.name, entry.shape, {}), {}};
    } else if (targets.contains(entry.name)) {
      const Init random{Init::Kind::normal,
                        1.0f / std::sqrt(3.0f * static_cast<float>(entry.shape[1]))};
      trained_[entry.name] = {
          parameters_.add(lora_a_name(entry.name), {options.rank, entry.shape[1]}, random),
          parameters_.add(lora_b_name(entry.name), {entry.shape[0], options.rank}, {})};
    }
  }
  parameters_.allocate(seed);
  for (const ParameterSet::Entry& entry : parameters_.entries())
    if (whole.contains(entry.name)) {
      const auto& entries = base.entries();
      const auto own =
          std::find_if(entries.begin(), entries.end(),
                       [&](const ParameterSet::Entry& one) { return one.name == entry.name; });
      parameters_.value(entry).copy_from(base.value(*own));
    }
  base_.freeze(all);
}

void LowRankAdapters::apply() {
  base_.replace([this](const ParameterSet::Entry& entry) -> Variable {
    const auto found = trained_.find(entry.name);
    if (found == trained_.end()) return {};
    const auto& [first, second] = found->second;
    if (!second) return *first;
    return adapted_weight(Variable(base_.value(entry)), *first, *second, scale_);
  });
}

}  // namespace attend
