// Element types of foreign weights, and their conversion to f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace attend {

enum class ElementType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

// Bytes of one element.
std::size_t size_of(ElementType type);
// "F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL": as safetensors spells them.
std::string_view name_of(ElementType type);
// nullopt for any other spelling.
std::optional<ElementType> element_type(std::string_view name);

// Returns nullopt if an extent is negative, or if the elements could exceed 2^60 bytes. Zero
// extents do not hide others that are too large.
std::optional<std::uint64_t> count_elements(std::span<const std::int64_t> shape);

// Converts little-endian elements at any address. Rounds to nearest. An F64 outside the range of
// f32 becomes an infinity; a BOOL becomes 0 or 1. Precondition: `from` holds to.size() elements.
void convert_to_f32(ElementType type, std::span<const std::byte> from, std::span<float> to);

// The same for integers. Precondition: is_integer(type).
void convert_to_i64(ElementType type, std::span<const std::byte> from, std::span<std::int64_t> to);

// One element of F16. The other direction rounds to nearest, ties to even.
float f16_to_f32(std::uint16_t half);
std::uint16_t f32_to_f16(float x);

// I64, I32, I16, I8, U8 or BOOL.
bool is_integer(ElementType type);

// The memory layout of a tensor: element (i, j, ...) is at offset i * strides[0] + j * strides[1] +
// ..., counted in elements.
struct StridedLayout {
  std::vector<std::int64_t> shape, strides;  // of equal length, none negative

  // Whether the layout is row-major without gaps.
  bool is_row_major() const;
  // The largest offset + 1, or 0 without elements; nullopt if it overflows.
  std::optional<std::uint64_t> extent() const;
};

// Copies elements of `element_bytes` bytes into row-major order. Precondition: `from` holds
// extent() elements and `to` exactly those of the shape.
void gather(const StridedLayout& layout, std::size_t element_bytes, std::span<const std::byte> from,
            std::span<std::byte> to);

}  // namespace attend
