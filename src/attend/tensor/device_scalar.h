// A number computed by a kernel.
#pragma once

#include <utility>

#include "attend/tensor/tensor.h"

namespace attend {

// Stays on its device until read: conversion to double waits for it; passing it to another kernel
// does not.
class DeviceScalar {
 public:
  DeviceScalar(double value = 0)
      : value_(value) {}  // NOLINT(google-explicit-constructor): known on the host
  explicit DeviceScalar(Tensor element) : element_(std::move(element)) {}  // [1], f32 or f64
  operator double() const {
    return element_.defined() ? element_.item() : value_;
  }  // NOLINT(google-explicit-constructor)

  // The element on the device; undefined if the number is known on the host.
  const Tensor& element() const { return element_; }

 private:
  double value_ = 0;
  Tensor element_;
};

}  // namespace attend
