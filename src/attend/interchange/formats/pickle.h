// Python pickles, read as data: nothing in them is called, imported or built.
//
// A pickle is a program for a small stack machine, and Python's own reader runs whatever function
// it names. This one knows the instructions that PyTorch needs for a dictionary of tensors and
// nothing else. A function that is named must be on the reader's list; a call of one stays what it
// is in the file, a function and its arguments, for the reader to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

enum class PickleKind : std::uint8_t {
  none,
  boolean,     // integer: 0 or 1
  integer,     // integer
  big,         // an integer of more than 8 bytes; text: its bytes, the lowest first
  text,        // text: UTF-8
  tuple,       // items
  list,        // items
  dictionary,  // items: key, value, key, value ...
  function,    // text: "module.name", one of those allowed
  call,        // items: the function, a tuple of its arguments
  persistent   // items: the value that stands for an object outside of the pickle
};

// "an integer", for messages.
std::string_view name_of(PickleKind kind);

// Values refer to each other by number: one may be in several others, and even in itself.
using PickleRef = std::uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;
  std::string_view text =
      {};  // valid as long as the bytes of the pickle, and the list of functions
  std::vector<PickleRef> items = {};
};

class Pickle {
 public:
  // Reads the pickle at the beginning of `bytes`, of protocol 2. `functions` are those that it may
  // name; "collections.OrderedDict", called without arguments, is read as a dictionary. What is set
  // on objects (BUILD) is dropped. Throws DataError "<where>: ..." for everything else.
  Pickle(std::span<const std::byte> bytes, std::span<const std::string_view> functions,
         std::string where);

  const PickleValue& root() const { return values_[root_]; }
  const PickleValue& operator[](PickleRef ref) const { return values_[ref]; }
  std::size_t size() const { return size_; }  // in bytes
  const std::string& where() const { return where_; }

 private:
  std::vector<PickleValue> values_;
  PickleRef root_ = 0;
  std::size_t size_ = 0;
  std::string where_;
};

}  // namespace attend
