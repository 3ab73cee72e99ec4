#include "attend/optim/adam_8bit.h"

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/core/options/option_fields.h"

namespace attend {

namespace {

// Numbers that are in 32 bits at a time: 1 MiB for each moment.
constexpr std::int64_t kPart = 1024 * kBlockOfCodes;

std::int64_t blocks_for(std::int64_t numbers) {
  return (numbers + kBlockOfCodes - 1) / kBlockOfCodes;
}

std::int64_t size_of_group(const ParameterGroup& group) {
  return group.range.end - group.range.begin;
}

// The blocks of earlier shards. Shards are cut between blocks.
std::int64_t blocks_before(const std::vector<ParameterGroup>& groups, const Shard& shard) {
  std::int64_t blocks = 0;
  for (int earlier = 0; earlier < shard.index; ++earlier)
    for (const ParameterGroup& part : shard_of(groups, {earlier, shard.count}, kPart))
      blocks += blocks_for(size_of_group(part));
  return blocks;
}

}  // namespace

Adam8Bit::Adam8Bit(ParameterSet& parameters, const AdamOptions& options,
                   const std::vector<ParameterGroup>& groups, const Shard& shard)
    : parameters_(parameters),
      options_(options),
      groups_(shard_of(groups, shard, kPart)),
      first_block_(blocks_before(groups, shard)) {
  check_options(options);
  std::int64_t size = 0, blocks = 0, largest = 0;
  for (const ParameterGroup& group : groups_) {
    size += size_of_group(group);
    blocks += blocks_for(size_of_group(group));
    largest = std::max(largest, size_of_group(group));
  }
  for (Moment* const moment : {&mean_, &variance_}) {
    moment->codes = Tensor::zeros({size}, DType::u8);
    moment->scales = Tensor::zeros({blocks});
    moment->part = Tensor::empty({std::min(largest, kPart)});
  }
}

DeviceScalar Adam8Bit::step(float learning_rate) {
  const DeviceScalar squares = backend()->sum_of_squares(parameters_.gradients());
  const DeviceScalar gradient_scale = clipping(options_, squares);
  AdamStep step;
  step.beta1 = options_.beta1;
  step.beta2 = options_.beta2;
  step.epsilon = options_.epsilon;
  step.weight_decay = options_.weight_decay;
  step.step = ++steps_;
  std::int64_t code = 0, block = 0;
  for (const ParameterGroup& group : groups_) {
    step.learning_rate = learning_rate * group.learning_rate;
    for (std::int64_t begin = group.range.begin; begin < group.range.end; begin += kPart) {
      const ParameterRange range{begin, std::min(begin + kPart, group.range.end)};
      update(step, gradient_scale, {range, code, block});
      code += range.end - range.begin;
      block += blocks_for(range.end - range.begin);
    }
  }
  return squares;
}

void Adam8Bit::update(const AdamStep& step, const DeviceScalar& gradient_scale, const Part& part) {
  const std::int64_t size = part.range.end - part.range.begin;
  const auto codes = [&](const Moment& moment) {
    return moment.codes.slice_rows(part.code, part.code + size);
  };
  const auto scales = [&](const Moment& moment) {
    return moment.scales.slice_rows(part.block, part.block + blocks_for(size));
  };
  const auto numbers = [&](const Moment& moment) { return moment.part.slice_rows(0, size); };
  for (const Moment* const moment : {&mean_, &variance_})
    backend()->dequantize_blocks(codes(*moment), scales(*moment), moment->kind, numbers(*moment));
  backend()->adam(step, gradient_scale, parameters_.gradients(part.range),
                  parameters_.values().slice_rows(part.range.begin, part.range.end), numbers(mean_),
                  numbers(variance_));
  for (const Moment* const moment : {&mean_, &variance_}) {
    // A stream for each moment, step and part.
    const auto block = static_cast<std::uint64_t>(first_block_ + part.block);
    const RandomKey key{stream_of("adam8bit") + block,
                        static_cast<std::uint64_t>(step.step) * 2 + (moment == &mean_ ? 0 : 1)};
    backend()->quantize_blocks(numbers(*moment), moment->kind, key, codes(*moment),
                               scales(*moment));
  }
}

std::int64_t Adam8Bit::state_bytes(std::int64_t parameters) {
  const auto scale_bytes = static_cast<std::int64_t>(sizeof(float));
  return 2 * (parameters + scale_bytes * blocks_for(parameters));
}

}  // namespace attend
