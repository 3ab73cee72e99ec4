// What tensors throw when the system has no memory for them.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace attend {

// Callers of the library expect std::bad_alloc of every allocation, large or small; this one says
// how much was asked for, in one line.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& message) : message_(message) {}
  const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  // whose copies never throw
};

}  // namespace attend
