// The arguments of a filter, test, method or function, in the order of its parameters. Private to
// text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

class Bound {
 public:
  // names: of the parameters, "width first blank"; of those after "/", none is given by its name.
  // Throws DataError for too few, too many, and unknown ones.
  Bound(std::string_view function, std::string_view names, std::size_t required,
        const Given& given);

  std::size_t size() const { return values_.size(); }
  bool has(std::size_t i) const { return !values_[i].is_missing(); }
  // Precondition: has(i) or an other value.
  const Value& at(std::size_t i) const { return values_[i]; }
  Value at(std::size_t i, Value otherwise) const { return has(i) ? values_[i] : otherwise; }
  // These throw DataError for values of other kinds. None counts as absent.
  std::int64_t whole(std::size_t i, std::int64_t otherwise) const;
  // As whole(), but none is no number.
  std::int64_t number(std::size_t i, std::int64_t otherwise) const;
  std::string text(std::size_t i, std::string_view otherwise) const;
  const std::string& text(std::size_t i) const;
  bool truth(Run& run, std::size_t i) const;
  bool is_absent(std::size_t i) const { return !has(i) || values_[i].is_none(); }

 private:
  std::string_view function_;
  Values values_;
};

// What a value that must be a text holds. Throws DataError "<what>: expected a string, got ...".
const std::string& text_in(const Value& value, std::string_view what);

}  // namespace attend::chat_template
