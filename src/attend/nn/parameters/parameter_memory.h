// The flat buffers of parameters: in each, those of one type follow one another.
#pragma once

#include <map>
#include <span>

#include "attend/nn/parameters/parameter_layout.h"
#include "attend/tensor/tensor.h"

namespace attend {

class ParameterMemory {
 public:
  // No buffers.
  ParameterMemory() = default;
  // New buffers, with so many elements of each type.
  explicit ParameterMemory(const std::map<DType, std::int64_t>& sizes);
  // The same bytes as each type, such as those of a mapped file.
  static ParameterMemory over(const Tensor& bytes);

  // The buffer of a type, plain or packed; undefined if there is none.
  const Tensor& of(DType dtype) const;
  // A view of neighbors as one matrix or vector, in the shape of the parameter if there is one
  // part. In 8 and 4 bits, matrices have the columns of stored_columns() (backend/weights.h).
  Tensor view(std::span<const ParameterEntry> parts) const;

 private:
  std::map<DType, Tensor> buffers_;
};

}  // namespace attend
