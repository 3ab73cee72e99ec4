#include "attend/nn/parameters/parameter_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/weights.h"
#include "attend/error.h"

namespace attend {

namespace {

// More than any machine holds, and few enough that the sizes of parameters and gradients do not
// overflow.
constexpr std::int64_t kMostParameters = std::int64_t{1} << 48;

bool are_adjacent(std::span<const ParameterEntry> parts) {
  const auto gap = std::adjacent_find(
      parts.begin(), parts.end(), [](const ParameterEntry& entry, const ParameterEntry& next) {
        return next.dtype != entry.dtype || next.offset != entry.offset + entry.elements();
      });
  return gap == parts.end();
}

}  // namespace

std::int64_t ParameterEntry::elements() const {
  return is_quantized(dtype) ? shape[0] * stored_columns(dtype, shape[1]) : shape.size();
}

ParameterStack ParameterLayout::add(const std::string& name, Shape shape, Init init,
                                    ParameterEntry::Use use) {
  if (find(name)) throw ConfigError(fmt::format("parameter {} is declared twice", name));
  if (shape.size() > kMostParameters - size_)
    throw ConfigError(
        fmt::format("the model is too large: {} {} is beyond {} parameters in all; choose smaller "
                    "widths, fewer layers or rows",
                    name, to_string(shape), kMostParameters));
  const std::size_t index = entries_.size();
  entries_.push_back({.name = name, .shape = shape, .init = init, .use = use, .offset = size_});
  index_.emplace(name, index);
  size_ += shape.size();
  stacks_.push_back({index, index});
  return stacks_.back();
}

ParameterStack ParameterLayout::stack(const std::string& first, const std::string& last) {
  const auto begin = find(first), end = find(last);
  if (!begin || !end || *end < *begin)
    throw ConfigError(
        fmt::format("parameters {} to {} are not declared consecutively", first, last));
  const ParameterStack stack{*begin, *end};
  const Shape& model = entries_[*begin].shape;
  for (const ParameterEntry& part : parts(stack)) {
    const Shape& shape = part.shape;
    if (shape.rank() != model.rank() || (shape.rank() > 1 && shape[-1] != model[-1]))
      throw ConfigError(fmt::format("parameters {} to {} cannot be stacked: {} and {}", first, last,
                                    to_string(model), to_string(shape)));
  }
  return stacks_.emplace_back(stack);
}

std::span<const ParameterEntry> ParameterLayout::parts(const ParameterStack& stack) const {
  return std::span(entries_).subspan(stack.first, stack.last + 1 - stack.first);
}

std::span<ParameterEntry> ParameterLayout::writable_parts(const ParameterStack& stack) {
  return std::span(entries_).subspan(stack.first, stack.last + 1 - stack.first);
}

std::optional<std::size_t> ParameterLayout::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

void ParameterLayout::freeze(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const auto index = find(name);
    if (!index) throw ConfigError(fmt::format("{}: expected the name of a parameter", name));
    entries_[*index].frozen = true;
  }
  for (const ParameterStack& stack : stacks_) {
    const auto of_stack = parts(stack);
    for (const ParameterEntry& part : of_stack)
      if (part.frozen != of_stack.front().frozen)
        throw ConfigError(
            fmt::format("{} to {} are used as one matrix: expected all or none frozen",
                        of_stack.front().name, of_stack.back().name));
  }
}

std::int64_t ParameterLayout::gradient_offset(const ParameterEntry& entry) const {
  std::int64_t offset = entry.offset;
  for (const ParameterEntry& other : entries_)
    if (other.frozen && other.offset < entry.offset) offset -= other.shape.size();
  return offset;
}

bool ParameterLayout::has_stack(const std::string& first, const std::string& last) const {
  const auto begin = find(first), end = find(last);
  return std::any_of(stacks_.begin(), stacks_.end(), [&](const ParameterStack& stack) {
    return stack.first == begin && stack.last == end;
  });
}

void ParameterLayout::share(const ParameterLayout& loaded, const std::set<std::string>& own,
                            std::size_t first_memory) {
  for (ParameterEntry& entry : entries_) {
    const auto index = own.contains(entry.name) ? std::nullopt : loaded.find(entry.name);
    if (!index) continue;
    const ParameterEntry& other = loaded.entries_[*index];
    if (other.shape != entry.shape || other.use != entry.use) continue;
    entry.memory = first_memory + other.memory;
    entry.dtype = other.dtype;
    entry.offset = other.offset;
  }
  // A stack must be one there, too, so that its parts are neighbors.
  share_whole_stacks([&](const ParameterStack& stack) {
    return loaded.has_stack(entries_[stack.first].name, entries_[stack.last].name);
  });
}

void ParameterLayout::place(const std::function<void(ParameterEntry&)>& place) {
  for (ParameterEntry& entry : entries_) place(entry);
  share_whole_stacks([&](const ParameterStack& stack) { return are_adjacent(parts(stack)); });
}

void ParameterLayout::share_whole_stacks(
    const std::function<bool(const ParameterStack&)>& together) {
  for (const ParameterStack& stack : stacks_) {
    const auto of_stack = writable_parts(stack);
    const bool all = std::all_of(of_stack.begin(), of_stack.end(),
                                 [](const ParameterEntry& part) { return part.shared(); });
    if (all && together(stack)) continue;
    for (ParameterEntry& part : of_stack) part.memory = 0;
  }
}

std::map<DType, std::int64_t> ParameterLayout::lay_out(const std::map<std::string, DType>& types) {
  for (const auto& [name, type] : types) {
    const auto index = find(name);
    if (!index || entries_[*index].use == ParameterEntry::Use::other)
      throw ConfigError(fmt::format(
          "{}: expected the name of a matrix that can be kept in 4, 8 or 16 bits", name));
  }
  std::map<DType, std::int64_t> sizes{{DType::f32, 0}};
  for (ParameterEntry& entry : entries_) {
    if (entry.shared()) continue;
    const auto type = types.find(entry.name);
    entry.dtype = type == types.end() ? DType::f32 : type->second;
    std::int64_t& size = sizes[entry.dtype];
    entry.offset = size;
    size += entry.elements();
  }
  return sizes;
}

void ParameterLayout::set_packed(std::size_t i) {
  entries_[i].dtype = packed_type(entries_[i].dtype);
}

std::vector<std::int64_t> ParameterLayout::packed_row_blocks(
    const std::function<std::int64_t(const ParameterEntry&)>& block_of) const {
  std::vector<std::int64_t> blocks;
  for (const ParameterEntry& entry : entries_) blocks.push_back(block_of(entry));
  for (const ParameterStack& stack : stacks_) {
    bool all = true;
    for (std::size_t i = stack.first; i <= stack.last; ++i)
      all = all && blocks[i] > 0 &&
            (stack.first == stack.last || entries_[i].shape[0] % blocks[i] == 0);
    if (all) continue;
    for (std::size_t i = stack.first; i <= stack.last; ++i) blocks[i] = 0;
  }
  return blocks;
}

}  // namespace attend
