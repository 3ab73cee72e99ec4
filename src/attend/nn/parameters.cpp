#include "attend/nn/parameters.h"

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

// More than any machine holds, and few enough that the sizes of parameters and gradients do not
// overflow.
constexpr std::int64_t kMostParameters = std::int64_t{1} << 48;

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

// In its flat buffer.
std::int64_t elements_of(const ParameterSet::Entry& entry) {
  return is_quantized(entry.dtype) ? entry.shape[0] * stored_columns(entry.dtype, entry.shape[1])
                                   : entry.shape.size();
}

}  // namespace

Parameter ParameterSet::add(const std::string& name, Shape shape, Init init) {
  if (find(name) >= 0) throw ConfigError(fmt::format("parameter {} is declared twice", name));
  if (shape.size() > kMostParameters - size_)
    throw ConfigError(
        fmt::format("the model is too large: {} {} is beyond {} parameters in all; choose smaller "
                    "widths, fewer layers or rows",
                    name, to_string(shape), kMostParameters));
  const auto index = static_cast<std::int64_t>(entries_.size());
  entries_.push_back({.name = name, .shape = shape, .init = init, .offset = size_});
  size_ += shape.size();
  Parameter parameter;
  parameter.variable_ = std::make_shared<Variable>();
  handles_.push_back({index, index, parameter.variable_});
  return parameter;
}

Parameter ParameterSet::add_weights(const std::string& name, Shape shape, Init init) {
  Parameter parameter = add(name, shape, init);
  entries_.back().use = Entry::Use::product;
  return parameter;
}

Parameter ParameterSet::add_output_weights(const std::string& name, Shape shape, Init init) {
  Parameter parameter = add(name, shape, init);
  entries_.back().use = Entry::Use::output;
  return parameter;
}

Parameter ParameterSet::add_table(const std::string& name, Shape shape, Init init) {
  Parameter parameter = add(name, shape, init);
  entries_.back().use = Entry::Use::lookup;
  return parameter;
}

Parameter ParameterSet::stack(const std::string& first, const std::string& last) {
  const std::int64_t begin = find(first), end = find(last);
  if (begin < 0 || end < begin)
    throw ConfigError(
        fmt::format("parameters {} to {} are not declared consecutively", first, last));
  for (std::int64_t i = begin; i <= end; ++i) {
    const Shape& shape = entries_[static_cast<std::size_t>(i)].shape;
    const Shape& model = entries_[static_cast<std::size_t>(begin)].shape;
    if (shape.rank() != model.rank() || (shape.rank() > 1 && shape[-1] != model[-1]))
      throw ConfigError(fmt::format("parameters {} to {} cannot be stacked: {} and {}", first, last,
                                    to_string(model), to_string(shape)));
  }
  Parameter parameter;
  parameter.variable_ = std::make_shared<Variable>();
  handles_.push_back({begin, end, parameter.variable_});
  return parameter;
}

void ParameterSet::allocate(std::uint64_t seed) {
  memories_.front().floats = Tensor::empty({size_});
  gradients_ = Tensor::zeros({size_});
  for (const Entry& entry : entries_)
    initialize(value(entry), entry.init, {seed, stream_of(entry.name)});
  bind();
}

void ParameterSet::freeze(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const std::int64_t index = find(name);
    if (index < 0) throw ConfigError(fmt::format("{}: expected the name of a parameter", name));
    entries_[static_cast<std::size_t>(index)].frozen = true;
  }
  for (const Handle& handle : handles_) {
    const Entry &first = entries_[static_cast<std::size_t>(handle.first)],
                &last = entries_[static_cast<std::size_t>(handle.last)];
    for (std::int64_t i = handle.first; i <= handle.last; ++i)
      if (entries_[static_cast<std::size_t>(i)].frozen != first.frozen)
        throw ConfigError(fmt::format(
            "{} to {} are used as one matrix: expected all or none frozen", first.name, last.name));
  }
  std::int64_t trained = 0;
  for (const Entry& entry : entries_) trained += entry.frozen ? 0 : entry.shape.size();
  gradients_ = Tensor();  // before the new ones, so that both are never there
  if (trained > 0) gradients_ = Tensor::zeros({trained});
  bind();
}

void ParameterSet::replace(const std::function<Variable(const Entry& entry)>& of) {
  for (const Handle& handle : handles_) {
    std::vector<Variable> parts;
    bool any = false;
    for (std::int64_t i = handle.first; i <= handle.last; ++i) {
      parts.push_back(of(entries_[static_cast<std::size_t>(i)]));
      any = any || parts.back().defined();
      if (!parts.back().defined()) parts.back() = Variable(view(i, i));
    }
    if (any) *handle.variable = parts.size() == 1 ? parts.front() : concat_rows(parts);
  }
}

std::int64_t ParameterSet::gradient_offset(const Entry& entry) const {
  std::int64_t offset = entry.offset;
  for (const Entry& other : entries_)
    if (other.frozen && other.offset < entry.offset) offset -= other.shape.size();
  return offset;
}

Tensor ParameterSet::gradients(const ParameterRange& values) const {
  for (const Entry& entry : entries_) {
    const std::int64_t inside = values.begin - entry.offset;
    if (inside < 0 || inside >= entry.shape.size()) continue;
    const std::int64_t begin = gradient_offset(entry) + inside;
    return gradients_.slice_rows(begin, begin + values.end - values.begin);
  }
  throw Error("gradients of elements that no parameter has");
}

void ParameterSet::allocate_for_inference(const WeightTypes& types) {
  lay_out(types);
  bind();
}

void ParameterSet::allocate_sharing(const ParameterSet& loaded, const std::set<std::string>& own,
                                    const WeightTypes& types) {
  share(loaded, own);
  lay_out(types);
  bind();
}

bool ParameterSet::has_stack(const std::string& first, const std::string& last) const {
  const std::int64_t begin = find(first), end = find(last);
  return std::any_of(handles_.begin(), handles_.end(), [&](const Handle& handle) {
    return handle.first == begin && handle.last == end;
  });
}

void ParameterSet::share(const ParameterSet& loaded, const std::set<std::string>& own) {
  const std::size_t first = memories_.size();
  memories_.insert(memories_.end(), loaded.memories_.begin(), loaded.memories_.end());
  for (Entry& entry : entries_) {
    const std::int64_t index = own.contains(entry.name) ? -1 : loaded.find(entry.name);
    if (index < 0) continue;
    const Entry& other = loaded.entries_[static_cast<std::size_t>(index)];
    if (other.shape != entry.shape || other.use != entry.use) continue;
    entry.memory = first + other.memory;
    entry.dtype = other.dtype;
    entry.offset = other.offset;
  }
  // A stack must be one there, too, so that its parts are neighbors.
  share_whole_stacks([&](const Handle& handle) {
    return loaded.has_stack(entries_[static_cast<std::size_t>(handle.first)].name,
                            entries_[static_cast<std::size_t>(handle.last)].name);
  });
}

// Of two overlapping stacks, one contains the other.
void ParameterSet::share_whole_stacks(const std::function<bool(const Handle&)>& together) {
  for (const Handle& handle : handles_) {
    const auto begin = entries_.begin() + handle.first, end = entries_.begin() + handle.last + 1;
    const bool all = std::all_of(begin, end, [](const Entry& entry) { return entry.shared(); });
    if (!all || !together(handle))
      std::for_each(begin, end, [](Entry& entry) { entry.memory = 0; });
  }
}

bool ParameterSet::are_adjacent(const Handle& handle) const {
  for (auto i = static_cast<std::size_t>(handle.first); i < static_cast<std::size_t>(handle.last);
       ++i) {
    const Entry &entry = entries_[i], &next = entries_[i + 1];
    if (next.dtype != entry.dtype || next.offset != entry.offset + elements_of(entry)) return false;
  }
  return true;
}

void ParameterSet::allocate_in_place(const Stored& stored, const WeightTypes& types) {
  const std::size_t memory = memories_.size();
  memories_.push_back(Memory::over(stored.bytes));
  for (Entry& entry : entries_) {
    const auto found = stored.places.find(entry.name);
    if (found == stored.places.end()) continue;
    const auto [begin, dtype] = found->second;
    const auto element = static_cast<std::int64_t>(size_of(dtype));
    const bool multiplies = entry.use == Entry::Use::product || entry.use == Entry::Use::output;
    const bool as_kernels_read = multiplies == (plain_type(dtype) != dtype);
    if (!as_kernels_read || begin % element != 0) continue;
    entry.memory = memory;
    entry.dtype = dtype;
    entry.offset = begin / element;
  }
  share_whole_stacks([this](const Handle& handle) { return are_adjacent(handle); });
  lay_out(types);
  bind();
}

// Of each entry; 0: not to be packed.
std::vector<std::int64_t> ParameterSet::packed_row_blocks() const {
  std::vector<std::int64_t> blocks;
  for (const Entry& entry : entries_) {
    const bool multiplies =
        !entry.shared() && (entry.use == Entry::Use::product || entry.use == Entry::Use::output);
    blocks.push_back(multiplies ? backend().packed_row_block(value(entry)) : 0);
  }
  // A stack is a matrix, too, so all or none of its parts are packed. Of two overlapping stacks,
  // one contains the other.
  for (const Handle& handle : handles_) {
    const auto begin = static_cast<std::size_t>(handle.first),
               end = static_cast<std::size_t>(handle.last) + 1;
    bool all = true;
    for (std::size_t i = begin; i < end; ++i)
      all = all && blocks[i] > 0 && (end - begin == 1 || entries_[i].shape[0] % blocks[i] == 0);
    if (!all) std::fill(blocks.begin() + handle.first, blocks.begin() + handle.last + 1, 0);
  }
  return blocks;
}

void ParameterSet::fill_packed(const Fill& fill) {
  const std::vector<std::int64_t> blocks = packed_row_blocks();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.shared()) continue;
    fill(entry, value(entry), blocks[i]);
    if (blocks[i] > 0) entry.dtype = packed_type(entry.dtype);
  }
  bind();
}

void ParameterSet::lay_out(const WeightTypes& types) {
  for (const auto& [name, type] : types) {
    const std::int64_t index = find(name);
    if (index < 0 || entries_[static_cast<std::size_t>(index)].use == Entry::Use::other)
      throw ConfigError(fmt::format(
          "{}: expected the name of a matrix that can be kept in 4, 8 or 16 bits", name));
  }
  std::map<DType, std::int64_t> sizes;
  for (Entry& entry : entries_) {
    if (entry.shared()) continue;
    const auto type = types.find(entry.name);
    entry.dtype = type == types.end() ? DType::f32 : type->second;
    std::int64_t& size = sizes[entry.dtype];
    entry.offset = size;
    size += elements_of(entry);
  }
  Memory& own = memories_.front();
  own.floats = Tensor::empty({sizes[DType::f32]});
  if (sizes[DType::bf16] > 0) own.halves = Tensor::empty({sizes[DType::bf16]}, DType::bf16);
  if (sizes[DType::i8] > 0) own.quantized = Tensor::empty({sizes[DType::i8]}, DType::i8);
  if (sizes[DType::i4] > 0) own.grouped = Tensor::empty({sizes[DType::i4]}, DType::i4);
}

void ParameterSet::bind() {
  for (const Handle& handle : handles_) {
    const Entry& entry = entries_[static_cast<std::size_t>(handle.first)];
    for (std::int64_t i = handle.first; i <= handle.last; ++i) {
      if (const Entry& other = entries_[static_cast<std::size_t>(i)]; other.dtype != entry.dtype)
        throw ConfigError(
            fmt::format("{} and {} are used as one matrix: expected the same type, got {} and {}",
                        entry.name, other.name, name_of(entry.dtype), name_of(other.dtype)));
    }
    const Tensor part = view(handle.first, handle.last);
    if (!gradients_.defined() || entry.frozen) {
      *handle.variable = Variable(part);
      continue;
    }
    const Entry& last = entries_[static_cast<std::size_t>(handle.last)];
    const ParameterRange range{entry.offset, last.offset + last.shape.size()};
    *handle.variable = Variable(part, gradients(range).reshape(part.shape()));
  }
}

ParameterSet::Memory ParameterSet::Memory::over(const Tensor& bytes) {
  const auto owner = std::make_shared<Tensor>(bytes);
  const auto as = [&](DType dtype) {
    const std::int64_t elements = bytes.size() / static_cast<std::int64_t>(size_of(dtype));
    return Tensor::wrap(owner, bytes.bytes(), {elements}, dtype);
  };
  return {as(DType::f32), as(DType::bf16), as(DType::i8), as(DType::i4)};
}

const Tensor& ParameterSet::Memory::of(DType dtype) const {
  switch (plain_type(dtype)) {
    case DType::i8:
      return quantized;
    case DType::i4:
      return grouped;
    case DType::bf16:
      return halves;
    default:
      return floats;
  }
}

Tensor ParameterSet::value(const Entry& entry) const {
  const auto index = find(entry.name);
  return view(index, index);
}

Tensor ParameterSet::view(std::int64_t first, std::int64_t last) const {
  const Entry& entry = entries_[static_cast<std::size_t>(first)];
  return view(memories_[entry.memory].of(entry.dtype), first, last).as(entry.dtype);
}

Tensor ParameterSet::view(const Tensor& flat, std::int64_t first, std::int64_t last) const {
  const Entry& begin = entries_[static_cast<std::size_t>(first)];
  const Entry& end = entries_[static_cast<std::size_t>(last)];
  if (is_quantized(flat)) {
    const std::int64_t width = stored_columns(flat.dtype(), begin.shape[1]);
    const std::int64_t stop = end.offset + end.shape[0] * width;
    return flat.slice_rows(begin.offset, stop).reshape({(stop - begin.offset) / width, width});
  }
  const std::int64_t size = end.offset + end.shape.size() - begin.offset;
  const Tensor part = flat.slice_rows(begin.offset, begin.offset + size);
  if (first == last) return part.reshape(begin.shape);
  return begin.shape.rank() == 1 ? part : part.reshape({size / begin.shape[-1], begin.shape[-1]});
}

std::int64_t ParameterSet::find(const std::string& name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&name](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? -1 : found - entries_.begin();
}

}  // namespace attend
