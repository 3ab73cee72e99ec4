// A value measured during a step.
#pragma once

#include <functional>
#include <utility>

namespace attend {

// The value may still be on the device: the first conversion to double waits for it. A step whose
// values nobody reads does not wait.
class Measured {
 public:
  Measured(double value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor)
  explicit Measured(std::function<double()> read) : read_(std::move(read)) {}
  operator double() const {  // NOLINT(google-explicit-constructor)
    if (read_) {
      value_ = read_();
      read_ = nullptr;
    }
    return value_;
  }

 private:
  mutable double value_ = 0;
  mutable std::function<double()> read_;  // empty: value_ is known
};

}  // namespace attend
