#include "attend/interchange/families/ctranslate2/ctranslate2_variables.h"

#include <fmt/format.h>

#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

void Ctranslate2Variables::refuse(std::string_view name, std::string_view why) const {
  throw DataError(fmt::format("{}: variable {}: {}", table_.where(), quote(full(name), 120), why));
}

std::optional<std::string> Ctranslate2Variables::find(std::string_view name) const {
  if (has(name)) return full(name);
  if (table_.contains(name)) return std::string(name);
  return std::nullopt;
}

std::optional<std::int64_t> Ctranslate2Variables::integer(std::string_view name,
                                                          const NumberRange& range) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  const std::vector<std::int64_t> numbers = table_.read_integers(*found);
  if (numbers.size() != 1 || !range.contains(numbers.front()))
    refuse(name, fmt::format("expected one number, {}, found {}", expected_number(range, true),
                             numbers.size() == 1 ? std::to_string(numbers.front())
                                                 : fmt::format("{} numbers", numbers.size())));
  return numbers.front();
}

bool Ctranslate2Variables::flag(std::string_view name, bool otherwise) const {
  return integer(name, between(0, 1)).value_or(otherwise ? 1 : 0) != 0;
}

std::optional<float> Ctranslate2Variables::number(std::string_view name,
                                                  const NumberRange& range) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  const Tensor value = table_.read(*found);
  if (value.size() != 1 || !range.contains(value.data()[0]))
    refuse(name, fmt::format("expected one number, {}", expected_number(range, false)));
  return value.data()[0];
}

int Ctranslate2Variables::extent(std::string_view name, std::size_t axis,
                                 const NumberRange& range) const {
  const ForeignTensor* const found = table_.find(full(name));
  if (found == nullptr) refuse(name, "expected a matrix, found no such variable");
  if (found->shape.size() != 2 || !range.contains(found->shape[axis]))
    refuse(name, fmt::format("expected a matrix with {} of {}", axis == 0 ? "rows" : "columns",
                             expected_number(range, true)));
  return static_cast<int>(found->shape[axis]);
}

}  // namespace attend
