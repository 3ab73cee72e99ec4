#include "attend/nn/parameters/parameter_memory.h"

#include <memory>

#include "attend/backend/weights.h"

namespace attend {

ParameterMemory::ParameterMemory(const std::map<DType, std::int64_t>& sizes) {
  for (const auto& [dtype, size] : sizes) buffers_[dtype] = Tensor::empty({size}, dtype);
}

ParameterMemory ParameterMemory::over(const Tensor& bytes) {
  const auto owner = std::make_shared<Tensor>(bytes);
  ParameterMemory memory;
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8, DType::i4}) {
    const std::int64_t elements = bytes.size() / static_cast<std::int64_t>(size_of(dtype));
    memory.buffers_[dtype] = Tensor::wrap(owner, bytes.bytes(), {elements}, dtype);
  }
  return memory;
}

const Tensor& ParameterMemory::of(DType dtype) const {
  static const Tensor kNone;
  const auto found = buffers_.find(plain_type(dtype));
  return found == buffers_.end() ? kNone : found->second;
}

Tensor ParameterMemory::view(std::span<const ParameterEntry> parts) const {
  const ParameterEntry &first = parts.front(), &last = parts.back();
  const std::int64_t size = last.offset + last.elements() - first.offset;
  const Tensor flat = of(first.dtype).slice_rows(first.offset, first.offset + size);
  if (is_quantized(first.dtype)) {
    const std::int64_t width = stored_columns(first.dtype, first.shape[1]);
    return flat.reshape({size / width, width}).as(first.dtype);
  }
  if (parts.size() == 1) return flat.reshape(first.shape).as(first.dtype);
  if (first.shape.rank() == 1) return flat.as(first.dtype);
  return flat.reshape({size / first.shape[-1], first.shape[-1]}).as(first.dtype);
}

}  // namespace attend
