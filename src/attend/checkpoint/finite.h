// Checks that values are finite: NaN and infinity are rejected when a model is loaded and before an
// answer is given.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "attend/error.h"

namespace attend {

class NotFiniteError : public DataError {
 public:
  using DataError::DataError;
};

// Throws NotFiniteError unless all are finite: "<where>: <what>: expected finite numbers, found nan
// ...", with advice. `where` is the model file; empty for a model that has none.
void require_finite(std::span<const float> numbers, std::string_view what, std::string_view where);

// The first of some f32 values, at any alignment, that is not finite; or the last of all.
float first_not_finite(std::span<const std::byte> numbers);

}  // namespace attend
