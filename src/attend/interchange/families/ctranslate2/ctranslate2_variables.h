// The variables of a model of CTranslate2 that are settings: one number each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "attend/core/options/number_range.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// Their names begin with "scope/". Until revision 5, encoder and decoder shared some, whose names
// have no scope.
class Ctranslate2Variables {
 public:
  Ctranslate2Variables(TensorTable& table, std::string scope)
      : table_(table), scope_(std::move(scope)) {}

  TensorTable& table() const { return table_; }
  const std::string& scope() const { return scope_; }
  std::string full(std::string_view name) const { return scope_ + "/" + std::string(name); }
  Ctranslate2Variables within(std::string_view folder) const { return {table_, full(folder)}; }

  bool has(std::string_view name) const { return table_.contains(full(name)); }
  // The variable is used then. Throws DataError if it is not one number in the range.
  std::optional<std::int64_t> integer(std::string_view name, const NumberRange& range) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::optional<float> number(std::string_view name, const NumberRange& range) const;
  // What a matrix [rows, columns] has. Throws DataError if there is no such matrix, or a number is
  // not in the range. Does not use the variable.
  int rows(std::string_view name, const NumberRange& range) const { return extent(name, 0, range); }
  int columns(std::string_view name, const NumberRange& range) const {
    return extent(name, 1, range);
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;

 private:
  // Its name in the file; nullopt: there is none.
  std::optional<std::string> find(std::string_view name) const;
  int extent(std::string_view name, std::size_t axis, const NumberRange& range) const;

  TensorTable& table_;
  std::string scope_;
};

}  // namespace attend
