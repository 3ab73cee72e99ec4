// The exceptions of the library. It never prints, exits or aborts; it throws one of these.
//
// A message says what was expected, what was found, where (file and line of the user's data), and
// what to do. It is one line and may quote file content. Two other exceptions can leave the
// library: std::bad_alloc, and any exception thrown by your callbacks.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace attend {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Tensor shapes that do not fit together. Messages read "[op] expected ..., got ...".
class ShapeError : public Error {
 public:
  using Error::Error;
};

// An option, configuration key or flag with a wrong name or value.
class ConfigError : public Error {
 public:
  using Error::Error;
};

// Invalid content of a user's file (encoding, line counts, a damaged model).
class DataError : public Error {
 public:
  using Error::Error;
};

// An error in one line or text of several; the others can still be answered.
class LineError : public DataError {
 public:
  using DataError::DataError;
};

// The operating system failed to read or write.
class IoError : public Error {
 public:
  using Error::Error;
};

// Training diverged: the loss is NaN, infinite, or too high.
class DivergedError : public Error {
 public:
  using Error::Error;
};

// The queue of an engine is full: try again later (attend/engine.h).
class OverloadedError : public Error {
 public:
  using Error::Error;
};

// A request was cancelled, or its engine stopped (attend/engine.h).
class CancelledError : public Error {
 public:
  using Error::Error;
};

}  // namespace attend
#pragma GCC visibility pop
