// Going through a value, as Python's iter() does. Private to text/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/text/chat_template/value.h"

namespace attend::chat_template {

class Iteration {
 public:
  Iteration() = default;
  // Throws DataError for a value without items. An undefined one has none, a text its characters,
  // an object its names.
  explicit Iteration(Value all);

  // False: there are no more.
  bool next(Run& run, Value& item);
  // From the end. Precondition: is_reversible().
  bool previous(Run& run, Value& item);

 private:
  Value item_at(Run& run, std::size_t position) const;

  Value all_ = {};
  std::size_t at_ = 0, taken_ = 0;
};

bool is_iterable(const Value& value);
bool is_reversible(const Value& value);
// As len() in Python: -1 for a value without a length.
std::int64_t length_of(Run& run, const Value& value);
Values items_of(Run& run, const Value& all);

}  // namespace attend::chat_template
