#include "attend/interchange/weights/expert_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"

namespace attend {

namespace {

// A tensor whose parts are read one after another, in memory from the first to the last of them.
struct StackOfExperts {
  ForeignTensor whole;
  std::int64_t unread = 0;
  std::vector<std::byte> elements = {};

  void read(std::size_t begin, std::span<std::byte> to) {
    if (elements.empty()) {
      elements.resize(static_cast<std::size_t>(whole.bytes()));
      whole.read(elements);
    }
    std::memcpy(to.data(), elements.data() + begin, to.size());
    if (--unread == 0) elements = {};
  }
};

// What the parts of a stack are called, `{}` for the number of an expert; none: it is no stack.
std::vector<std::string> parts_of(std::string_view name) {
  const auto with = [&](std::string_view end, std::initializer_list<std::string_view> ends) {
    std::vector<std::string> parts;
    const std::string_view base = name.substr(0, name.size() - end.size());
    for (const std::string_view one : ends) parts.push_back(fmt::format("{}{}", base, one));
    return parts;
  };
  if (name.ends_with(".experts.gate_up_proj"))
    return with("gate_up_proj", {"{}.gate_proj.weight", "{}.up_proj.weight"});
  if (name.ends_with(".experts.down_proj")) return with("down_proj", {"{}.down_proj.weight"});
  if (name.ends_with("_exps.weight")) return with("weight", {"{}.weight"});
  return {};
}

void add_parts(const ForeignTensor& tensor, const std::vector<std::string>& names,
               TensorTable& table) {
  const auto count = static_cast<std::int64_t>(names.size());
  const std::vector<std::int64_t> shape{tensor.shape[1] / count, tensor.shape[2]};
  const auto stack = std::make_shared<StackOfExperts>(
      StackOfExperts{.whole = tensor, .unread = tensor.shape[0] * count});
  std::size_t begin = 0;
  for (std::int64_t expert = 0; expert < tensor.shape[0]; ++expert)
    for (const std::string& name : names) {
      ForeignTensor part{tensor.file, name, tensor.type, shape, {}};
      part.name.replace(part.name.find("{}"), 2, std::to_string(expert));
      part.read = [stack, begin](std::span<std::byte> to) { stack->read(begin, to); };
      begin += static_cast<std::size_t>(part.bytes());
      table.add(std::move(part));
    }
}

}  // namespace

TensorTable with_separate_experts(const TensorTable& file, std::span<const NameAlias> aliases) {
  TensorTable changed(file.where());
  for (ForeignTensor tensor : file.tensors()) {
    std::vector<std::string> parts = parts_of(tensor.name);
    const bool is_stack = tensor.shape.size() == 3 && !parts.empty() && tensor.elements() > 0 &&
                          tensor.shape[1] % std::ssize(parts) == 0;
    if (!is_stack) parts = {tensor.name};
    for (std::string& name : parts)
      for (const auto& [alias, meant] : aliases)
        if (const std::size_t at = name.find(alias); at != name.npos)
          name.replace(at, alias.size(), meant);
    if (is_stack) {
      add_parts(tensor, parts, changed);
    } else {
      tensor.name = parts.front();
      changed.add(std::move(tensor));
    }
  }
  return changed;
}

namespace {

constexpr std::string_view kPartOfStack = "_exps.", kEndOfPart = ".weight";

// The name of the stack of "X_exps.N.weight"; nothing for others.
std::string stack_of_part(std::string_view name) {
  const std::size_t at = name.find(kPartOfStack);
  if (at == name.npos || !name.ends_with(kEndOfPart)) return {};
  return fmt::format("{}_exps{}", name.substr(0, at), kEndOfPart);
}

Tensor stacked(std::span<const Tensor> parts) {
  const Shape& shape = parts.front().shape();
  const Tensor whole =
      Tensor::empty_on_host({static_cast<std::int64_t>(parts.size()), shape[0], shape[1]});
  float* to = whole.data();
  for (const Tensor& part : parts) to = std::copy_n(part.data(), part.size(), to);
  return whole;
}

}  // namespace

std::vector<NamedTensor> with_stacked_experts(std::vector<NamedTensor> tensors) {
  std::vector<NamedTensor> result;
  std::map<std::string, std::pair<std::size_t, std::vector<Tensor>>> stacks;
  for (NamedTensor& tensor : tensors) {
    const std::string name = stack_of_part(tensor.name);
    if (name.empty()) {
      result.push_back(std::move(tensor));
      continue;
    }
    const auto [found, is_new] = stacks.try_emplace(name, result.size(), std::vector<Tensor>{});
    if (is_new) result.push_back({name, {}});
    std::vector<Tensor>& parts = found->second.second;
    const std::string expected = fmt::format(
        "{}.{}{}", name.substr(0, name.size() - kEndOfPart.size()), parts.size(), kEndOfPart);
    if (tensor.name != expected)
      throw Error(fmt::format("expected {} before {}", expected, tensor.name));
    parts.push_back(std::move(tensor.tensor));
  }
  for (const auto& [name, stack] : stacks) result[stack.first].tensor = stacked(stack.second);
  return result;
}

}  // namespace attend
