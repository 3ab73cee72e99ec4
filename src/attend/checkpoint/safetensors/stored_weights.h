// Matrices of weights as tensors of a file, which other programs can read:
//
//   16 bits  NAME BF16 [O, I]
//   8 bits   NAME I8 [O, I] and NAME.scale F32 [O]
//   4 bits   NAME U8 [O, I/2], NAME.factors U8 [O, (I/16 + 1)/2] and NAME.scale F32 [O]; metadata
//            say how many weights share a factor
//
// backend/weights.h says what the bytes mean.
#pragma once

#include <string>
#include <string_view>

#include "attend/backend/weights.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

// The metadata key of models with weights in 4 bits, {"bits":4,"group":16}.
inline constexpr std::string_view kWeightsKey = "attend.weights";

std::string scale_name(std::string_view name);
std::string factors_name(std::string_view name);

// Whether a tensor of this type and rank may hold weights, and whether it
// is a matrix in 4 bits. (Tokenizers are U8, too.)
bool may_hold_weights(std::string_view name, std::string_view dtype, int rank);
bool is_in_four_bits(std::string_view name, std::string_view dtype, int rank);

// Adds a matrix in 8 or 4 bits.
void add_quantized(Checkpoint& checkpoint, const std::string& name, const Tensor& quantized);

// The types of weights that are not f32, by name. Throws DataError if there are some in 4 bits and
// their groups are not of kWeightGroup.
ParameterSet::WeightTypes weight_types(const Checkpoint& checkpoint);

// Throws DataError unless the tensors of a parameter of this type and shape are as said above.
void check_stored(const Checkpoint& checkpoint, const std::string& name, DType type,
                  const Shape& shape);

// Reads the rows of one parameter.
class StoredRows {
 public:
  // `value` is the whole parameter in memory, not packed.
  StoredRows(const Checkpoint& checkpoint, const std::string& name, const Tensor& value);
  // Fills `rows`, those from `begin` on. read() reads the same rows of the tensor `name`.
  void read(std::int64_t begin, const Tensor& rows, const Checkpoint::ReadRows& read) const;

 private:
  QuantizedParts all_;  // without the numbers
};

}  // namespace attend
