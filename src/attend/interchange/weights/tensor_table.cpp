#include "attend/interchange/weights/tensor_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// '*' is any run of characters without a dot.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at) {
    if (matches(rest, name.substr(at))) return true;
    if (at < name.size() && name[at] == '.') return false;
  }
  return false;
}

}  // namespace

void TensorTable::add(ForeignTensor tensor) {
  if (!index_.emplace(tensor.name, tensors_.size()).second)
    throw DataError(
        fmt::format("{}: two tensors have the name {}", tensor.file, quote(tensor.name)));
  tensors_.push_back(std::move(tensor));
  used_.push_back(false);
}

const ForeignTensor* TensorTable::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const ForeignTensor& TensorTable::use(std::string_view name) {
  const auto found = index_.find(name);
  if (found == index_.end())
    throw DataError(fmt::format("{}: expected a tensor {}, found none of that name among {}",
                                where_, quote(name), tensors_.size()));
  used_[found->second] = true;
  return tensors_[found->second];
}

Tensor TensorTable::to_f32(const ForeignTensor& tensor) const {
  const auto shape = to_shape(tensor.shape);
  if (!shape)
    throw DataError(fmt::format("{}: tensor {}: expected at most {} dimensions, found {}",
                                tensor.file, quote(tensor.name), Shape::kMaxRank,
                                shape_text(tensor.shape)));
  const Tensor result = Tensor::empty_on_host(*shape);
  if (tensor.type == ElementType::f32) {
    tensor.read({result.bytes(), static_cast<std::size_t>(tensor.bytes())});
  } else {
    std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
    tensor.read(elements);
    convert_to_f32(tensor.type, elements, result.span());
  }
  return result;
}

Tensor TensorTable::read(std::string_view name) { return to_f32(use(name)); }

Tensor TensorTable::read(std::string_view name, const Shape& expected) {
  const ForeignTensor& tensor = use(name);
  if (to_shape(tensor.shape) != expected)
    throw DataError(fmt::format("{}: tensor {}: expected {}, found {}", tensor.file,
                                quote(tensor.name), to_string(expected), shape_text(tensor.shape)));
  return to_f32(tensor);
}

std::vector<std::int64_t> TensorTable::read_integers(std::string_view name) {
  const ForeignTensor& tensor = use(name);
  if (!is_integer(tensor.type))
    throw DataError(fmt::format("{}: tensor {}: expected whole numbers, found elements {}",
                                tensor.file, quote(tensor.name), name_of(tensor.type)));
  std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
  tensor.read(elements);
  std::vector<std::int64_t> result(static_cast<std::size_t>(tensor.elements()));
  convert_to_i64(tensor.type, elements, result);
  return result;
}

std::string TensorTable::read_text(std::string_view name) {
  const ForeignTensor& tensor = use(name);
  if (tensor.type != ElementType::i8 && tensor.type != ElementType::u8)
    throw DataError(fmt::format("{}: tensor {}: expected text in elements I8 or U8, found {}",
                                tensor.file, quote(tensor.name), name_of(tensor.type)));
  std::string text(static_cast<std::size_t>(tensor.bytes()), '\0');
  tensor.read(std::as_writable_bytes(std::span(text)));
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

void TensorTable::require_all_used(std::span<const std::string_view> ignorable,
                                   std::string_view what) const {
  const ForeignTensor* first = nullptr;
  std::size_t count = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto is_match = [&](std::string_view pattern) {
      return matches(pattern, tensors_[i].name);
    };
    if (used_[i] || std::any_of(ignorable.begin(), ignorable.end(), is_match)) continue;
    if (++count == 1) first = &tensors_[i];
  }
  if (first == nullptr) return;
  throw DataError(fmt::format("{}: expected the tensors of {}, found also {} {} {}{}", first->file,
                              what, quote(first->name, 200), name_of(first->type),
                              shape_text(first->shape),
                              count > 1 ? fmt::format(" and {} more", count - 1) : ""));
}

}  // namespace attend
