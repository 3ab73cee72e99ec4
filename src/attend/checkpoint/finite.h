// What a model holds, and what it answers, are numbers: NaN and infinity are refused where they
// enter and where they would leave.
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
// ...", with advice. `where` is the file of the model; it may be empty for a model that comes from
// none.
void require_finite(std::span<const float> numbers, std::string_view what, std::string_view where);

// f32 numbers, at any address.
bool all_finite(std::span<const std::byte> numbers);

// The same for f32 numbers as they lie in a file, at any address. Precondition: their size is a
// multiple of four bytes.
void require_finite(std::span<const std::byte> numbers, std::string_view what,
                    std::string_view where);

}  // namespace attend
