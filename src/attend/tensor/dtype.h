// Element types of tensors, with the names and sizes of the safetensors format. Packed weights and
// weights in 4 bits (backend/weights.h) have opaque types, which never appear in files; an element
// of the latter is a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attend {

enum class DType : std::uint8_t {
  f32,
  f64,
  bf16,
  i32,
  i8,
  u8,
  i4,
  packed_f32,
  packed_bf16,
  packed_i8,
  packed_i4
};

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 8;
    case DType::f32:
    case DType::i32:
    case DType::packed_f32:
      return 4;
    case DType::bf16:
    case DType::packed_bf16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::i4:
    case DType::packed_i8:
    case DType::packed_i4:
      return 1;
  }
  return 0;
}

// "F32", "BF16", "I32", "I8", "U8": the spelling of safetensors headers.
constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::bf16:
      return "BF16";
    case DType::i32:
      return "I32";
    case DType::i8:
      return "I8";
    case DType::u8:
      return "U8";
    case DType::i4:
      return "4 bits";
    case DType::packed_f32:
      return "packed F32";
    case DType::packed_bf16:
      return "packed BF16";
    case DType::packed_i8:
      return "packed I8";
    case DType::packed_i4:
      return "packed 4 bits";
  }
  return "?";
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {  // sums; never in files
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<std::uint16_t> {  // the upper half of a float's bits
  static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::i8;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::u8;
};

}  // namespace attend
