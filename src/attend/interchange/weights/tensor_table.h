// The result of every reader of foreign weights: a table of named tensors.
//
// A table holds descriptions. The elements of a tensor are read from the file on demand, so a model
// of 2 GB is in memory once. After an importer has read its tensors, it checks that none is left:
// an unused tensor means that the importer does not understand the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/weights/element_type.h"
#include "attend/tensor/tensor.h"

namespace attend {

struct ForeignTensor {
  std::string file;  // its path, for error messages
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // any rank, extents >= 0
  // Fills `to`, of bytes() bytes, with the elements in row-major order, little-endian. Throws
  // DataError if the file is damaged or truncated, IoError if it cannot be read.
  std::function<void(std::span<std::byte> to)> read;

  std::uint64_t elements() const { return *count_elements(shape); }
  std::uint64_t bytes() const { return elements() * size_of(type); }
};

class TensorTable {
 public:
  // `where` is the file or directory to name in errors about missing tensors.
  explicit TensorTable(std::string where) : where_(std::move(where)) {}

  // Precondition: count_elements(tensor.shape) has a value. Throws DataError if the name is taken.
  void add(ForeignTensor tensor);

  const std::string& where() const { return where_; }
  const std::vector<ForeignTensor>& tensors() const { return tensors_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // Returns nullptr if there is no such tensor. Does not mark the tensor as used.
  const ForeignTensor* find(std::string_view name) const;

  // Reads a tensor into host memory, converts it to f32 (see convert_to_f32) and marks it as used.
  // Throws DataError if it is missing, differs in shape, or exceeds the rank of Tensor.
  Tensor read(std::string_view name);
  Tensor read(std::string_view name, const Shape& expected);
  // Reads a tensor of integers, of any shape, and marks it as used. Throws DataError if it is
  // missing or has another element type.
  std::vector<std::int64_t> read_integers(std::string_view name);
  // Reads a tensor of I8 or U8 as text, up to the first zero byte, and marks it as used. Marian
  // stores its options this way.
  std::string read_text(std::string_view name);

  // Throws DataError if a tensor is neither used nor matched by a pattern of `ignorable`, and names
  // the first such tensor. '*' in a pattern matches any run of characters without a dot. `what`
  // names the expected model in the message: "a MarianMT model".
  void require_all_used(std::span<const std::string_view> ignorable, std::string_view what) const;

 private:
  const ForeignTensor& use(std::string_view name);
  Tensor to_f32(const ForeignTensor& tensor) const;

  std::string where_;
  std::vector<ForeignTensor> tensors_;
  std::vector<bool> used_;  // parallel to tensors_
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace attend
