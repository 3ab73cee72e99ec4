// The element types of other programs' files, and how their elements become f32.
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

// The number of elements; nullopt for a negative extent, or for so many elements that they are 2^60
// bytes or more.
std::optional<std::uint64_t> count_elements(std::span<const std::int64_t> shape);

// Converts `from.size() / size_of(type)` little-endian elements. What f32 cannot hold exactly is
// rounded to the nearest, and an F64 beyond its range becomes an infinity; a BOOL is 0 or 1.
// Precondition: `to` has as many elements.
void convert_to_f32(ElementType type, std::span<const std::byte> from, std::span<float> to);

// The same for whole numbers. Precondition: the type is one of I64, I32, I16, I8, U8, BOOL.
void convert_to_i64(ElementType type, std::span<const std::byte> from, std::span<std::int64_t> to);

bool is_integer(ElementType type);

// How the elements of a tensor lie in memory: element (i, j, ...) is i * strides[0] + j *
// strides[1] + ... elements behind the first one.
struct StridedLayout {
  std::vector<std::int64_t> shape, strides;  // of equal length, none negative

  // Whether the elements lie row after row without gaps.
  bool is_row_major() const;
  // How many elements there are from the first up to and with the last one in memory; nullopt when
  // 64 bits cannot count them.
  std::optional<std::uint64_t> extent() const;
};

// Copies elements of `element_bytes` bytes, row after row. Precondition: `from` holds extent()
// elements and `to` all of the shape.
void gather(const StridedLayout& layout, std::size_t element_bytes, std::span<const std::byte> from,
            std::span<std::byte> to);

}  // namespace attend
