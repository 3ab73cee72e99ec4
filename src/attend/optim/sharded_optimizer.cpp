#include "attend/optim/sharded_optimizer.h"

#include <algorithm>
#include <utility>

#include "attend/collective/gather_parts.h"

namespace attend {

namespace {

// The ranges of every process, by rank.
std::vector<std::vector<ParameterRange>> gather_ranges(Collective& processes,
                                                       const std::vector<ParameterRange>& own) {
  const auto most =
      static_cast<std::size_t>(largest_number(processes, static_cast<double>(own.size())));
  std::vector<double> bounds;
  for (const auto& [begin, end] : own) {
    bounds.push_back(static_cast<double>(begin));
    bounds.push_back(static_cast<double>(end));
  }
  bounds.resize(2 * most);  // with empty ranges
  const std::vector<double> all = gather_numbers(processes, bounds);
  std::vector<std::vector<ParameterRange>> ranges(static_cast<std::size_t>(processes.size()));
  for (std::size_t i = 0; i < all.size(); i += 2)
    ranges[i / bounds.size()].push_back(
        {static_cast<std::int64_t>(all[i]), static_cast<std::int64_t>(all[i + 1])});
  return ranges;
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(ParameterSet& parameters, std::unique_ptr<Optimizer> own,
                                   Collective& processes)
    : parameters_(parameters), own_(std::move(own)), processes_(processes) {
  std::int64_t place = 0;
  int owner = 0;
  for (const std::vector<ParameterRange>& ranges : gather_ranges(processes, own_->updated())) {
    begins_.push_back(place);
    for (const ParameterRange& range : ranges) {
      parts_.push_back({range, place, owner});
      place += range.end - range.begin;
    }
    ++owner;
  }
  begins_.push_back(place);
}

DeviceScalar ShardedOptimizer::step(float learning_rate) {
  const DeviceScalar squares = own_->step(learning_rate);
  const int self = processes_.rank();
  for (const Part& part : parts_)
    if (part.owner == self) exchanged(part).copy_from(values(part));
  gather_parts(processes_, parameters_.gradients(), begins_);
  for (const Part& part : parts_)
    if (part.owner != self) values(part).copy_from(exchanged(part));
  return squares;
}

std::vector<ParameterRange> ShardedOptimizer::updated() const {
  std::vector<ParameterRange> ranges;
  for (const Part& part : parts_) ranges.push_back(part.range);
  return ranges;
}

Tensor ShardedOptimizer::values(const Part& part) const {
  return parameters_.values().slice_rows(part.range.begin, part.range.end);
}

Tensor ShardedOptimizer::exchanged(const Part& part) const {
  return parameters_.gradients().slice_rows(part.place,
                                            part.place + part.range.end - part.range.begin);
}

}  // namespace attend
