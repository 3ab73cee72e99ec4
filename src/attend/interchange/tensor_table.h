// What every reader of foreign weights gives: tensors by name, of which nothing but the description
// has been read.
//
// The elements of a tensor come from the file when they are asked for, so that a model of 2 GB is
// in memory once: where it is wanted. Whoever has read what a model needs asks at the end whether
// anything was left over: a tensor that nobody has a use for is a model that somebody has not
// understood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/element_type.h"
#include "attend/tensor/tensor.h"

namespace attend {

struct ForeignTensor {
  std::string file;  // that it is in: begins the messages
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // any rank, extents >= 0
  // Fills bytes() bytes with the elements, row after row, little-endian. Throws DataError when the
  // file is damaged or cut short, IoError when it cannot be read.
  std::function<void(std::span<std::byte> to)> read;

  std::uint64_t elements() const { return *count_elements(shape); }
  std::uint64_t bytes() const { return elements() * size_of(type); }
};

class TensorTable {
 public:
  // `where`, a file or a directory, begins the messages about tensors that are not there.
  explicit TensorTable(std::string where) : where_(std::move(where)) {}

  // Precondition: the shape has a number of elements (count_elements). Throws DataError when there
  // is a tensor of that name already.
  void add(ForeignTensor tensor);

  const std::string& where() const { return where_; }
  const std::vector<ForeignTensor>& tensors() const { return tensors_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // nullptr when there is none of that name. Looking is not using.
  const ForeignTensor* find(std::string_view name) const;

  // The tensor as f32 in host memory (convert_to_f32), used from now on. Throws DataError when
  // there is none of that name, or it has another shape, or more dimensions than a Tensor.
  Tensor read(std::string_view name);
  Tensor read(std::string_view name, const Shape& expected);
  // The whole numbers of a tensor of any shape. Throws DataError when its elements are of another
  // kind.
  std::vector<std::int64_t> read_integers(std::string_view name);
  // The bytes of a tensor of I8 or U8, up to the first zero: text that Marian keeps among its
  // tensors.
  std::string read_text(std::string_view name);

  // Throws DataError, naming the first of them, when there are tensors that have neither been read
  // nor match one of `ignorable`, in which a '*' stands for any run of characters without a dot.
  // `what` is what the tensors should have been of: "a MarianMT model".
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
