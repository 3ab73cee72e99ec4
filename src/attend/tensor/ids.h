// Integers for host planning and kernel look-ups: token ids, offsets, targets, positions, rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

// Immutable; copies and slices share the values. `*ids` and `ids->` give the values on the host,
// tensor() those on the device.
class Ids {
 public:
  Ids() = default;                        // undefined, which differs from an empty list
  Ids(std::vector<std::int32_t> values);  // NOLINT(google-explicit-constructor)
  Ids(std::initializer_list<std::int32_t> values) : Ids(std::vector<std::int32_t>(values)) {}

  explicit operator bool() const { return values_ != nullptr; }
  const std::span<const std::int32_t>& operator*() const { return host_; }
  const std::span<const std::int32_t>* operator->() const { return &host_; }
  std::int32_t operator[](std::int64_t i) const { return host_[static_cast<std::size_t>(i)]; }
  std::int64_t size() const { return std::ssize(host_); }

  // Elements begin .. end - 1, 0 <= begin <= end <= size().
  Ids slice(std::int64_t begin, std::int64_t end) const;

  // i32 [size()] in the memory of the calling thread's device, copied at the first call. Undefined
  // if the ids are.
  Tensor tensor() const;

  // Equal values, or both undefined.
  friend bool operator==(const Ids& a, const Ids& b);

 private:
  struct Values;
  std::shared_ptr<const Values> values_;
  std::span<const std::int32_t> host_;
};

}  // namespace attend
