#include "attend/checkpoint/safetensors/stored_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/quantized_depth.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::string_view kScale = ".scale", kFactors = ".factors", kTokenizer = "tokenizer";

// In files.
DType stored_type(DType type) { return type == DType::i4 ? DType::u8 : type; }

Shape numbers_shape(DType type, std::int64_t rows, std::int64_t columns) {
  return {rows, type == DType::i4 ? columns / 2 : columns};
}

void check_tensor(const Checkpoint& checkpoint, const std::string& name, DType dtype,
                  const Shape& shape) {
  const Tensor& saved = checkpoint.tensor(name);
  if (saved.shape() != shape || saved.dtype() != dtype)
    throw DataError(
        fmt::format("{}: tensor {}: expected {} {}, as the model's configuration says, found {} {}",
                    checkpoint.source, name, name_of(dtype), to_string(shape),
                    name_of(saved.dtype()), to_string(saved.shape())));
}

void check_groups(const Checkpoint& checkpoint) {
  const std::string where = fmt::format("{}: {}", checkpoint.source, kWeightsKey);
  const auto weights = parse_json(checkpoint.text(kWeightsKey), where);
  const auto &bits = json_member(weights, "bits", where),
             &group = json_member(weights, "group", where);
  if (bits != 4 || group != kWeightGroup)
    throw DataError(
        fmt::format("{}: expected 4 bits in groups of {}, found {}; a newer attend may know more",
                    where, kWeightGroup, printable(json_text(weights), 100)));
}

}  // namespace

std::string scale_name(std::string_view name) { return std::string(name) + std::string(kScale); }
std::string factors_name(std::string_view name) {
  return std::string(name) + std::string(kFactors);
}

bool may_hold_weights(std::string_view name, std::string_view dtype, int rank) {
  if (dtype == name_of(DType::u8)) return rank == 2 && !name.starts_with(kTokenizer);
  return rank > 0 && (dtype == name_of(DType::f32) || dtype == name_of(DType::bf16) ||
                      dtype == name_of(DType::i8));
}

bool is_in_four_bits(std::string_view name, std::string_view dtype, int rank) {
  return dtype == name_of(DType::u8) && may_hold_weights(name, dtype, rank) &&
         !name.ends_with(kFactors);
}

void add_quantized(Checkpoint& checkpoint, const std::string& name, const Tensor& quantized) {
  const QuantizedParts parts = backend()->split_quantized(quantized);
  checkpoint.tensors.push_back({name, parts.numbers});
  if (parts.factors.defined()) {
    checkpoint.tensors.push_back({factors_name(name), parts.factors});
    checkpoint.metadata[std::string(kWeightsKey)] =
        fmt::format(R"({{"bits":4,"group":{}}})", kWeightGroup);
  }
  checkpoint.tensors.push_back({scale_name(name), parts.scales});
}

ParameterSet::WeightTypes weight_types(const Checkpoint& checkpoint) {
  ParameterSet::WeightTypes types;
  bool any_in_four_bits = false;
  for (const NamedTensor& named : checkpoint.tensors) {
    const DType dtype = plain_type(named.tensor.dtype());
    if (dtype == DType::i8 || dtype == DType::bf16) types.emplace(named.name, dtype);
    if (dtype == DType::i4 ||
        is_in_four_bits(named.name, name_of(dtype), named.tensor.shape().rank())) {
      types.emplace(named.name, DType::i4);
      any_in_four_bits = true;
    }
  }
  if (any_in_four_bits) check_groups(checkpoint);
  return types;
}

void check_stored(const Checkpoint& checkpoint, const std::string& name, DType type,
                  const Shape& shape) {
  if (shape.rank() == 2 && is_packed(checkpoint.tensor(name)))
    return check_tensor(checkpoint, name, packed_type(type),
                        {shape[0], stored_columns(type, shape[1])});
  if (!is_quantized(type) || shape.rank() != 2)
    return check_tensor(checkpoint, name, stored_type(type), shape);
  const std::int64_t rows = shape[0], columns = shape[1];
  if (columns > kMostQuantizedDepth)
    throw DataError(
        fmt::format("{}: tensor {}: expected rows of at most {} weights in 8 or 4 bits, "
                    "found {}; use a model in 16 bits",
                    checkpoint.source, name, kMostQuantizedDepth, columns));
  if (type == DType::i4) {
    if (columns % kWeightGroup != 0)
      throw DataError(fmt::format(
          "{}: tensor {}: expected a width that is a multiple of {} in 4 bits, found {}",
          checkpoint.source, name, kWeightGroup, columns));
    check_tensor(checkpoint, factors_name(name), DType::u8, {rows, factor_bytes(columns)});
  }
  check_tensor(checkpoint, name, stored_type(type), numbers_shape(type, rows, columns));
  check_tensor(checkpoint, scale_name(name), DType::f32, {rows});
}

StoredRows::StoredRows(const Checkpoint& checkpoint, const std::string& name, const Tensor& value) {
  if (!is_quantized(value)) return;
  all_.scales = Tensor::empty({value.rows()});
  checkpoint.copy_to(scale_name(name), all_.scales);
  if (value.dtype() != DType::i4) return;
  all_.factors = Tensor::empty({value.rows(), factor_bytes(weight_columns(value))}, DType::u8);
  checkpoint.copy_to(factors_name(name), all_.factors);
}

void StoredRows::read(std::int64_t begin, const Tensor& rows,
                      const Checkpoint::ReadRows& read) const {
  if (!is_quantized(rows)) return read(rows);
  const std::int64_t end = begin + rows.rows();
  QuantizedParts parts;
  parts.numbers = Tensor::empty(numbers_shape(rows.dtype(), rows.rows(), weight_columns(rows)),
                                stored_type(rows.dtype()));
  read(parts.numbers);
  if (all_.factors.defined()) parts.factors = all_.factors.slice_rows(begin, end);
  parts.scales = all_.scales.slice_rows(begin, end);
  backend()->join_quantized(parts, rows);
}

}  // namespace attend
