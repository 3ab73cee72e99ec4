// Python pickles, read as data: nothing is called or imported.
//
// A pickle is a program for a stack machine, and Python runs any function that it names. This
// machine knows only the instructions that PyTorch's files need, and a call remains data: the
// function, its arguments, and what was set in the object that it stands for.
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
  big,         // an integer of more than 8 bytes; text: its bytes, little-endian
  number,      // number
  text,        // text: UTF-8
  tuple,       // items
  list,        // items
  dictionary,  // items: key, value, key, value ...
  function,    // text: "module.name" of a listed one, else "module\nname"
  call,        // items: the function, a tuple of its arguments, and what was set in the object
  persistent   // items: the value that stands for an object outside of the pickle
};

// "an integer", for messages.
std::string_view name_of(PickleKind kind);

// The index of a value. A value can occur in several others, and even in itself.
using PickleRef = std::uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text =
      {};  // valid as long as the bytes of the pickle, and the list of functions
  std::vector<PickleRef> items = {};
};

// What becomes of functions that are not on the list: an error, or values that stand for
// themselves.
enum class OtherFunctions : std::uint8_t { refused, opaque };

class Pickle {
 public:
  // Reads the pickle of protocol 2 at the beginning of `bytes`, which may name `functions`. A call
  // of "collections.OrderedDict" without arguments becomes a dictionary, whose attributes are
  // dropped. Throws DataError "<where>: ..." for any other content.
  Pickle(std::span<const std::byte> bytes, std::span<const std::string_view> functions,
         std::string where, OtherFunctions others = OtherFunctions::refused);

  const PickleValue& root() const { return values_[root_]; }
  const PickleValue& operator[](PickleRef ref) const { return values_[ref]; }
  std::span<const PickleValue> values() const { return values_; }
  // The value of a key of a dictionary, the last one of several; nullptr: there is none.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;
  // Whether the value stands for a call of this function.
  bool is_call(const PickleValue& value, std::string_view function) const {
    return value.kind == PickleKind::call && values_[value.items[0]].text == function;
  }
  std::size_t size() const { return size_; }  // in bytes
  const std::string& where() const { return where_; }

 private:
  std::vector<PickleValue> values_;
  PickleRef root_ = 0;
  std::size_t size_ = 0;
  std::string where_;
};

}  // namespace attend
