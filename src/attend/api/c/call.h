// The boundary to C: no exception crosses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "attend/api/c/handles.h"
#include "attend/core/threads/interruption.h"

namespace attend {

// A fault of the caller.
class ArgumentError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Ends a call that was cancelled. It is no std::exception, so that nobody takes it for an error of
// a text.
struct CallCancelled {};

// The object of a handle. Throws ArgumentError for NULL.
template <class Handle>
Handle& required(Handle* handle, const char* name) {
  if (handle == nullptr) throw ArgumentError(std::string(name) + ": expected an object, got NULL");
  return *handle;
}
// The same for a text that ends with a NUL. Throws DataError unless it is UTF-8.
std::string required_text(const char* text, const char* name);
// The first `length` bytes, or for -1 all up to the first NUL.
std::string required_text(const char* text, std::int64_t length, const char* name);

// Within a handler: stores the exception at `error`, unless that is NULL. Returns its code.
std::int32_t store_exception(attend_error** error) noexcept;

// Calls act(). Returns ATTEND_OK, or the code of what it threw.
template <class Act>
std::int32_t code_of(attend_error** error, const Act& act) noexcept {
  try {
    act();
    return ATTEND_OK;
  } catch (...) {
    return store_exception(error);
  }
}

// What make() returns, a std::unique_ptr, for the caller to free; NULL if it threw.
template <class Make>
auto made_by(attend_error** error, const Make& make) noexcept {
  using Made = typename decltype(make())::pointer;
  try {
    return make().release();
  } catch (...) {
    store_exception(error);
    return Made{nullptr};
  }
}

// The same for work that a cancellation, unless it is NULL, ends from outside.
template <class Make>
auto made_by(attend_error** error, attend_cancellation* cancellation, const Make& make) noexcept {
  return made_by(error, [&] {
    if (cancellation == nullptr) return make();
    const auto look = [cancellation] {
      if (cancellation->is_asked()) throw CallCancelled();
    };
    look();
    const InterruptionScope scope(look);
    return make();
  });
}

}  // namespace attend
