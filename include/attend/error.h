// The exceptions of the library. Nothing in it prints, exits or aborts: a failure is one of these,
// thrown.
//
// A message says what was expected, what was found, where (file and line of the user's data), and
// what to do. It may quote what a file holds; it is one line. Two other exceptions can leave the
// library: std::bad_alloc, and whatever a callback of yours throws.
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

// The content of a user's file is not what it should be (encoding, line counts, a damaged model).
class DataError : public Error {
 public:
  using Error::Error;
};

// What is wrong is one line, or one text, among others that can still be read and answered.
class LineError : public DataError {
 public:
  using DataError::DataError;
};

// The operating system refused to read or write.
class IoError : public Error {
 public:
  using Error::Error;
};

// Training left the range of numbers: the loss is NaN or infinite.
class DivergedError : public Error {
 public:
  using Error::Error;
};

}  // namespace attend
#pragma GCC visibility pop
