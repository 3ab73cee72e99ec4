#include "attend/nn/relative_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/embedding.h"

namespace attend {

std::int32_t relative_bucket(std::int64_t distance, const RelativeOptions& options, bool causal) {
  const int buckets = causal ? options.buckets : options.buckets / 2;
  const int after = !causal && distance > 0 ? buckets : 0;
  const std::int64_t size = causal ? std::max<std::int64_t>(-distance, 0) : std::abs(distance);
  const int exact = buckets / 2;
  if (size < exact) return after + static_cast<std::int32_t>(size);
  // Logarithmic up to the distance. At its steps the logarithm may come out a little too small.
  const double share = std::log(static_cast<double>(size) / exact) /
                       std::log(static_cast<double>(options.distance) / exact);
  const auto bucket = static_cast<std::int64_t>(share * (buckets - exact) + 1e-9);
  return after + static_cast<std::int32_t>(std::min<std::int64_t>(exact + bucket, buckets - 1));
}

std::vector<float> alibi_slopes(int heads) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<float> slopes;
  for (int i = 0; i < heads; ++i) {
    const double exponent =
        i < power ? 8.0 * (i + 1) / power : 8.0 * (2 * (i - power) + 1) / (2 * power);
    slopes.push_back(static_cast<float>(std::exp2(-exponent)));
  }
  return slopes;
}

std::shared_ptr<const RelativePositions> RelativePositions::learned(ParameterSet& parameters,
                                                                    const std::string& path,
                                                                    int heads,
                                                                    const RelativeOptions& options,
                                                                    bool causal) {
  if (options.distance <= options.buckets / 2)
    throw OptionError<ConfigError>("{}: expected more than half of {} {}, got {}",
                                   as_key("relative-distance"), as_key("relative-buckets"),
                                   options.buckets, options.distance);
  auto positions = std::make_shared<RelativePositions>();
  positions->table_ =
      parameters.add(path + ".weight", {options.buckets, heads}, {Init::Kind::normal, 0.02f});
  std::vector<std::int32_t> buckets;
  for (int distance = -options.distance; distance <= options.distance; ++distance)
    buckets.push_back(relative_bucket(distance, options, causal));
  positions->buckets_ = std::move(buckets);
  return positions;
}

std::shared_ptr<const RelativePositions> RelativePositions::alibi(int heads) {
  auto positions = std::make_shared<RelativePositions>();
  positions->slopes_ = alibi_slopes(heads);
  return positions;
}

Variable RelativePositions::biases(std::int64_t length) const {
  if (table_) return gather_rows(*table_, buckets_);
  return Variable(sloping_.at_least(length, [this](std::int64_t reach) { return sloping(reach); }));
}

Tensor RelativePositions::sloping(std::int64_t reach) const {
  const auto heads = static_cast<std::int64_t>(slopes_.size());
  const Tensor biases = Tensor::empty_on_host({2 * reach + 1, heads});
  for (std::int64_t row = 0; row <= 2 * reach; ++row) {
    for (std::int64_t head = 0; head < heads; ++head)
      biases.row(row)[head] =
          -slopes_[static_cast<std::size_t>(head)] * static_cast<float>(std::abs(row - reach));
  }
  return biases;
}

}  // namespace attend
