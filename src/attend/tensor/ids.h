// Integers that the host plans with and kernels look up with: token ids, offsets, targets,
// positions, rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

// They do not change any more; copies and slices share them. `*ids` and `ids->` are the values on
// the host, tensor() those on the device.
class Ids {
 public:
  Ids() = default;                        // none, which is not the same as an empty list
  Ids(std::vector<std::int32_t> values);  // NOLINT(google-explicit-constructor)
  Ids(std::initializer_list<std::int32_t> values) : Ids(std::vector<std::int32_t>(values)) {}

  explicit operator bool() const { return values_ != nullptr; }
  const std::span<const std::int32_t>& operator*() const { return host_; }
  const std::span<const std::int32_t>* operator->() const { return &host_; }
  std::int32_t operator[](std::int64_t i) const { return host_[static_cast<std::size_t>(i)]; }
  std::int64_t size() const { return std::ssize(host_); }

  // Elements begin .. end - 1, 0 <= begin <= end <= size().
  Ids slice(std::int64_t begin, std::int64_t end) const;

  // i32 [size()] in the memory of the calling thread's device, copied there at the first call.
  // Undefined when there are none.
  Tensor tensor() const;

  // The same values, or none in both.
  friend bool operator==(const Ids& a, const Ids& b);

 private:
  struct Values;
  std::shared_ptr<const Values> values_;
  std::span<const std::int32_t> host_;
};

}  // namespace attend
