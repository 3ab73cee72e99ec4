#include "attend/nn/parameters/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

void initialize(const Tensor& value, const Init& init, RandomKey key) {
  Random random(key);
  const Tensor host = value.to_host();
  float* x = host.data();
  const std::int64_t count = value.size();
  switch (init.kind) {
    case Init::Kind::zeros:
      std::fill_n(x, count, 0.0f);
      break;
    case Init::Kind::ones:
      std::fill_n(x, count, 1.0f);
      break;
    case Init::Kind::normal:
      for (std::int64_t i = 0; i < count; ++i) x[i] = init.scale * random.normal();
      break;
    case Init::Kind::xavier_uniform: {
      const auto fan_in = static_cast<float>(value.cols());
      const auto fan_out = static_cast<float>(init.fan_out > 0 ? init.fan_out : value.rows());
      const float limit = init.scale * std::sqrt(6.0f / (fan_in + fan_out));
      for (std::int64_t i = 0; i < count; ++i) x[i] = limit * (2.0f * random.uniform() - 1.0f);
      break;
    }
  }
  value.copy_from(host);
}

}  // namespace

Parameter ParameterSet::declare(const ParameterStack& stack) {
  Parameter parameter;
  parameter.variable_ = std::make_shared<Variable>();
  handles_.push_back({stack, parameter.variable_});
  return parameter;
}

std::string ParameterSet::stored_name(const std::string& name) const {
  for (const auto& [path, shared] : shared_)
    if (name.starts_with(path + ".")) return shared + name.substr(path.size());
  return name;
}

// One variable for all: the backward pass counts the uses of a variable.
Parameter ParameterSet::declared(const std::string& first, const std::string& last) const {
  const auto begin = layout_.find(first), end = layout_.find(last);
  Parameter parameter;
  for (const Handle& handle : handles_)
    if (begin && end && handle.stack.first == *begin && handle.stack.last == *end)
      parameter.variable_ = handle.variable;
  return parameter;
}

Parameter ParameterSet::add(const std::string& name, Shape shape, Init init, Entry::Use use) {
  const std::string stored = stored_name(name);
  if (stored == name || !layout_.find(stored))
    return declare(layout_.add(stored, shape, init, use));
  const Entry& entry = entries()[*layout_.find(stored)];
  if (entry.shape != shape)
    throw ConfigError(fmt::format("{} has the shape {}, and {}, which it shares, {}", name,
                                  to_string(shape), stored, to_string(entry.shape)));
  return declared(stored, stored);
}

Parameter ParameterSet::add(const std::string& name, Shape shape, Init init) {
  return add(name, shape, init, Entry::Use::other);
}

Parameter ParameterSet::add_weights(const std::string& name, Shape shape, Init init) {
  return add(name, shape, init, Entry::Use::product);
}

Parameter ParameterSet::add_output_weights(const std::string& name, Shape shape, Init init) {
  return add(name, shape, init, Entry::Use::output);
}

Parameter ParameterSet::add_table(const std::string& name, Shape shape, Init init) {
  return add(name, shape, init, Entry::Use::lookup);
}

Parameter ParameterSet::stack(const std::string& first, const std::string& last) {
  const std::string begin = stored_name(first), end = stored_name(last);
  const Parameter known = begin == first ? Parameter() : declared(begin, end);
  return known ? known : declare(layout_.stack(begin, end));
}

void ParameterSet::allocate(std::uint64_t seed) {
  memories_.front() = ParameterMemory({{DType::f32, size()}});
  gradients_ = Tensor::zeros({size()});
  for (const Entry& entry : entries())
    initialize(value(entry), entry.init, {seed, stream_of(entry.name)});
  bind();
}

void ParameterSet::freeze(const std::set<std::string>& names) {
  layout_.freeze(names);
  std::int64_t trained = 0;
  for (const Entry& entry : entries()) trained += entry.frozen ? 0 : entry.shape.size();
  gradients_ = Tensor();  // before the new ones, so that both are never there
  if (trained > 0) gradients_ = Tensor::zeros({trained});
  bind();
}

void ParameterSet::replace(const std::function<Variable(const Entry& entry)>& of) {
  for (const Handle& handle : handles_) {
    std::vector<Variable> parts;
    bool any = false;
    for (const Entry& entry : layout_.parts(handle.stack)) {
      parts.push_back(of(entry));
      any = any || parts.back().defined();
      if (!parts.back().defined()) parts.back() = Variable(value(entry));
    }
    if (any) *handle.variable = parts.size() == 1 ? parts.front() : concat_rows(parts);
  }
}

Tensor ParameterSet::gradients(const ParameterRange& values) const {
  for (const Entry& entry : entries()) {
    const std::int64_t inside = values.begin - entry.offset;
    if (inside < 0 || inside >= entry.shape.size()) continue;
    const std::int64_t begin = layout_.gradient_offset(entry) + inside;
    return gradients_.slice_rows(begin, begin + values.end - values.begin);
  }
  throw Error("gradients of elements that no parameter has");
}

void ParameterSet::allocate_own(const WeightTypes& types) {
  memories_.front() = ParameterMemory(layout_.lay_out(types));
  bind();
}

void ParameterSet::allocate_for_inference(const WeightTypes& types) { allocate_own(types); }

void ParameterSet::allocate_sharing(const ParameterSet& loaded, const std::set<std::string>& own,
                                    const WeightTypes& types) {
  layout_.share(loaded.layout_, own, memories_.size());
  memories_.insert(memories_.end(), loaded.memories_.begin(), loaded.memories_.end());
  allocate_own(types);
}

void ParameterSet::allocate_in_place(const Stored& stored, const WeightTypes& types) {
  layout_.place([&stored, memory = memories_.size()](Entry& entry) {
    const auto found = stored.places.find(entry.name);
    if (found == stored.places.end()) return;
    const auto [begin, dtype] = found->second;
    const auto element = static_cast<std::int64_t>(size_of(dtype));
    const bool as_kernels_read = entry.multiplies() == (plain_type(dtype) != dtype);
    if (!as_kernels_read || begin % element != 0) return;
    entry.memory = memory;
    entry.dtype = dtype;
    entry.offset = begin / element;
  });
  memories_.push_back(ParameterMemory::over(stored.bytes));
  allocate_own(types);
}

void ParameterSet::fill_packed(const Fill& fill) {
  const std::vector<std::int64_t> blocks = layout_.packed_row_blocks([this](const Entry& entry) {
    const bool packable = entry.multiplies() && !entry.shared();
    return packable ? backend()->packed_row_block(value(entry)) : 0;
  });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Entry& entry = entries()[i];
    if (entry.shared()) continue;
    fill(entry, value(entry), blocks[i]);
    if (blocks[i] > 0) layout_.set_packed(i);
  }
  bind();
}

void ParameterSet::bind() {
  for (const Handle& handle : handles_) {
    const auto parts = layout_.parts(handle.stack);
    const Entry &first = parts.front(), &last = parts.back();
    for (const Entry& other : parts) {
      if (other.dtype != first.dtype)
        throw ConfigError(
            fmt::format("{} and {} are used as one matrix: expected the same type, got {} and {}",
                        first.name, other.name, name_of(first.dtype), name_of(other.dtype)));
    }
    const Tensor view = memories_[first.memory].view(parts);
    if (!gradients_.defined() || first.frozen) {
      *handle.variable = Variable(view);
      continue;
    }
    const ParameterRange range{first.offset, last.offset + last.shape.size()};
    *handle.variable = Variable(view, gradients(range).reshape(view.shape()));
  }
}

Tensor ParameterSet::value(const Entry& entry) const {
  const auto index = layout_.find(entry.name);
  if (!index) throw Error(fmt::format("{}: the model has no such parameter", entry.name));
  const Entry& own = entries()[*index];
  return memories_[own.memory].view({&own, 1});
}

}  // namespace attend
