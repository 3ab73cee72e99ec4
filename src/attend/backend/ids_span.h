// Access to ids for kernels on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "attend/backend/backend.h"

namespace attend {

// The values on the device; `ids` must outlive them. Empty if undefined.
inline std::span<const std::int32_t> device_span(const Ids& ids) {
  const Tensor values = ids.tensor();
  return values.defined() ? values.span<std::int32_t>() : std::span<std::int32_t>();
}

// The result of slot_ids().
class SlotSpan {
 public:
  explicit SlotSpan(const Ids& slots) : numbers_(device_span(slots)) {}
  std::int64_t size() const { return std::ssize(numbers_) / 2; }
  CacheSlot operator[](std::size_t i) const { return {numbers_[2 * i], numbers_[2 * i + 1]}; }

 private:
  std::span<const std::int32_t> numbers_;
};

}  // namespace attend
